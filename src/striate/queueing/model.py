"""A program on a kind of machine: times, speedups and what they are made of, at any p and d."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.errors import QueueingError
from striate.queueing.curves import Floats, Integers
from striate.queueing.networks.kinds import LOOPS, SOLVERS, NetworkModel, find_kind
from striate.queueing.parameters import SpmdParameters
from striate.queueing.work import Points, Work, whole_numbers

RESOURCES = ("processors", "network latency", "network contention", "disks")

Number = float | Floats


@dataclass(frozen=True, slots=True)
class Components:
    """Where a cycle's seconds go; each a number, or an array over points."""

    cpu: Any
    communication: Any
    io: Any

    @property
    def total(self) -> Any:
        return self.cpu + self.communication + self.io


@dataclass(frozen=True, slots=True)
class Utilisation:
    """The busy share of each resource, 0 to 1."""

    processors: Any
    network: Any
    disks: Any


@dataclass(frozen=True, slots=True)
class Bounds:
    """The exact time lies between these seconds."""

    low: Any
    high: Any


@dataclass(frozen=True)
class Model:
    """`SpmdParameters` on one of the machines `sio`, `bus-aio`, `clu-aio`.

    `solver`: `paper` is the paper's method with its printed slips corrected; `exact` differs for `sio` alone;
    `fast` is Linearizer, whose cost does not grow with p. `loops`: whether the bursts between two I/O
    bursts are a random number (`geometric`, as the paper has it) or always the same (`fixed`); the mean cycle
    of `bus-aio` and `clu-aio` does not depend on it, as theirs are product-form networks.

    Every method takes whole numbers or arrays of them, which broadcast, and refuses points where the model is
    not defined. Seconds are those of the whole phase, all its cycles.
    """

    spmd: SpmdParameters
    kind: str = "bus-aio"
    solver: str = "paper"
    loops: str = "geometric"

    def __post_init__(self) -> None:
        find_kind(self.kind)
        for name, value, known in (("solver", self.solver, SOLVERS), ("loops", self.loops, LOOPS)):
            if value not in known:
                raise QueueingError(f"expected `{name}` among {', '.join(known)}, got {value!r}", at=name)

    @property
    def one_processor_seconds(self) -> float:
        """The reference of speedups: all cycles on one processor and one disk."""
        return self.spmd.cycles * self.spmd.one_processor_seconds

    def time(self, processors: Any, disks: Any) -> Any:
        """T(p, d) in seconds (paper 000, eq. 2)."""
        return self._at(processors, disks, self.point_times)

    def speedup(self, processors: Any, disks: Any) -> Any:
        """T1 / T(p, d) (paper 000, eq. 3)."""
        return self.one_processor_seconds / self.time(processors, disks)

    def components(self, processors: Any, disks: Any) -> Components:
        """CPU, communication and I/O, which add up to the time; waiting counts where it is waited for."""
        return Components(*self._at(processors, disks, self.point_components))

    def utilisation(self, processors: Any, disks: Any) -> Utilisation:
        """How busy processors, the shared network and the disks are."""
        return Utilisation(*self._at(processors, disks, self.point_utilisation))

    def bottleneck(self, processors: Any, disks: Any) -> Any:
        """The resource that alone keeps the cycle longest, one of `RESOURCES`."""
        names = np.array(RESOURCES)[self._at(processors, disks, self.point_bottlenecks)]
        return str(names) if names.ndim == 0 else names

    def bounds(self, processors: Any, disks: Any) -> Bounds:
        """Proved bounds on the exact time: balanced job bounds for `bus-aio`, asymptotic ones otherwise."""
        if self.kind == "sio" and self.loops == "fixed":
            raise QueueingError(
                'expected `loops` (distribution of the number of bursts per I/O) "geometric" for bounds of a model '
                'of kind sio, got "fixed"',
                at="loops",
            )
        return Bounds(*self._at(processors, disks, self.point_bounds))

    def least_seconds(self, processors: Any, disks: Any) -> Any:
        """No law of the times makes it shorter: a job that waits for nobody, or the work of the busiest station."""
        return self._at(processors, disks, self.point_least)

    def cycle_demands(self, processors: Any, disks: Any) -> Any:
        """Delay, time at the network and time at the disk of one cycle, without any waiting."""
        return self._at(processors, disks, self.point_demands)

    # The same for points already sorted into rows and known to be defined.

    def point_times(self, points: Points) -> Floats:
        work = self._work(points)
        return self._defined(self.spmd.cycles * self._kind.times(work, solver=self.solver, loops=self.loops))

    def point_components(self, points: Points) -> tuple[Floats, Floats, Floats]:
        cpu, communication, io = self._kind.split(self._work(points), solver=self.solver, loops=self.loops)
        cycles = self.spmd.cycles
        return self._defined(cycles * cpu), self._defined(cycles * communication), self._defined(cycles * io)

    def point_utilisation(self, points: Points) -> tuple[Floats, Floats, Floats]:
        work = self._work(points)
        cycle = self._kind.times(work, solver=self.solver, loops=self.loops)
        _, _, bus, disks = self._kind.loads(work)
        waiting = float(self.spmd.imbalance(self.spmd.group))  # h(c) is idling, not work
        busy = (work.bursts * work.computing / waiting)[points.row]
        return busy / cycle, np.minimum(bus / cycle, 1.0), np.minimum(disks / cycle, 1.0)

    def point_demands(self, points: Points) -> tuple[Floats, Floats, Floats]:
        work = self._work(points)
        return work.cycle_delay[points.row], work.cycle_bus[points.row], work.disk

    def point_least(self, points: Points) -> Floats:
        work = self._work(points)
        alone = (work.cycle_delay + work.cycle_bus)[points.row]
        *_, bus, disks = self._kind.loads(work)
        together = alone + work.disk
        return self.spmd.cycles * np.maximum(together, np.maximum(bus, disks))

    def point_bottlenecks(self, points: Points) -> NDArray[np.intp]:
        return np.asarray(np.argmax(np.stack(self._kind.loads(self._work(points))), axis=0))

    def point_bounds(self, points: Points) -> tuple[Floats, Floats]:
        low, high = self._kind.bounds(self._work(points))
        return self.spmd.cycles * low, self.spmd.cycles * high

    def defined(self, processors: Integers, disks: Integers) -> NDArray[np.bool_]:
        """Which points the model is defined at; arrays that broadcast."""
        groups, left = np.divmod(processors, self.spmd.group)
        whole = (left == 0) & (disks > 0)
        return np.asarray(whole & (groups % disks == 0) if self.kind == "clu-aio" else whole)

    def refusal(self, processors: int, disks: int) -> str | None:
        """Why the model is not defined there, or None."""
        return self._kind.refusal(self.spmd.group, processors, disks)

    @property
    def _kind(self) -> NetworkModel:
        return find_kind(self.kind)

    def _work(self, points: Points) -> Work:
        disk = self._kind.disk_seconds(self.spmd, points.point_processors, points.disks)
        return Work.of(self.spmd, points, disk)

    def _defined(self, seconds: Floats) -> Floats:
        if not np.isfinite(seconds).all():
            raise QueueingError("expected modelled times of at most 1.79e308 s, got a larger one")
        return seconds

    def _at(self, processors: Any, disks: Any, solve: Callable[[Points], Any]) -> Any:
        p, d = np.broadcast_arrays(
            whole_numbers(processors, name="p (processors)"), whole_numbers(disks, name="d (disks)")
        )
        good = self.defined(p, d)
        if not good.all():
            where = np.unravel_index(int(np.argmin(good)), good.shape)
            raise QueueingError(self.refusal(int(p[where]), int(d[where])) or "no such point")
        points, place = Points.scattered(p.ravel(), d.ravel())
        found = solve(points)
        shaped = [
            column[place].reshape(p.shape) for column in (found if isinstance(found, tuple) else (found,))
        ]
        plain = [column.item() if column.ndim == 0 else column for column in shaped]
        return tuple(plain) if isinstance(found, tuple) else plain[0]
