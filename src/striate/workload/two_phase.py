"""A two-phase plan as operations: each round, ranks and aggregators exchange bytes and aggregators access the file.

for operation in two_phase_operations(plan, rank, "data", write=True):
    yield operation
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from striate.layout.two_phase import TwoPhasePlan
from striate.workload import operations as op
from striate.workload.operations import Operation


def two_phase_operations(plan: TwoPhasePlan, rank: int, file: Any, *, write: bool) -> Iterator[Operation]:
    """What `rank` does, round by round: a write exchanges first and accesses then, a read the other way round.

    An aggregator keeps its own bytes without a message.
    """
    for number in range(plan.rounds):
        if write:
            yield from _exchange(plan, rank, number, to_aggregators=True)
            yield from _accesses(plan, rank, number, file, op.write)
        else:
            yield from _accesses(plan, rank, number, file, op.read)
            yield from _exchange(plan, rank, number, to_aggregators=False)


def _exchange(plan: TwoPhasePlan, rank: int, number: int, *, to_aggregators: bool) -> Iterator[Operation]:
    moves = np.flatnonzero(plan.move_round == number)
    partners = plan.aggregators[plan.move_aggregator[moves]]
    busy = False
    for askers, aggregator, size in zip(plan.move_rank[moves], partners, plan.move_bytes[moves], strict=True):
        source, target = (askers, aggregator) if to_aggregators else (aggregator, askers)
        if source != target and rank in (source, target):
            busy = True
            call, peer = (op.isend, target) if rank == source else (op.irecv, source)
            yield call(int(peer), int(size), tag=number)
    if busy:
        yield op.waitall()


def _accesses(plan: TwoPhasePlan, rank: int, number: int, file: Any, call: Any) -> Iterator[Operation]:
    mine = (plan.access_round == number) & (plan.aggregators[plan.access_aggregator] == rank)
    for access in np.flatnonzero(mine):
        first, end = plan.first_access_run[access], plan.first_access_run[access + 1]
        yield call(
            file, extents=(plan.access_offset[first:end].tolist(), plan.access_size[first:end].tolist())
        )
