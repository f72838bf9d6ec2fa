"""What repeated measurements say: a middle and a range; and lines through them, cost against size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.errors import ProbeError
from striate.interval import Interval
from striate.probe.microbenchmarks.machine import line_through

Floats = NDArray[np.float64]
_STRETCHES = 8  # of a measurement, one after the other: how far their results differ is the range
_FEW = 5  # samples that make a stretch


@dataclass(frozen=True, slots=True)
class Measurement:
    """One number of a machine, in seconds, bytes per second or a count per second."""

    name: str
    unit: str  # "s", "B", "B/s", "1/s", "processes"
    value: Interval
    samples: int
    how: str


@dataclass(frozen=True, slots=True)
class TimeCurve:
    """Measured seconds by size, and those of the line that the measurements were summed up as."""

    name: str
    bytes: tuple[float, ...]
    seconds: tuple[float, ...]
    fitted: tuple[float, ...]


def spread(values: Sequence[float] | Floats) -> Interval:
    """The median of all values, between the 10th and the 90th percentile of the medians of stretches of them.

    A program calls often, so that what it sees of a number is a median over a stretch of time, too; single calls
    differ more. Where values are few, the range is that between the extremes.
    """
    column = np.asarray(values, np.float64)
    if not column.size or not np.isfinite(column).all():
        raise ProbeError(
            "expected at least one measurement and only finite ones, "
            f"got {int(np.isfinite(column).sum())} finite measurements of {column.size}"
        )
    if column.size < 2 * _FEW:
        return _around(float(np.median(column)), column)
    return _stretched(float(np.median(column)), [np.median(part) for part in _stretches(column)])


def measured(name: str, unit: str, values: Sequence[float] | Floats, how: str) -> Measurement:
    """A measurement from its samples."""
    return Measurement(name, unit, spread(values), len(values), how)


@dataclass(frozen=True, slots=True)
class Line:
    """seconds = startup + bytes / rate, with the range of both between stretches of rounds."""

    startup: Interval
    rate: Interval
    curve: TimeCurve
    samples: int


def line_of(name: str, sizes: Sequence[int], rounds: Sequence[Floats]) -> Line:
    """The line through the medians of each size's rounds; raises ProbeError when longer is not slower."""
    x = np.asarray(sizes, np.float64)
    y = np.array([np.median(column) for column in rounds])
    startup, rate = _line(x, y, name)
    startups, rates = [startup], [rate]
    for parts in zip(*(_stretches(column) for column in rounds), strict=False):
        try:
            one = _line(x, np.array([np.median(part) for part in parts]), name)
        except ProbeError:
            continue  # a disturbed stretch; the others still give a range
        startups.append(one[0])
        rates.append(one[1])
    curve = TimeCurve(name, tuple(x.tolist()), tuple(y.tolist()), tuple((startup + x / rate).tolist()))
    return Line(
        _stretched(startup, startups), _stretched(rate, rates), curve, sum(len(part) for part in rounds)
    )


def sturdy_line(name: str, sizes: Sequence[int], rounds: Sequence[Floats]) -> Line:
    """The line; where a busy machine made longer ones no slower, the smallest's time and the largest's rate."""
    try:
        return line_of(name, sizes, rounds)
    except ProbeError:
        startup, long = spread(rounds[0]), spread(rounds[-1])
        rate = Interval(sizes[-1] / long.high, sizes[-1] / long.estimate, sizes[-1] / long.low)
        seconds = [float(np.median(column)) for column in rounds]
        fitted = [startup.estimate + size / rate.estimate for size in sizes]
        curve = TimeCurve(name, tuple(map(float, sizes)), tuple(seconds), tuple(fitted))
        return Line(Interval(0.0, startup.estimate, startup.high), rate, curve, sum(map(len, rounds)))


def _line(sizes: Floats, seconds: Floats, name: str) -> tuple[float, float]:
    from striate.errors import QueueingError

    try:
        return line_through(sizes, np.maximum(seconds, 1e-12))
    except QueueingError as error:
        raise ProbeError(error.message, at=name) from None


def _stretches(column: Floats) -> list[Floats]:
    """The samples cut into stretches of time, each long enough for a median."""
    return np.array_split(column, max(1, min(_STRETCHES, len(column) // _FEW)))


def _stretched(value: float, others: Sequence[float]) -> Interval:
    low, high = np.percentile(others, [10, 90])
    return _around(value, [float(low), value, float(high)])


def _around(value: float, others: Sequence[float] | Floats) -> Interval:
    return Interval(float(min(others)), value, float(max(others)))
