"""Writes the schedules that a program's collective calls will run, one for every distinct call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from striate.errors import PredictionError
from striate.predict.collectives.registry import plan
from striate.predict.collectives.schedule import SEND, Schedule
from striate.predict.packets import CollectiveBook
from striate.workload.application import Application
from striate.workload.kinds import OPERANDS, Kind
from striate.workload.text import Int64s
from striate.workload.walk import lines

HEADER_BYTES = 20  # what a library puts before the data of a collective's message (paper 001's simulator)
ENGINE_SEND, ENGINE_RECV, ENGINE_WAIT, ENGINE_COMPUTE = range(4)  # core/include/striate/collective_book.hpp

Call = tuple[Kind, int, int, int]  # kind, members, root, bytes
PLAYED = frozenset(
    (
        Kind.BARRIER,
        Kind.BCAST,
        Kind.REDUCE,
        Kind.ALLREDUCE,
        Kind.GATHER,
        Kind.SCATTER,
        Kind.ALLGATHER,
        Kind.ALLTOALL,
        Kind.SCAN,
    )
)


def book_of(application: Application, algorithms: Mapping[str, str] | None = None) -> CollectiveBook:
    """Schedules for all collective calls of the application; `algorithms` names some, the rest are the defaults."""
    calls = sorted(set(_calls(application)))
    named = algorithms or {}
    return write_book([(call, _schedule(*call, named.get(call[0].label))) for call in calls])


def _schedule(kind: Kind, members: int, root: int, size_bytes: int, name: str | None) -> Schedule:
    return plan(kind.label, members, size_bytes, root=root, name=name).with_header(HEADER_BYTES)


def _calls(application: Application) -> Iterator[Call]:
    """Every distinct call; refuses those for which the engine has no schedule."""
    for line in lines(application):
        if not Kind.BARRIER <= line.kind <= Kind.REDUCE_SCATTER:
            continue
        if line.kind not in PLAYED:
            raise PredictionError(f"a {line.kind.label} is not played packet by packet yet")
        columns = {name: line.column(name) for name in ("root", "bytes") if name in OPERANDS[line.kind]}
        moving = [name for name in columns if any(line.strides(name))]
        if moving:
            raise PredictionError(
                f"the {moving[0]} of a {line.kind.label} moves with a loop, which is not played yet"
            )
        still = np.zeros_like(line.ranks)
        sizes = application.groups(line.communicator).size(line.ranks)
        root, size_bytes = columns.get("root", still), columns.get("bytes", still)
        for members, at, amount in {*zip(sizes.tolist(), root.tolist(), size_bytes.tolist(), strict=True)}:
            yield line.kind, members, at, amount


def write_book(schedules: list[tuple[Call, Schedule]]) -> CollectiveBook:
    """The schedules as the columns that the engine reads: per member its actions, a wait after every step."""
    if not schedules:
        return CollectiveBook.empty()
    actions: list[Int64s] = []
    counts: list[Int64s] = []
    for _, schedule in schedules:
        rows, per_member = _member_actions(schedule)
        actions.append(rows)
        counts.append(per_member)
    table = np.concatenate(actions)
    calls = [call for call, _ in schedules]
    members = np.array([call[1] for call in calls], np.int64)
    return CollectiveBook(
        kind=np.array([call[0] for call in calls], np.uint8),
        members=members,
        root=np.array([call[2] for call in calls], np.int64),
        bytes=np.array([call[3] for call in calls], np.int64),
        first_member=np.concatenate(([0], np.cumsum(members)[:-1])).astype(np.int64),
        first_action=np.concatenate(([0], np.cumsum(np.concatenate(counts)))).astype(np.int64),
        action=table[:, 0].astype(np.uint8),
        peer=table[:, 1].astype(np.int32),
        amount=np.ascontiguousarray(table[:, 2]),
    )


def _member_actions(schedule: Schedule) -> tuple[Int64s, Int64s]:
    """Rows (action, peer, amount) of all members in order, and how many each has.

    A step becomes: compute, where it has instructions; its sends and receives; a wait.
    """
    per_step = np.diff(schedule.first_action)
    steps = len(per_step)
    computes = schedule.instructions > 0
    lengths = per_step + 1 + computes
    start = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    rows = np.zeros((int(start[-1]), 3), np.int64)
    at = start[:-1]
    rows[at[computes], 0] = ENGINE_COMPUTE
    rows[at[computes], 2] = schedule.instructions[computes]
    place = np.repeat(at + computes - schedule.first_action[:-1], per_step) + np.arange(int(per_step.sum()))
    rows[place, 0] = np.where(schedule.action == SEND, ENGINE_SEND, ENGINE_RECV)
    rows[place, 1] = schedule.peer
    rows[place, 2] = schedule.bytes
    rows[start[1:] - 1, 0] = ENGINE_WAIT
    owner = schedule.rank_of_step
    assert len(owner) == steps
    return rows, np.bincount(owner, lengths, schedule.size).astype(np.int64)
