"""BUS-AIO: processors do their I/O as they come to it, through one I/O node with d disks (paper 000, 4.2)."""

from __future__ import annotations

import numpy as np

from striate import _core
from striate.queueing.curves import Floats, Integers
from striate.queueing.networks.bounds import balanced_job_bounds
from striate.queueing.parameters import SpmdParameters
from striate.queueing.work import Work


class BusAio:
    """A delay and two queues, solved exactly (eqs. 20-22, population p/c, both sums over L_(p/c-1))."""

    name = "bus-aio"

    def refusal(self, group: int, processors: int, disks: int) -> str | None:
        if processors % group:
            return f"expected p to be a multiple of c = {group}, got p = {processors}"
        return None

    def disk_seconds(self, spmd: SpmdParameters, processors: Integers, disks: Integers) -> Floats:
        # eq. 19: a chunk is 1 / (p/c) of the burst, striped over d disks
        shares = (processors // spmd.group) * disks
        return spmd.io_startup_seconds + spmd.io_transfer_seconds / shares

    def times(self, work: Work, *, solver: str, loops: str) -> Floats:
        if solver != "fast":
            return np.asarray(_core.bus_times(*_rows(work)))
        cpu, communication, io = self.split(work, solver=solver, loops=loops)
        return cpu + communication + io

    def split(self, work: Work, *, solver: str, loops: str) -> tuple[Floats, Floats, Floats]:
        bursts, io = self._parts(work, solver=solver)
        cpu = (work.computing * work.bursts)[work.points.row]
        return cpu, np.maximum(bursts - cpu, 0), io

    def _parts(self, work: Work, *, solver: str) -> tuple[Floats, Floats]:
        """Seconds of the bursts, and of the I/O, at every point."""
        if solver != "fast":
            return _core.bus_split(*_rows(work))
        row = work.points.row
        jobs = work.groups[row].astype(np.float64)
        return _core.linearizer_split(
            jobs, np.ones(row.size), work.cycle_delay[row], work.cycle_bus[row], work.disk
        )

    def loads(self, work: Work) -> tuple[Floats, Floats, Floats, Floats]:
        row, latency = work.points.row, (work.delay - work.computing) * work.bursts
        bus = work.groups * work.cycle_bus
        return (
            (work.computing * work.bursts)[row],
            latency[row],
            bus[row],
            self._jobs_per_disk(work) * work.disk,
        )

    def _jobs_per_disk(self, work: Work) -> Integers:
        return work.groups[work.points.row]

    def bounds(self, work: Work) -> tuple[Floats, Floats]:
        row = work.points.row
        return balanced_job_bounds(work.groups[row], work.cycle_delay[row], work.cycle_bus[row], work.disk)


def _rows(work: Work) -> tuple[Integers, Floats, Floats, Integers, Floats]:
    return work.groups, work.cycle_delay, work.cycle_bus, work.points.starts, work.disk
