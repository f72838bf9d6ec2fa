"""A layout as a picture: the file on top, below it a lane for each server with the strips it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from striate.layout.distributions.grouped_blocks import GroupedBlocks
from striate.layout.distributions.two_d_stripe import TwoDStripe
from striate.layout.layout import Layout
from striate.layout.picture import ShownStrip, shown_strips
from striate.svg import ACCENT, INK, LETTER_WIDTH, MUTED, RULE, Canvas, text_width
from striate.units import LARGEST, counted, format_size

LEFT, BAR, RIGHT = 150, 900, 30
STRIP_HEIGHT, LANE = 28, 66
LEAST_WIDTH, GAP = 22, 22
MOST_LANES = 12
ENDLESS = LARGEST // 2

# One colour per server, light enough for dark text; they repeat after the last.
COLORS = ("#8ecae6", "#ffd166", "#b5d99c", "#f4a5ae", "#cdb4db", "#f4b183", "#9bd5c8", "#d8c8a8")
HATCH = (
    '<defs><pattern id="padding" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect width="6" height="6" fill="#ffffff"/>'
    f'<line x1="0" y1="0" x2="0" y2="6" stroke="{RULE}" stroke-width="1.6"/></pattern></defs>'
)


@dataclass(frozen=True)
class Placed:
    """A strip and where it is drawn."""

    strip: ShownStrip
    x: float
    width: float


def draw(layout: Layout, byte: int | None = None) -> str:
    """The picture as SVG; `byte`, when given, is marked in the file and on its server."""
    strips = shown_strips(layout, byte)
    gap, widths = _widths(strips)
    canvas = Canvas(definitions=HATCH)
    canvas.text(LEFT, 30, layout.describe(), size=15, anchor="start", bold=True)
    canvas.text(LEFT, 50, _shortened(str(layout), BAR, 11), size=11, anchor="start", color=MUTED)
    top = 120 if isinstance(layout, GroupedBlocks) else 92
    file = _placed(strips, widths, gap, key=lambda strip: strip.offset)
    _draw_lane(canvas, "file", file, top, byte, byte)
    if isinstance(layout, GroupedBlocks):
        _draw_domains(canvas, layout, file, top)
    bottom = _draw_servers(canvas, layout, file, gap, top + LANE + 24, byte)
    return canvas.svg(LEFT + BAR + RIGHT, bottom + 10, f"layout {layout}")


def _draw_servers(
    canvas: Canvas, layout: Layout, file: list[Placed], gap: float, top: float, byte: int | None
) -> float:
    """A lane for each server on show, one below the other; the height where they end."""
    owner, position = (None, None) if byte is None else (int(place) for place in layout.locate(byte))
    lanes = _lanes(sorted({part.strip.server for part in file}), owner)
    for row, server in enumerate(lanes):
        here = [part for part in file if part.strip.server == server]
        mine = _placed(
            [p.strip for p in here], [p.width for p in here], gap, key=lambda strip: strip.physical
        )
        marked = byte if server == owner else None
        padded = isinstance(layout, GroupedBlocks)
        _draw_lane(
            canvas,
            f"server {server}",
            mine,
            top + row * LANE,
            marked,
            position,
            of_server=True,
            padded=padded,
        )
    if isinstance(layout, TwoDStripe):
        _draw_groups(canvas, layout, lanes, top)
    bottom, hidden = top + len(lanes) * LANE, layout.servers - len(lanes)
    if hidden:
        canvas.text(LEFT, bottom + 6, f"… and {counted(hidden, 'more server')}", anchor="start", color=MUTED)
    return bottom + (24 if hidden else 0)


def _lanes(servers: list[int], owner: int | None) -> list[int]:
    """The servers that get a lane: the first with strips on show, and the byte's own in any case."""
    chosen = servers[:MOST_LANES]
    return chosen if owner is None or owner in chosen else [*chosen[:-1], owner]


def _widths(strips: list[ShownStrip]) -> tuple[float, list[float]]:
    """The width of a gap and of each strip: a least one, and the rest of the bar by size, the fullest lane inside."""
    lanes = [[strip for strip in strips if strip.server == server] for server in {s.server for s in strips}]
    gaps = max(
        _jumps([(s.offset, s.size) for s in strips]),
        *(_jumps([(s.physical, s.size) for s in lane]) for lane in lanes),
    )
    free = BAR - LEAST_WIDTH * len(strips)
    gap = min(GAP, free / 2 / gaps) if gaps else 0.0
    sizes = [1 if strip.size > ENDLESS else strip.size for strip in strips]
    return gap, [LEAST_WIDTH + (free - gap * gaps) * size / sum(sizes) for size in sizes]


def _jumps(runs: list[tuple[int, int]]) -> int:
    """How often a run does not begin where the one before ends."""
    return sum(start + size != following for (start, size), (following, _) in pairwise(runs))


def _placed(
    strips: list[ShownStrip], widths: list[float], gap: float, key: Callable[[ShownStrip], int]
) -> list[Placed]:
    """One after another from the left; a gap where `key`, the position on this axis, jumps."""
    placed: list[Placed] = []
    x, expected = float(LEFT), 0
    for strip, width in zip(strips, widths, strict=True):
        x += gap if placed and key(strip) != expected else 0
        placed.append(Placed(strip, x, width))
        x += width
        expected = key(strip) + strip.size
    return placed


def _draw_lane(
    canvas: Canvas,
    name: str,
    lane: list[Placed],
    y: float,
    byte: int | None,
    position: int | None,
    *,
    of_server: bool = False,
    padded: bool = False,
) -> None:
    canvas.text(LEFT - 14, y + 19, name, anchor="end", bold=not of_server)
    free = 0.0  # labels of positions may not touch
    for before, part in zip([None, *lane], lane, strict=False):
        if before is not None and part.x > before.x + before.width + 1:
            _draw_gap(canvas, before.x + before.width, part.x, y, padding=padded)
        canvas.box(part.x, y, part.width, STRIP_HEIGHT, COLORS[part.strip.server % len(COLORS)])
        _draw_words(canvas, part, y)
        at = part.strip.physical if of_server else part.strip.offset
        label = _position(at)
        if part.x >= free and part.x + text_width(label, 10) <= LEFT + BAR + RIGHT:
            canvas.line(part.x, y + STRIP_HEIGHT, part.x, y + STRIP_HEIGHT + 4)
            canvas.text(part.x, y + STRIP_HEIGHT + 15, label, size=10, anchor="start", color=MUTED)
            free = part.x + text_width(label, 10) + 6
        if byte is not None and position is not None and part.strip.offset <= byte < part.strip.end:
            _mark(canvas, part, byte, y, position)


def _draw_words(canvas: Canvas, part: Placed, y: float) -> None:
    """The number of the strip, and its size where both fit."""
    size = "endless" if part.strip.size > ENDLESS else _position(part.strip.size)
    number = str(part.strip.number)
    for words, letters in ((f"{number}: {size}", 11), (number, 11), (number, 8)):
        if text_width(words, letters) + 4 <= part.width:
            canvas.text(part.x + part.width / 2, y + 18, words, size=letters)
            return


def _draw_gap(canvas: Canvas, left: float, right: float, y: float, *, padding: bool) -> None:
    """Padding is hatched; what is left out is three dots."""
    if padding:
        canvas.box(left, y, right - left, STRIP_HEIGHT, "url(#padding)", RULE)
    else:
        canvas.text((left + right) / 2, y + 19, "…", size=14, color=MUTED)


def _position(bytes_: int) -> str:
    """A number of bytes, exact: with a unit where that is shorter."""
    short = format_size(bytes_)
    if bytes_ == 0:
        return "0"
    return short if len(short.split()[0]) <= 4 else f"{bytes_:,} B"


def _shortened(words: str, room: float, size: float) -> str:
    most = int(room / (LETTER_WIDTH * size))
    return words if len(words) <= most else words[: most - 1] + "…"


def _mark(canvas: Canvas, part: Placed, byte: int, y: float, position: int) -> None:
    share = (byte - part.strip.offset) / part.strip.size
    x = part.x + share * part.width
    canvas.line(x, y - 4, x, y + STRIP_HEIGHT, ACCENT, 2)
    canvas.triangle(x, y - 1, 9, ACCENT)
    words = f"byte {position:,}"
    near_the_edge = x + 8 + text_width(words, 11) > LEFT + BAR + RIGHT
    anchor, shift = ("end", -8) if near_the_edge else ("start", 8)
    canvas.text(x + shift, y - 5, words, size=11, anchor=anchor, color=ACCENT, bold=True)


def _draw_domains(canvas: Canvas, layout: GroupedBlocks, file: list[Placed], y: float) -> None:
    """A bracket over the blocks of each process."""
    for process in sorted({part.strip.offset // layout.domain for part in file}):
        parts = [part for part in file if part.strip.offset // layout.domain == process]
        left, right = parts[0].x + 2, parts[-1].x + parts[-1].width - 2
        canvas.line(left, y - 26, right, y - 26, INK)
        for end in (left, right):
            canvas.line(end, y - 26, end, y - 20, INK)
        words = f"process {process}"
        shown = words if text_width(words, 11) < right - left else str(process)
        canvas.text((left + right) / 2, y - 31, shown, size=11, color=MUTED)


def _draw_groups(canvas: Canvas, layout: TwoDStripe, lanes: list[int], y: float) -> None:
    """A bracket beside the lanes of each group."""
    small = layout.servers // layout.groups
    groups = [min(server // small, layout.groups - 1) for server in lanes]
    for group in sorted(set(groups)):
        rows = [row for row, member in enumerate(groups) if member == group]
        top, bottom = y + rows[0] * LANE + 2, y + rows[-1] * LANE + STRIP_HEIGHT - 2
        canvas.line(66, top, 66, bottom, RULE, 2)
        canvas.text(58, (top + bottom) / 2 + 4, f"group {group}", size=11, anchor="end", color=MUTED)
