"""SIO: processors compute and communicate, wait for the last one, then do I/O together (paper 000, 4.1)."""

from __future__ import annotations

import numpy as np
from scipy.special import digamma

from striate import _core
from striate.errors import QueueingError
from striate.queueing.curves import Floats, Integers
from striate.queueing.imbalance import EULER
from striate.queueing.networks.bounds import fork_join_bounds
from striate.queueing.networks.fixed_loops import fixed_loop_seconds
from striate.queueing.networks.quadrature import fork_join_fast
from striate.queueing.parameters import SpmdParameters
from striate.queueing.work import Work

LARGEST_EXACT = 20_000  # groups; the exact chain takes K^2 / 2 steps
MOST_STEPS = 4e10  # of all chains together, about a minute


class Sio:
    """A fork, a delay and a bus, a join, and the disks after it."""

    name = "sio"

    def refusal(self, group: int, processors: int, disks: int) -> str | None:
        if processors % group:
            return f"expected p to be a multiple of c = {group}, got p = {processors}"
        return None

    def disk_seconds(self, spmd: SpmdParameters, processors: Integers, disks: Integers) -> Floats:
        return spmd.io_startup_seconds + spmd.io_transfer_seconds / disks  # eq. 18

    def times(self, work: Work, *, solver: str, loops: str) -> Floats:
        return self._burst(work, solver=solver, loops=loops)[work.points.row] + work.disk

    def split(self, work: Work, *, solver: str, loops: str) -> tuple[Floats, Floats, Floats]:
        """CPU is what the burst would take with no communication at all, waiting for the last included."""
        burst = self._burst(work, solver=solver, loops=loops)
        if loops == "fixed":
            cpu = fixed_loop_seconds(work.groups, work.computing, np.zeros_like(work.bus), work.bursts)
        else:
            cpu = work.bursts * work.computing * _harmonics(work.groups)
        row = work.points.row
        return cpu[row], np.maximum(burst - cpu, 0)[row], work.disk

    def loads(self, work: Work) -> tuple[Floats, Floats, Floats, Floats]:
        row = work.points.row
        waiting = _harmonics(work.groups) * work.bursts
        latency = work.delay - work.computing
        bus = work.groups * work.cycle_bus
        return (work.computing * waiting)[row], (latency * waiting)[row], bus[row], work.disk

    def bounds(self, work: Work) -> tuple[Floats, Floats]:
        """Of the geometric number of bursts."""
        low, high = fork_join_bounds(work.groups, _harmonics(work.groups), work.delay, work.bus, work.bursts)
        return low[work.points.row] + work.disk, high[work.points.row] + work.disk

    def _burst(self, work: Work, *, solver: str, loops: str) -> Floats:
        rows = work.groups, work.delay, work.bus, np.full(work.groups.size, work.bursts)
        if loops == "fixed":
            if solver == "exact":
                raise QueueingError(
                    "there is no exact solver for a model of kind sio with `loops` 'fixed' (a fixed number of bursts "
                    "per I/O); use solver 'paper'"
                )
            return fixed_loop_seconds(work.groups, work.delay, work.bus, work.bursts)
        if solver == "fast":
            return fork_join_fast(*rows)
        if solver == "exact":
            _refuse_endless(work.groups)
            return _in_turn(rows)
        return np.asarray(_core.fork_join(*rows, False))


def _refuse_endless(groups: Integers) -> None:
    if groups.max(initial=0) > LARGEST_EXACT:
        raise QueueingError(
            f"expected at most {LARGEST_EXACT} groups of processors for the exact solver of kind sio, "
            f"got {groups.max()}"
        )
    steps = float((groups.astype(np.float64) ** 2).sum() / 2)
    if steps > MOST_STEPS:
        raise QueueingError(
            f"expected at most {MOST_STEPS:.0e} steps of the exact solver of kind sio, got {steps:.0e}: "
            "give fewer or smaller numbers of processors"
        )


def _in_turn(rows: tuple[Integers, Floats, Floats, Floats]) -> Floats:
    """The exact chains, some rows at a time, so that an interrupt is heard between."""
    jobs, delay, bus, loops = rows
    parts = [
        _core.fork_join(jobs[some], delay[some], bus[some], loops[some], True)
        for some in (slice(first, first + 64) for first in range(0, jobs.size, 64))
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _harmonics(groups: Integers) -> Floats:
    return np.asarray(digamma(groups + 1.0) + EULER)
