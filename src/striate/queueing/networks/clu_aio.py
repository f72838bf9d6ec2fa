"""CLU-AIO: processors do their I/O as they come to it, each cluster on a disk of its own (paper 000, 4.3)."""

from __future__ import annotations

import numpy as np

from striate import _core
from striate.queueing.curves import Floats, Integers
from striate.queueing.networks.bounds import asymptotic_bounds
from striate.queueing.networks.bus_aio import BusAio
from striate.queueing.parameters import SpmdParameters
from striate.queueing.work import Work


class CluAio(BusAio):
    """d classes of p/(cd) jobs on a shared bus, solved exactly by a one-dimensional integral."""

    name = "clu-aio"

    def refusal(self, group: int, processors: int, disks: int) -> str | None:
        if processors % group == 0 and processors // group % disks:
            return f"expected p/c to be a multiple of d = {disks}, got p/c = {processors // group}"
        return super().refusal(group, processors, disks)

    def disk_seconds(self, spmd: SpmdParameters, processors: Integers, disks: Integers) -> Floats:
        return spmd.io_startup_seconds + spmd.io_transfer_seconds / (processors // spmd.group)  # eq. 13

    def times(self, work: Work, *, solver: str, loops: str) -> Floats:
        cpu, communication, io = self.split(work, solver=solver, loops=loops)
        return cpu + communication + io

    def _parts(self, work: Work, *, solver: str) -> tuple[Floats, Floats]:
        row, disks, jobs = work.points.row, work.points.disks, self._jobs_per_disk(work)
        demands = work.cycle_delay[row], work.cycle_bus[row], work.disk
        if solver == "fast":
            return _core.linearizer_split(jobs.astype(np.float64), disks.astype(np.float64), *demands)
        return _core.clustered_split(jobs, disks, *demands)

    def _jobs_per_disk(self, work: Work) -> Integers:
        return work.groups[work.points.row] // work.points.disks

    def bounds(self, work: Work) -> tuple[Floats, Floats]:
        row = work.points.row
        jobs = work.groups[row], self._jobs_per_disk(work)
        return asymptotic_bounds(*jobs, work.cycle_delay[row], work.cycle_bus[row], work.disk)
