"""Measured times by size and the lines they were summed up as, with what is left over: one small picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from striate.probe.samples import TimeCurve
from striate.svg import ACCENT, INK, MUTED, RULE, Canvas
from striate.units import about_seconds, about_size

_WIDTH, _HEIGHT, _GAP = 340.0, 170.0, 64.0
_COLUMNS = 2
_LEFT, _TOP = 78.0, 84.0


def curves_svg(curves: Sequence[TimeCurve], *, title: str) -> str:
    """A panel for each curve: seconds against bytes, both logarithmic, and the residual of every size."""
    canvas = Canvas()
    rows = max(1, -(-len(curves) // _COLUMNS))
    for number, curve in enumerate(curves):
        x = _LEFT + number % _COLUMNS * (_WIDTH + _LEFT + 20)
        y = _TOP + number // _COLUMNS * (_HEIGHT + _GAP + 30)
        _panel(canvas, curve, x, y)
    canvas.text(_LEFT, 26, title, size=15, anchor="start", bold=True)
    words = (
        "dots: medians of the measured times; line: latency + bytes / bandwidth; numbers: measured / line - 1"
    )
    canvas.text(_LEFT, 44, words, size=11, anchor="start", color=MUTED)
    width = _COLUMNS * (_WIDTH + _LEFT + 20)
    return canvas.svg(width, _TOP + rows * (_HEIGHT + _GAP + 30), title)


def _panel(canvas: Canvas, curve: TimeCurve, x: float, y: float) -> None:
    values = [*curve.seconds, *curve.fitted]
    across, up = _scale(curve.bytes, x, _WIDTH), _scale(values, y + _HEIGHT, -_HEIGHT)
    canvas.line(x, y + _HEIGHT, x + _WIDTH, y + _HEIGHT, RULE)
    canvas.line(x, y, x, y + _HEIGHT, RULE)
    canvas.text(x, y - 8, curve.name, anchor="start", bold=True)
    places = [(across(size), up(time)) for size, time in zip(curve.bytes, curve.fitted, strict=True)]
    for (x1, y1), (x2, y2) in pairwise(places):
        canvas.line(x1, y1, x2, y2, ACCENT, 1.5)
    for size, time, fitted in zip(curve.bytes, curve.seconds, curve.fitted, strict=True):
        canvas.circle(across(size), up(time), 3, INK, INK)
        left_over = f"{time / fitted - 1:+.0%}" if fitted else ""
        canvas.text(across(size), y + _HEIGHT + 28, left_over, size=9, color=MUTED)
    for size in (min(curve.bytes), max(curve.bytes)):
        canvas.text(across(size), y + _HEIGHT + 14, about_size(size), size=10, color=MUTED)
    for time in (min(values), max(values)):
        canvas.text(x - 6, up(time) + 4, about_seconds(time), size=10, anchor="end", color=MUTED)


def _scale(values: Sequence[float], start: float, length: float) -> Callable[[float], float]:
    """A logarithmic scale from the least to the greatest value."""
    low, high = math.log(max(min(values), 1e-12)), math.log(max(*values, 1e-12))
    room = (high - low) or 1.0
    return lambda value: start + (math.log(max(value, 1e-12)) - low) / room * length
