"""A program placed at points (p, d): the numbers the networks are solved from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.errors import QueueingError
from striate.queueing.curves import Floats, Integers
from striate.queueing.parameters import SpmdParameters

LARGEST = 2**31 - 1  # processors or disks; products of the two stay exact


@dataclass(frozen=True, slots=True)
class Points:
    """Points sorted into rows of equal p: point j of row i for starts[i] <= j < starts[i + 1]."""

    processors: Integers  # one per row
    starts: Integers
    row: NDArray[np.intp]  # of each point
    disks: Integers

    @classmethod
    def grid(cls, processors: Integers, disks: Integers) -> Points:
        """Every p with every d, p outermost."""
        rows, columns = processors.size, disks.size
        return cls(
            processors,
            np.arange(rows + 1, dtype=np.int64) * columns,
            np.repeat(np.arange(rows), columns),
            np.tile(disks, rows),
        )

    @classmethod
    def scattered(cls, processors: Integers, disks: Integers) -> tuple[Points, NDArray[np.intp]]:
        """Points in any order, and for each given point its place among the sorted ones."""
        order = np.argsort(processors, kind="stable")
        rows, first = np.unique(processors[order], return_index=True)
        starts = np.append(first, processors.size).astype(np.int64)
        place = np.empty(order.size, dtype=np.intp)
        place[order] = np.arange(order.size)
        return cls(rows, starts, np.repeat(np.arange(rows.size), np.diff(starts)), disks[order]), place

    def repeated(self, copies: int) -> Points:
        """The same points again and again, each time in rows of their own."""
        step, rows = self.starts[-1], self.processors.size
        again = np.arange(copies)[:, None]
        return Points(
            np.tile(self.processors, copies),
            np.append((again * step + self.starts[None, :-1]).ravel(), copies * step),
            (again * rows + self.row[None, :]).ravel(),
            np.tile(self.disks, copies),
        )

    @property
    def point_processors(self) -> Integers:
        return self.processors[self.row]


@dataclass(frozen=True, slots=True)
class Work:
    """Demands per row (one burst) and per point (one cycle), in seconds."""

    points: Points
    groups: Integers  # K = p / c, per row
    bursts: float  # n
    computing: Floats  # the CPU part of z, per row
    delay: Floats  # z, per row
    bus: Floats  # x, per row
    disk: Floats  # y, per point

    @classmethod
    def of(cls, spmd: SpmdParameters, points: Points, disk: Floats) -> Work:
        processors = points.processors
        return cls(
            points,
            processors // spmd.group,
            spmd.bursts_per_io,
            spmd.computing_seconds(processors),
            spmd.delay_seconds(processors),
            spmd.bus_seconds(processors),
            disk,
        )

    @property
    def cycle_delay(self) -> Floats:
        return self.delay * self.bursts

    @property
    def cycle_bus(self) -> Floats:
        return self.bus * self.bursts


def whole_numbers(values: Any, *, name: str) -> Integers:
    """Whole numbers from 1 up; refuses anything else by name."""
    array = np.asarray(values)
    whole = array.dtype.kind in "iu" or (
        array.dtype.kind == "f" and np.isfinite(array).all() and bool(np.all(np.mod(array, 1) == 0))
    )
    if not whole:
        raise QueueingError(f"expected whole numbers for {name}, got {_short(values)}")
    outside = (array < 1) | (array > LARGEST)
    if outside.any():
        found = array[outside].flat[0]
        wanted = "at least 1" if found < 1 else f"at most {LARGEST}"
        raise QueueingError(f"expected {name} of {wanted}, got {found:g}")
    return array.astype(np.int64)


def _short(values: Any) -> str:
    text = repr(values)
    return text if len(text) <= 40 else text[:37] + "..."
