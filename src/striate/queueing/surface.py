"""Speedup surfaces: a model solved over whole grids of processors and disks, and questions asked of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from striate.errors import QueueingError
from striate.queueing.curves import Floats, Integers
from striate.queueing.model import RESOURCES
from striate.queueing.program import Solvable
from striate.queueing.work import Points, whole_numbers

MOST_POINTS = 20_000_000
MOST_STEPS = 10**11  # steps of the recursions, about a minute's work


@dataclass(frozen=True, slots=True)
class SurfacePoint:
    """A point picked from a surface."""

    processors: int
    disks: int
    seconds: float
    speedup: float


@dataclass(frozen=True, eq=False)
class Surface:
    """T(p, d) on a grid, p along rows and d along columns; NaN where the model is not defined."""

    processors: Integers
    disks: Integers
    seconds: Floats
    model: Solvable

    @property
    def one_processor_seconds(self) -> float:
        return self.model.one_processor_seconds

    @property
    def speedup(self) -> Floats:
        return self.one_processor_seconds / self.seconds

    @property
    def efficiency(self) -> Floats:
        """Speedup per processor."""
        return self.speedup / self.processors[:, None]

    @cached_property
    def bottleneck_index(self) -> NDArray[np.intp]:
        """The bottleneck's place in `model.RESOURCES`; -1 where the model is not defined."""
        index = np.full(self.seconds.shape, -1, dtype=np.intp)
        defined = np.isfinite(self.seconds)
        index[defined] = self.model.point_bottlenecks(_points(self.processors, self.disks, defined))
        return index

    @property
    def bottleneck(self) -> NDArray[np.str_]:
        return np.array([*RESOURCES, ""])[self.bottleneck_index]

    def iso_efficiency(self, efficiency: float) -> dict[int, int]:
        """For each d, the most processors that still reach this speedup per processor, if any do."""
        if not efficiency > 0:
            raise QueueingError(f"expected an efficiency (speedup per processor) above 0, got {efficiency}")
        enough = self.efficiency >= efficiency
        found = {}
        for column, disks in enumerate(self.disks):
            reached = self.processors[enough[:, column]]
            if reached.size:
                found[int(disks)] = int(reached.max())
        return found

    def knee(self, disks: int) -> SurfacePoint:
        """Where another processor stops paying: the largest efficiency per second of execution time.

        Eager, Zahorjan and Lazowska, "Speedup versus efficiency in parallel systems" (1989): E(p) / T(p), or
        s(p)^2 / p but for a factor.
        """
        columns = np.flatnonzero(self.disks == disks)
        if not columns.size:
            raise QueueingError(
                f"expected a number of disks for which the speedup surface was computed, got {disks}"
            )
        worth = (self.speedup**2 / self.processors[:, None])[:, columns[0]]
        return self._choice(int(np.nanargmax(worth)), int(columns[0]))

    def best(self, budget: float, *, processor_cost: float = 1.0, disk_cost: float = 1.0) -> SurfacePoint:
        """The shortest time among the points that cost no more than `budget`; the cheaper of two equals."""
        if not (processor_cost >= 0 and disk_cost >= 0):
            raise QueueingError(
                f"expected costs of 0 or more per processor and disk, got {processor_cost} and {disk_cost}"
            )
        cost = processor_cost * self.processors[:, None] + disk_cost * self.disks[None, :]
        within = np.isfinite(self.seconds) & (cost <= budget)
        if not within.any():
            cheapest = float(np.min(cost, where=np.isfinite(self.seconds), initial=np.inf))
            raise QueueingError(
                f"expected a budget of at least {cheapest:g}, the cost of the cheapest point, got {budget:g}"
            )
        seconds = np.where(within, self.seconds, np.inf)
        ties = np.where(seconds == seconds.min(), cost, np.inf)
        row, column = np.unravel_index(int(np.argmin(ties)), ties.shape)
        return self._choice(int(row), int(column))

    def _choice(self, row: int, column: int) -> SurfacePoint:
        seconds = float(self.seconds[row, column])
        speedup = self.one_processor_seconds / seconds
        return SurfacePoint(int(self.processors[row]), int(self.disks[column]), seconds, speedup)


def surface(model: Solvable, processors: Iterable[int], disks: Iterable[int]) -> Surface:
    """Solve `model` at every p with every d; refuses when it is defined at none of them."""
    p = whole_numbers(_listed(processors), name="p (processors)")
    d = whole_numbers(_listed(disks), name="d (disks)")
    _refuse_endless(p, d)
    p, d = _rising(p), _rising(d)
    defined = model.defined(p[:, None], d[None, :])
    if not defined.any():
        raise QueueingError(
            model.refusal(int(p[0]), int(d[0]))
            or "expected a point of the grid at which the model is defined, got none"
        )
    times = model.point_times(_points(p, d, defined))
    if defined.all():
        return Surface(p, d, times.reshape(defined.shape), model)
    seconds = np.full(defined.shape, np.nan)
    seconds[defined] = times
    return Surface(p, d, seconds, model)


def _points(p: Integers, d: Integers, defined: NDArray[np.bool_]) -> Points:
    """The defined points of a grid, p outermost."""
    if defined.all():
        return Points.grid(p, d)
    rows, columns = np.nonzero(defined)
    return Points.scattered(p[rows], d[columns])[0]  # in order already, as rows rise


def _listed(values: Iterable[int]) -> NDArray[np.generic]:
    if isinstance(values, range):
        values = np.arange(values.start, values.stop, values.step)
    array = np.asarray(values if isinstance(values, np.ndarray) else list(values))
    if not array.size:
        raise QueueingError("expected at least one number of processors and of disks, got none")
    return np.atleast_1d(array)


def _rising(values: Integers) -> Integers:
    return values if (np.diff(values) > 0).all() else np.unique(values)


def _refuse_endless(p: Integers, d: Integers) -> None:
    if p.size * d.size > MOST_POINTS:
        raise QueueingError(
            f"expected a grid of processors and disks of at most {MOST_POINTS} points, got {p.size} x {d.size}"
        )
    steps = float(p.sum()) * (d.size / 8 + 1)
    if steps > MOST_STEPS:
        raise QueueingError(
            f"the speedup surface takes {steps:.1e} computing steps, more than {MOST_STEPS:.0e}: "
            "give fewer or smaller numbers of processors"
        )
