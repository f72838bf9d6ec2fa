"""A page with the trade-off of `striate size`: how many servers are enough, by the drives and links of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from striate.pages.page import html_document
from striate.svg import ACCENT, INK, MUTED, RULE, Canvas
from striate.training.sizing import SizedSystem, Sizing
from striate.training.sizing_text import system_text, table_head, table_row, target_text

WIDTH, HEIGHT = 760.0, 420.0
LEFT, RIGHT, TOP, BOTTOM = 70.0, 150.0, 30.0, 50.0
COLORS = ("#1d4e89", "#c1121f", "#2a9d5b", "#b7791f", "#6a4c93", "#0f8b8d", "#5b6773")
STYLE = (
    "body{font-family:sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1f2933}"
    "table{border-collapse:collapse}th,td{padding:.2rem .8rem;text-align:right}th{border-bottom:1px solid #9aa5b1}"
    "td:first-child,th:first-child{text-align:left}tr.best{font-weight:bold}"
)


def sizing_page(sizing: Sizing) -> str:
    """The document; it opens offline and runs no script."""
    title = f"{sizing.job}: {target_text(sizing.target)}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(_sentence(sizing))}</p>",
        _chart(sizing) if sizing.alternatives else "",
        _bindings(sizing),
        _table(sizing),
        _widths(sizing),
    ]
    return html_document(title, STYLE, [part for part in parts if part])


def _sentence(sizing: Sizing) -> str:
    wanted = f"{target_text(sizing.target)} with a certainty of {sizing.target.certainty:.0%}"
    if sizing.best is None:
        return f"No system of those tried reaches {wanted}."
    return f"The smallest system that reaches {wanted}: {system_text(sizing.best)} ({sizing.best.certainty:.1%})."


def _chart(sizing: Sizing) -> str:
    """Servers over drives of each, a line per rate of a server's link; both axes in doublings."""
    fewest: dict[tuple[float, float], SizedSystem] = {}
    for one in sorted(sizing.alternatives, key=lambda one: -one.servers):
        if one.drives > 0 and one.servers > 0:
            fewest[one.links, one.drives] = one
    systems = list(fewest.values())
    if not systems:
        return ""
    canvas = Canvas()
    across = _scale([one.drives for one in systems], LEFT, WIDTH - RIGHT)
    up = _scale([one.servers for one in systems], HEIGHT - BOTTOM, TOP)
    for value in _doublings([one.drives for one in systems]):
        canvas.line(across(value), TOP, across(value), HEIGHT - BOTTOM, RULE, 0.5)
        canvas.text(across(value), HEIGHT - BOTTOM + 18, f"{value:g}", color=MUTED)
    for value in _doublings([one.servers for one in systems]):
        canvas.line(LEFT, up(value), WIDTH - RIGHT, up(value), RULE, 0.5)
        canvas.text(LEFT - 8, up(value) + 4, f"{value:g}", anchor="end", color=MUTED)
    rates = sorted({one.links for one in systems})
    for number, rate in enumerate(rates):
        color = COLORS[number % len(COLORS)]
        mine = sorted((one for one in systems if one.links == rate), key=lambda one: one.drives)
        points = [(across(one.drives), up(one.servers)) for one in mine]
        canvas.bent(*points, stroke=color, width=1.5)
        for x, y in points:
            canvas.circle(x, y, 3.5, color, color)
        canvas.text(
            WIDTH - RIGHT + 14, TOP + 12 + 18 * number, f"{rate:g} Gb/s each", anchor="start", color=color
        )
    if sizing.best is not None and sizing.best.drives:
        canvas.circle(across(sizing.best.drives), up(sizing.best.servers), 7, "none", ACCENT)
    canvas.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "drives of a server", color=INK)
    canvas.text(LEFT - 8, TOP - 12, "servers", anchor="end", color=INK)
    return canvas.svg(WIDTH, HEIGHT, "servers that are enough, by drives and links of each")


def _scale(values: list[float], first: float, last: float) -> Callable[[float], float]:
    low, high = math.log2(min(values)), math.log2(max(values))
    span = high - low or 1.0
    return lambda value: first + (math.log2(value) - low) / span * (last - first)


def _doublings(values: list[float]) -> list[float]:
    low, high = math.floor(math.log2(min(values))), math.ceil(math.log2(max(values)))
    step = max(1, (high - low) // 8)
    powers = [2.0**power for power in range(low, high + 1, step)]
    return [value for value in powers if min(values) <= value <= max(values)] or [min(values)]


def _bindings(sizing: Sizing) -> str:
    rows = [(name, f"{share:.0%}") for name, share in sizing.forecast.binding if share >= 0.005]
    less = [(f"one step less of {name}", f"certainty {sure:.1%}") for name, sure in sizing.one_less]
    return "<h2>What binds</h2>" + _rows(("part", "share of the draws"), [*rows, *less])


def _table(sizing: Sizing) -> str:
    if not sizing.alternatives:
        return ""
    best = sizing.alternatives.index(sizing.best) if sizing.best in sizing.alternatives else -1
    listed = [table_row(sizing, one) for one in sizing.alternatives]
    return "<h2>Systems that reach it</h2>" + _rows(table_head(sizing), listed, best=best)


def _widths(sizing: Sizing) -> str:
    rows = [
        (f"{one.name} ({one.low:.3g} to {one.high:.3g})", f"{one.share:.0%}", one.source)
        for one in sizing.forecast.widths
        if one.share >= 0.01
    ]
    return "<h2>What makes the range</h2>" + _rows(("number", "share", "from"), rows) if rows else ""


def _rows(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], *, best: int = -1) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = [f"<tr>{top}</tr>"]
    for number, row in enumerate(rows):
        mark = ' class="best"' if number == best else ""
        lines.append(f"<tr{mark}>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
    return "<table>" + "".join(lines) + "</table>"
