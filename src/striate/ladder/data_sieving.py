"""Independent accesses with gaps, as an MPI library with data sieving carries them out (`settings.data_sieving`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from striate.cluster.cluster import Cluster
from striate.workload import operations
from striate.workload.application import Application
from striate.workload.calls.operation import Operation
from striate.workload.kinds import NO_EXTENTS, Kind
from striate.workload.sieving import ListedRuns, Runs, Sieving, StridedRuns, usual_sieving
from striate.workload.transforms.rewrite import MOST_STEPS, rewritten
from striate.workload.walk import lines
from striate.workload.workload import Workload

_VERBS = {Kind.READ: "read", Kind.WRITE: "write"}


def carried_out(workload: Workload, cluster: Cluster) -> Workload:
    """The program whose accesses with gaps are buffers that are read and written back; itself where none are.

    What was recorded, and calls that do not block, stay as they are; so do very long programs, which say so.
    """
    if not cluster.settings.data_sieving or workload.recorded or workload.order_guessed:
        return workload
    if not any(map(_has_gaps, workload.applications)):
        return workload
    steps = sum(line.times * len(line.ranks) for one in workload.applications for line in lines(one))
    if steps > MOST_STEPS:
        words = "accesses with gaps count without data sieving: the program is too long to rewrite"
        return replace(workload, notes=(*workload.notes, words))
    sieving = usual_sieving()
    return replace(
        workload,
        applications=rewritten(workload, lambda rank, steps: _sieved(steps, sieving)).applications,
    )


def _has_gaps(application: Application) -> bool:
    for line in lines(application, kinds=_VERBS):
        strided = np.max(line.highest("count")) > 1 and np.max(line.highest("stride")) > 0
        if strided or np.max(line.highest("extents")) != NO_EXTENTS:
            return True
    return False


def _sieved(steps: Iterator[Operation], sieving: Sieving) -> Iterator[Operation]:
    for step in steps:
        runs = _runs(step)
        if runs is None:
            yield step
            continue
        for verb, offset, length in sieving.pieces(_VERBS[step.kind], runs):
            yield getattr(operations, verb)(step.operands[0], offset=offset, size=length)


def _runs(step: Operation) -> Runs | None:
    """The bytes of a blocking independent access with gaps; None of any other."""
    if step.kind not in _VERBS or step.is_pending:
        return None
    _, offset, size, count, stride, extents, _ = step.operands
    if isinstance(extents, int):
        return StridedRuns(offset, count, size, stride) if count > 1 and stride > size > 0 else None
    if not size:
        return None
    listed = ListedRuns(offset + extents.offsets, extents.sizes)
    return listed if listed.last - listed.first > size else None
