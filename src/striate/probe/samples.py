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
_GROUPS = 8  # of rounds, each with a line of its own: their spread is the range
_FEW = 10


@dataclass(frozen=True, slots=True)
class Measurement:
    """One number of a machine, in seconds, bytes per second or a count per second."""

    name: str
    unit: str  # "s", "B/s", "1/s", "processes"
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
    """The median between the 10th and the 90th percentile; between the extremes where values are few."""
    column = np.asarray(values, np.float64)
    if not column.size or not np.isfinite(column).all():
        raise ProbeError(f"expected finite measurements, got {column.size} values")
    edges = (0, 100) if column.size < _FEW else (10, 90)
    low, middle, high = np.percentile(column, [edges[0], 50, edges[1]])
    return Interval(float(low), float(middle), float(high))


def measured(name: str, unit: str, values: Sequence[float] | Floats, how: str) -> Measurement:
    """A measurement from its samples."""
    return Measurement(name, unit, spread(values), len(values), how)


@dataclass(frozen=True, slots=True)
class Line:
    """seconds = startup + bytes / rate, with the range of both between groups of rounds."""

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
    for group in range(_GROUPS):
        parts = [column[group::_GROUPS] for column in rounds]
        if min(len(part) for part in parts) == 0:
            continue
        try:
            one = _line(x, np.array([np.median(part) for part in parts]), name)
        except ProbeError:
            continue  # a disturbed group; the others still give a range
        startups.append(one[0])
        rates.append(one[1])
    curve = TimeCurve(name, tuple(x.tolist()), tuple(y.tolist()), tuple((startup + x / rate).tolist()))
    return Line(_around(startup, startups), _around(rate, rates), curve, sum(len(part) for part in rounds))


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


def _around(value: float, others: Sequence[float]) -> Interval:
    return Interval(min(others), value, max(others))
