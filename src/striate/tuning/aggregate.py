"""Collective accesses as two-phase I/O: chosen ranks gather what all ask for, and access the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from striate.errors import TuningError
from striate.layout.extents import Extents
from striate.layout.two_phase import TwoPhasePlan, plan_two_phase
from striate.workload.application import WORLD, Application
from striate.workload.kinds import Kind
from striate.workload.operations import Operation
from striate.workload.rewrite import operations_of, rewritten
from striate.workload.two_phase import two_phase_operations
from striate.workload.workload import Workload

_COLLECTIVE = (Kind.READ_ALL, Kind.WRITE_ALL)


def aggregated(workload: Workload, *, aggregators: int, buffer_bytes: int, align_bytes: int) -> Workload:
    """The workload in which `aggregators` ranks, evenly spread, do the I/O of every call of all ranks.

    Calls of smaller groups stay as they are. Refuses more aggregators than ranks.
    """
    if not 1 <= aggregators <= workload.ranks:
        raise TuningError(f"expected 1 to {workload.ranks} aggregators, got {aggregators}")
    return Workload.together(
        *(_aggregated(one, aggregators, buffer_bytes, align_bytes) for one in workload.applications)
    )


def _aggregated(application: Application, aggregators: int, buffer_bytes: int, align_bytes: int) -> Workload:
    plans = _plans(application, aggregators, buffer_bytes, align_bytes)
    return rewritten(Workload((application,)), lambda rank, steps: _two_phase(rank, steps, plans))


def is_together(operation: Operation) -> bool:
    """True for a collective access of all ranks."""
    return operation.kind in _COLLECTIVE and operation.communicator == WORLD


def asked_runs(operation: Operation) -> Extents:
    """The byte runs that an access asks for."""
    _, offset, size, count, stride, extents, _ = operation.operands
    if isinstance(extents, tuple):
        return Extents(np.asarray(extents[0]) + offset, extents[1])
    offsets = offset + stride * np.arange(count, dtype=np.int64)
    return Extents(offsets, np.full(count, size, np.int64))


def _plans(
    application: Application, aggregators: int, buffer_bytes: int, align_bytes: int
) -> list[TwoPhasePlan]:
    """One plan for every collective access, in order."""
    calls = [
        [asked_runs(step) for step in operations_of(application, rank) if is_together(step)]
        for rank in range(application.ranks)
    ]
    spread = [number * application.ranks // aggregators for number in range(aggregators)]
    return [_plan(asked, spread, buffer_bytes, align_bytes) for asked in zip(*calls, strict=True)]


def _plan(
    asked: Sequence[Extents], aggregators: list[int], buffer_bytes: int, align_bytes: int
) -> TwoPhasePlan:
    return plan_two_phase(asked, aggregators=aggregators, buffer_bytes=buffer_bytes, align_bytes=align_bytes)


def _two_phase(rank: int, steps: Iterator[Operation], plans: Sequence[TwoPhasePlan]) -> Iterator[Operation]:
    number = 0
    for step in steps:
        if not is_together(step):
            yield step
            continue
        write = step.kind is Kind.WRITE_ALL
        yield from two_phase_operations(plans[number], rank, step.operands[0], write=write)
        number += 1
