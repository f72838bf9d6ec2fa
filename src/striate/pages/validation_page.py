"""A validation as a page that opens offline: the picture, every program beside its forecast, and what took its time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from striate.interval import Interval
from striate.pages.page import html_document
from striate.units import about_seconds

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2933; margin: 2rem auto; max-width: 64rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #d9e2ec; }
th:first-child, td:first-child, td.words, th.words { text-align: left; }
td.words { color: #52606d; }
td:not(:first-child, .words) { white-space: nowrap; }
tr.outside td { background: #fdf0ef; }
.soft { color: #52606d; }
svg { max-width: 100%; height: auto; }
"""
_MOST_PARTS = 4
_SMALL_PART = 0.02  # of a program's time


@dataclass(frozen=True, slots=True)
class ProgramRow:
    """One program: its median run, the forecast, how many runs lay inside, and seconds of its kinds of calls."""

    name: str
    measured: float
    forecast: Interval
    error: float
    inside: int
    runs: int
    parts: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""


def validation_page(rows: Sequence[ProgramRow], *, title: str, words: str, picture: str) -> str:
    """The document; programs whose forecasts are furthest off come first. `picture` is an SVG of ours."""
    ordered = sorted(rows, key=lambda row: -abs(math.log1p(max(row.error, -0.999))))
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">{escape(words)}</p>',
        picture,
        "<h2>Every program</h2>",
        "<p>Furthest off first; a row is shaded when fewer than half of its runs lay inside the 80 % range.</p>",
        _programs(ordered),
        "<h2>Where the time went</h2>",
        "<p>The longest that a rank was in each kind of call, as a share of the run.</p>",
        _parts([row for row in rows if row.parts]),
    ]
    return html_document(title, _STYLE, body if any(row.parts for row in rows) else body[:-3])


def _programs(rows: Sequence[ProgramRow]) -> str:
    cells = [
        (
            "outside" if 2 * row.inside < row.runs else "",
            row.name,
            about_seconds(row.measured),
            about_seconds(row.forecast.estimate),
            f"{about_seconds(row.forecast.low)} to {about_seconds(row.forecast.high)}",
            f"{row.error:+.0%}",
            f"{row.inside} of {row.runs}",
            row.reason,
        )
        for row in rows
    ]
    names = ("program", "measured", "forecast", "80 % range", "error", "inside", "likely reason")
    if not any(row.reason for row in rows):
        return _table(names[:-1], [line[:-1] for line in cells])
    return _table(names, cells, words=True)


def _parts(rows: Sequence[ProgramRow]) -> str:
    return _table(
        ("program", "measured", "parts"),
        [("", row.name, about_seconds(row.measured), _shares(row)) for row in rows],
        words=True,
    )


def _shares(row: ProgramRow) -> str:
    ordered = sorted(row.parts.items(), key=lambda part: -part[1])[:_MOST_PARTS]
    shares = [(kind, seconds / row.measured) for kind, seconds in ordered if row.measured > 0]
    return ", ".join(f"{kind} {share:.0%}" for kind, share in shares if share >= _SMALL_PART)


def _table(names: Sequence[str], rows: Sequence[tuple[str, ...]], *, words: bool = False) -> str:
    """Rows begin with their class; with `words`, the last column holds sentences."""

    def line(tag: str, cells: Sequence[str]) -> str:
        kinds = [""] * (len(cells) - words) + [' class="words"'] * words
        return "".join(
            f"<{tag}{kind}>{escape(cell)}</{tag}>" for cell, kind in zip(cells, kinds, strict=True)
        )

    lines = [f"<tr{f' class={kind!r}' if kind else ''}>{line('td', cells)}</tr>" for kind, *cells in rows]
    head = f"<table><thead><tr>{line('th', names)}</tr></thead><tbody>"
    return "\n".join([head, *lines, "</tbody></table>"])
