"""A small SVG writer for pictures of layouts: boxes, lines and text on white."""

from __future__ import annotations

from xml.sax.saxutils import escape

INK, MUTED, RULE, ACCENT = "#1f2933", "#5b6773", "#9aa5b1", "#c1121f"
FONT = "DejaVu Sans, Helvetica, Arial, sans-serif"
LETTER_WIDTH = 0.62  # of the font size: a little more than a digit takes

# One colour a server, light enough for dark text; they repeat after the last.
COLORS = ("#8ecae6", "#ffd166", "#b5d99c", "#f4a5ae", "#cdb4db", "#f4b183", "#9bd5c8", "#d8c8a8")
HATCH = (
    '<defs><pattern id="padding" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect width="6" height="6" fill="#ffffff"/>'
    f'<line x1="0" y1="0" x2="0" y2="6" stroke="{RULE}" stroke-width="1.6"/></pattern></defs>'
)


class Canvas:
    """Collects shapes; later shapes lie above earlier ones."""

    def __init__(self) -> None:
        self._shapes: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, fill: str, stroke: str = INK) -> None:
        size = f'width="{width:.1f}" height="{height:.1f}"'
        self._shapes.append(f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{fill}" stroke="{stroke}"/>')

    def line(
        self, x1: float, y1: float, x2: float, y2: float, stroke: str = RULE, width: float = 1.2
    ) -> None:
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self._shapes.append(f'<line {ends} stroke="{stroke}" stroke-width="{width:g}"/>')

    def triangle(self, x: float, y: float, side: float, fill: str) -> None:
        """Pointing down, its tip at (x, y)."""
        corners = f"{x:.1f},{y:.1f} {x - side / 2:.1f},{y - side:.1f} {x + side / 2:.1f},{y - side:.1f}"
        self._shapes.append(f'<polygon points="{corners}" fill="{fill}"/>')

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 12,
        anchor: str = "middle",
        color: str = INK,
        bold: bool = False,
    ) -> None:
        place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}" fill="{color}"'
        weight = ' font-weight="bold"' if bold else ""
        self._shapes.append(f"<text {place}{weight}>{escape(words)}</text>")

    def svg(self, width: float, height: float, title: str) -> str:
        """The whole document."""
        size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}">'
        paper = f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>'
        return (
            "\n".join([head, f"<title>{escape(title)}</title>", HATCH, paper, *self._shapes, "</svg>"]) + "\n"
        )


def text_width(words: str, size: float) -> float:
    """About how many pixels a line of text takes."""
    return len(words) * LETTER_WIDTH * size
