"""A validation as a picture: forecast against measured seconds, with bounds, one colour per application."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from striate.interval import Interval
from striate.svg import INK, MUTED, RULE, Canvas
from striate.units import about_seconds

_SIDE, _LEFT, _TOP, _LEGEND = 560.0, 90.0, 80.0, 290.0
_COLOURS = ("#2f6fab", "#c1121f", "#2a9d4a", "#b7791f", "#7048a8", "#1f2933")


@dataclass(frozen=True, slots=True)
class Point:
    """One real run: its group (the application), what it took, and what was forecast."""

    group: str
    measured: float
    forecast: Interval


def validation_svg(points: Sequence[Point], *, title: str, words: str) -> str:
    """Both axes logarithmic and alike; on the line a forecast is right, in the band it is at most 20 % off."""
    canvas = Canvas()
    low, high = _ends(points)

    def at(seconds: float) -> float:
        share = (math.log(max(seconds, low)) - math.log(low)) / (math.log(high) - math.log(low))
        return min(share, 1.0) * _SIDE

    canvas.text(_LEFT, 30, title, size=16, anchor="start", bold=True)
    canvas.text(_LEFT, 52, words, size=12, anchor="start", color=MUTED)
    _axes(canvas, low, high, at)
    groups = list(dict.fromkeys(point.group for point in points))
    for point in points:
        colour = _COLOURS[groups.index(point.group) % len(_COLOURS)]
        x = _LEFT + at(point.measured)
        ends = [_TOP + _SIDE - at(end) for end in (point.forecast.low, point.forecast.high)]
        canvas.line(x, ends[0], x, ends[1], colour, 1.0)
        canvas.circle(x, _TOP + _SIDE - at(point.forecast.estimate), 3.5, colour, colour)
    for number, group in enumerate(groups):
        y = _TOP + 20 + 22 * number
        canvas.circle(_LEFT + _SIDE + 30, y - 4, 5, _COLOURS[number % len(_COLOURS)], RULE)
        canvas.text(_LEFT + _SIDE + 44, y, group, anchor="start", room=_LEGEND - 60)
    return canvas.svg(_LEFT + _SIDE + _LEGEND, _TOP + _SIDE + 70, title)


def _ends(points: Sequence[Point]) -> tuple[float, float]:
    values = [value for point in points for value in (point.measured, point.forecast.estimate)]
    low = min((value for value in values if value > 0), default=0.1)
    return low / 1.5, max(max(values, default=1.0) * 1.5, low * 2)


def _axes(canvas: Canvas, low: float, high: float, at: Callable[[float], float]) -> None:
    bottom, right = _TOP + _SIDE, _LEFT + _SIDE
    for ratio, dashed in ((1.0, False), (1.2, True), (1 / 1.2, True)):
        start, end = max(low, low / ratio), min(high, high / ratio)
        places = (_LEFT + at(start), bottom - at(start * ratio), _LEFT + at(end), bottom - at(end * ratio))
        canvas.line(*places, MUTED if dashed else INK, 1.0, dashed=dashed)
    canvas.line(_LEFT, _TOP, _LEFT, bottom, RULE)
    canvas.line(_LEFT, bottom, right, bottom, RULE)
    for seconds in _ticks(low, high):
        canvas.line(_LEFT - 4, bottom - at(seconds), _LEFT, bottom - at(seconds), RULE)
        canvas.text(_LEFT - 8, bottom - at(seconds) + 4, about_seconds(seconds), size=11, anchor="end")
        canvas.line(_LEFT + at(seconds), bottom, _LEFT + at(seconds), bottom + 4, RULE)
        canvas.text(_LEFT + at(seconds), bottom + 18, about_seconds(seconds), size=11)
    canvas.text(_LEFT + _SIDE / 2, bottom + 44, "measured", size=13)
    canvas.text(_LEFT, _TOP - 10, "forecast", size=13)


def _ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of every decade between the ends."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = [step * 10.0**power for power in range(first, last + 1) for step in (1, 2, 5)]
    return [step for step in steps if low <= step <= high]
