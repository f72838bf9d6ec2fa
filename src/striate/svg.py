"""A small SVG writer for the project's own pictures: boxes, lines, circles and text on white."""

from __future__ import annotations

from xml.sax.saxutils import escape

INK, MUTED, RULE, ACCENT, PAPER = "#1f2933", "#5b6773", "#9aa5b1", "#c1121f", "#ffffff"
FONT = "DejaVu Sans, Helvetica, Arial, sans-serif"
LETTER_WIDTH = 0.62  # of the font size: a little more than a digit takes


class Canvas:
    """Collects shapes; later shapes lie above earlier ones. `corner` rounds boxes, `outline` draws their edges."""

    def __init__(self, *, corner: float = 0.0, outline: str = INK, definitions: str = "") -> None:
        self._shapes: list[str] = []
        self._corner, self._outline = corner, outline
        self._definitions = [definitions] if definitions else []

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, stroke: str | None = None
    ) -> None:
        size = f'width="{width:.1f}" height="{height:.1f}"'
        corner = f' rx="{self._corner:g}"' if self._corner else ""
        look = f'{corner} fill="{fill}" stroke="{stroke or self._outline}"'
        self._shapes.append(f'<rect x="{x:.1f}" y="{y:.1f}" {size}{look}/>')

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        stroke: str = RULE,
        width: float = 1.2,
        *,
        dashed: bool = False,
    ) -> None:
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self._shapes.append(f'<line {ends} stroke="{stroke}" stroke-width="{width:g}"{dash}/>')

    def bent(self, *points: tuple[float, float], stroke: str = RULE, width: float = 1.2) -> None:
        """A line through all the points."""
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._shapes.append(
            f'<polyline points="{places}" fill="none" stroke="{stroke}" stroke-width="{width:g}"/>'
        )

    def triangle(self, x: float, y: float, side: float, fill: str) -> None:
        """Pointing down, its tip at (x, y)."""
        corners = f"{x:.1f},{y:.1f} {x - side / 2:.1f},{y - side:.1f} {x + side / 2:.1f},{y - side:.1f}"
        self._shapes.append(f'<polygon points="{corners}" fill="{fill}"/>')

    def arc(self, x1: float, x2: float, y: float, depth: float) -> None:
        """A curve between two points of one row, `depth` away from it."""
        curve = f"M{x1:.1f} {y:.1f} Q{(x1 + x2) / 2:.1f} {y + 2 * depth:.1f} {x2:.1f} {y:.1f}"
        self._shapes.append(f'<path d="{curve}" fill="none" stroke="{RULE}" stroke-width="1.2"/>')

    def circle(self, x: float, y: float, radius: float, fill: str, stroke: str = RULE) -> None:
        self._shapes.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}" stroke="{stroke}"/>'
        )

    def disk(self, x: float, y: float, width: float, height: float) -> None:
        """A drum, the sign for a disk, its top left corner at (x, y)."""
        lid = width * 0.2
        sides = (
            f"M{x:.1f} {y + lid:.1f} v{height - 2 * lid:.1f} a{width / 2:.1f} {lid:.1f} 0 0 0 {width:.1f} 0"
        )
        body = f"{sides} v{-(height - 2 * lid):.1f}"
        self._shapes.append(f'<path d="{body}" fill="#f6d9b8" stroke="#b7791f"/>')
        center = f'cx="{x + width / 2:.1f}" cy="{y + lid:.1f}" rx="{width / 2:.1f}" ry="{lid:.1f}"'
        self._shapes.append(f'<ellipse {center} fill="#fbeedd" stroke="#b7791f"/>')

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
        room: float | None = None,
    ) -> None:
        """One line of text; cut with an ellipsis where it would be wider than `room`."""
        if room is not None and text_width(words, size) > room:
            words = words[: max(1, int(room / (LETTER_WIDTH * size)) - 1)] + "…"
        place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}" fill="{color}"'
        weight = ' font-weight="bold"' if bold else ""
        self._shapes.append(f"<text {place}{weight}>{escape(words)}</text>")

    def svg(self, width: float, height: float, title: str) -> str:
        """The whole document."""
        size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}">'
        paper = f'<rect width="{width:.0f}" height="{height:.0f}" fill="{PAPER}"/>'
        opening = [head, f"<title>{escape(title)}</title>", *self._definitions, paper]
        return "\n".join([*opening, *self._shapes, "</svg>"]) + "\n"


def text_width(words: str, size: float) -> float:
    """About how many pixels a line of text takes."""
    return len(words) * LETTER_WIDTH * size
