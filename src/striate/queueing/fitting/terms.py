"""A model as seven non-negative coefficients that enter its demands linearly: what a fit can turn.

    delay(p) = parallel h/p + serial h + startup m(p) + apart g(p)        (z n, paper 000 eq. 15)
    bus(p)   = contended g(p)                                             (x n, eq. 9)
    disk     = io_startup + io_transfer / chunks(p, d)                    (y, eq. 14)

`apart` is (1 - w) S_R and `contended` is w S_R, so that w and S_R are their ratio and their sum.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from striate.queueing.curves import Floats, Integers
from striate.queueing.networks.kinds import find_kind
from striate.queueing.parameters import SpmdParameters
from striate.queueing.work import Points, Work

COEFFICIENTS = ("parallel", "serial", "startup", "apart", "contended", "io_startup", "io_transfer")
PARALLEL, SERIAL, STARTUP, APART, CONTENDED, IO_STARTUP, IO_TRANSFER = range(7)


@dataclass(frozen=True, eq=False)
class Terms:
    """The shapes that the coefficients multiply, at given points."""

    shape: SpmdParameters
    kind: str
    solver: str
    points: Points
    groups: Integers
    delay_shapes: Floats  # rows x 4
    bus_shape: Floats  # rows
    chunks: Floats  # points
    _kept: dict[int, Points] = field(default_factory=dict)

    @classmethod
    def of(cls, shape: SpmdParameters, kind: str, solver: str, points: Points) -> Terms:
        """The shapes of a program whose times are all one second."""
        unit = shape.replace(
            parallel_seconds=1,
            serial_seconds=0,
            message_startup_seconds=1,
            transfer_seconds=1,
            io_startup_seconds=0,
            io_transfer_seconds=1,
        )
        p = points.processors
        waiting = np.full(p.size, float(shape.imbalance(shape.group)))
        shapes = np.stack(
            [unit.computing_seconds(p), waiting, unit.startup_seconds(p), unit.shares(p)], axis=1
        )
        chunks = find_kind(kind).disk_seconds(unit, points.point_processors, points.disks)
        return cls(shape, kind, solver, points, p // shape.group, shapes, unit.shares(p), chunks)

    @property
    def bursts(self) -> float:
        return self.shape.bursts_per_io

    def at(self, points: Points) -> Terms:
        """The same model at other points."""
        return Terms.of(self.shape, self.kind, self.solver, points)

    def times(self, coefficients: Floats) -> Floats:
        """Cycle times, one row per row of coefficients (seconds per cycle); all in one call of the core."""
        many = np.atleast_2d(coefficients)
        points = self._repeated(many.shape[0])
        delay = many[:, :4] @ self.delay_shapes.T
        bus = many[:, [CONTENDED]] * self.bus_shape
        disk = many[:, [IO_STARTUP]] + many[:, [IO_TRANSFER]] * self.chunks
        work = Work(
            points,
            points.processors // self.shape.group,
            self.bursts,
            delay.ravel() / self.bursts,
            delay.ravel() / self.bursts,
            bus.ravel() / self.bursts,
            disk.ravel(),
        )
        found = find_kind(self.kind).times(work, solver=self.solver, loops="geometric")
        return found.reshape(many.shape[0], -1)

    def _repeated(self, copies: int) -> Points:
        """The points, `copies` times over; kept, as a search asks for the same few numbers again and again."""
        if copies not in self._kept:
            self._kept[copies] = self.points.repeated(copies)
        return self._kept[copies]

    def program(self, coefficients: Floats) -> SpmdParameters:
        """The program with these coefficients."""
        transfer = coefficients[APART] + coefficients[CONTENDED]
        return self.shape.replace(
            parallel_seconds=coefficients[PARALLEL] / self.bursts,
            serial_seconds=coefficients[SERIAL] / self.bursts,
            message_startup_seconds=coefficients[STARTUP] / self.bursts,
            transfer_seconds=transfer / self.bursts,
            contention=coefficients[CONTENDED] / transfer if transfer > 0 else 0.0,
            io_startup_seconds=coefficients[IO_STARTUP],
            io_transfer_seconds=coefficients[IO_TRANSFER],
        )
