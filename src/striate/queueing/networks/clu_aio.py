"""CLU-AIO: processors do their I/O as they come to it, each cluster on a disk of its own (paper 000, 4.3)."""

from __future__ import annotations

import numpy as np

from striate import _core
from striate.queueing.curves import Floats, Integers
from striate.queueing.networks.bounds import asymptotic_bounds
from striate.queueing.parameters import SpmdParameters
from striate.queueing.work import Work


class CluAio:
    """d classes of p/(cd) jobs on a shared bus, solved exactly by a one-dimensional integral."""

    name = "clu-aio"

    def refusal(self, group: int, processors: int, disks: int) -> str | None:
        if processors % group:
            return f"expected p to be a multiple of c = {group}, got p = {processors}"
        if processors // group % disks:
            return f"expected p/c to be a multiple of d = {disks}, got p/c = {processors // group}"
        return None

    def disk_seconds(self, spmd: SpmdParameters, processors: Integers, disks: Integers) -> Floats:
        return spmd.io_startup_seconds + spmd.io_transfer_seconds / (processors // spmd.group)  # eq. 13

    def times(self, work: Work, *, solver: str, loops: str) -> Floats:
        cpu, communication, io = self.split(work, solver=solver, loops=loops)
        return cpu + communication + io

    def split(self, work: Work, *, solver: str, loops: str) -> tuple[Floats, Floats, Floats]:
        row, disks = work.points.row, work.points.disks
        jobs = work.groups[row] // disks
        demands = work.cycle_delay[row], work.cycle_bus[row], work.disk
        if solver == "fast":
            computation, io = _core.linearizer_split(
                jobs.astype(np.float64), disks.astype(np.float64), *demands
            )
        else:
            computation, io = _core.clustered_split(jobs, disks, *demands)
        cpu = (work.computing * work.bursts)[row]
        return cpu, np.maximum(computation - cpu, 0), io

    def loads(self, work: Work) -> tuple[Floats, Floats, Floats, Floats]:
        row = work.points.row
        latency = (work.delay - work.computing) * work.bursts
        return (
            (work.computing * work.bursts)[row],
            latency[row],
            (work.groups * work.cycle_bus)[row],
            work.groups[row] // work.points.disks * work.disk,
        )

    def bounds(self, work: Work) -> tuple[Floats, Floats]:
        row, disks = work.points.row, work.points.disks
        jobs = work.groups[row]
        return asymptotic_bounds(jobs, jobs // disks, work.cycle_delay[row], work.cycle_bus[row], work.disk)
