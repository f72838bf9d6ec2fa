"""Programs that share a machine, and machines whose disks differ: classes of jobs in one network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from striate.errors import QueueingError
from striate.queueing.curves import Floats
from striate.queueing.model import Model
from striate.queueing.networks.classes import class_cycle_seconds


@dataclass(frozen=True, slots=True)
class Sharing:
    """Seconds of a program beside others, and alone."""

    seconds: float
    alone_seconds: float

    @property
    def slowdown(self) -> float:
        return self.seconds / self.alone_seconds


def together(models: Sequence[Model], processors: Sequence[int], disks: int) -> tuple[Sharing, ...]:
    """Each program's time while all of them run on one network and one I/O node with `disks` disks (`bus-aio`).

    Program i runs on processors[i]. Times are those of a steady state in which no program ends.
    """
    if not models or len(models) != len(processors):
        raise QueueingError(
            "expected one number of processors per model, "
            f"got {len(processors)} numbers for {len(models)} models"
        )
    if any(model.kind != "bus-aio" for model in models):
        raise QueueingError(
            "expected models of kind bus-aio, where programs share the network and the disks, got "
            + ", ".join(sorted({model.kind for model in models}))
        )
    alone = [
        float(model.time(p, disks)) for model, p in zip(models, processors, strict=True)
    ]  # refuses bad points
    demands = [_demands(model, p, disks) for model, p in zip(models, processors, strict=True)]
    delay, bus, disk = np.array(demands).T
    jobs = np.array([p // model.spmd.group for model, p in zip(models, processors, strict=True)])
    cycles = class_cycle_seconds(jobs, delay, np.stack([bus, disk]))
    return tuple(
        Sharing(model.spmd.cycles * float(cycle), time)
        for model, cycle, time in zip(models, cycles, alone, strict=True)
    )


def on_unequal_disks(model: Model, processors: int, speeds: Sequence[float]) -> Floats:
    """The time of each cluster of a `clu-aio` program whose disks have these speeds, 1 the speed of the model.

    The network is shared, each disk serves its own cluster; the program ends with its slowest cluster.
    """
    rates = np.asarray(speeds, dtype=np.float64)
    if model.kind != "clu-aio" or rates.ndim != 1 or not (np.isfinite(rates) & (rates > 0)).all():
        raise QueueingError(
            "expected a model of kind clu-aio (each cluster of processors with its own disk) and a positive speed "
            "for each disk, "
            f"got kind {model.kind} and speeds {speeds!r:.60}",
            at="speeds",
        )
    model.time(processors, rates.size)  # refuses points where the model is not defined
    delay, bus, disk = _demands(model, processors, rates.size)
    count = rates.size
    jobs = np.full(count, processors // model.spmd.group // count)
    demands = np.vstack([np.full(count, bus), np.diag(disk / rates)])
    return model.spmd.cycles * class_cycle_seconds(jobs, np.full(count, delay), demands)


def _demands(model: Model, processors: int, disks: int) -> tuple[float, float, float]:
    """Delay, network and disk of one cycle."""
    delay, bus, disk = model.cycle_demands(processors, disks)
    return float(delay), float(bus), float(disk)
