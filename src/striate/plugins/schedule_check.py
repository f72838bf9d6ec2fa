"""Checks a schedule of a collective: every message is received, every rank gets what it must, and it ends.

Three claims, each of which a broken algorithm violates:

* pairs: every send has a receive of the same bytes, in the order in which the engine delivers;
* bytes: no rank sends or receives less than the call's data, whatever route it takes;
* delivery: played step by step, all steps end, and what a rank must hear of has reached it.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from striate.collectives.schedule import RECV, SEND, CollectiveSchedule, ScheduleError
from striate.plugins.protocols import CollectiveRequest

MOST_ACTIONS = (
    1 << 17
)  # of a schedule that is played step by step here; the engine finds deadlocks of larger ones
Int64s = NDArray[np.int64]


def check_schedule(schedule: CollectiveSchedule, request: CollectiveRequest) -> None:
    """Raise ScheduleError, naming rank and step, where the schedule is not sound for the call."""
    if schedule.size != request.size:
        raise ScheduleError(
            f"expected a schedule (prepared messages) of {request.size} ranks, got one of {schedule.size}"
        )
    _check_columns(schedule)
    schedule.check()
    partner = _partners(schedule)
    _check_bytes(schedule, request)
    if len(schedule.action) <= MOST_ACTIONS:
        _check_delivery(schedule, request, partner)


def _check_columns(schedule: CollectiveSchedule) -> None:
    """The columns of a schedule that was not made by a draft may have any shape."""
    actions, steps = len(schedule.action), len(schedule.instructions)
    ends = (
        (schedule.first_step, schedule.size + 1, steps),
        (schedule.first_action, steps + 1, actions),
    )
    sound = all(
        len(first) == length and first[0] == 0 and first[-1] == last and bool((np.diff(first) >= 0).all())
        for first, length, last in ends
    )
    columns = (schedule.peer, schedule.bytes, schedule.tag)
    if not sound or any(len(column) != actions for column in columns):
        raise ScheduleError(
            "expected a schedule (prepared messages) whose first_step rises from 0 to the number of steps and whose "
            "first_action rises from 0 to the number of actions, with one peer, size in bytes and tag per action"
        )
    wrong = schedule.action[~np.isin(schedule.action, (SEND, RECV))]
    if len(wrong):
        raise ScheduleError(
            f"expected actions of a schedule (prepared messages) {SEND} (send) or {RECV} (receive), got {wrong[0]}"
        )


def _partners(schedule: CollectiveSchedule) -> Int64s:
    """Per action the one it meets: the engine delivers the messages of a pair of ranks in the order they were sent."""
    rank = schedule.rank_of_action
    sends, receives = np.flatnonzero(schedule.action == SEND), np.flatnonzero(schedule.action == RECV)
    sends = sends[np.lexsort((sends, schedule.peer[sends], rank[sends]))]
    receives = receives[np.lexsort((receives, rank[receives], schedule.peer[receives]))]
    crossed = np.flatnonzero(schedule.tag[sends] != schedule.tag[receives])
    if crossed.size:
        one = sends[crossed[0]]
        raise ScheduleError(
            f"rank {rank[one]} sends to rank {schedule.peer[one]} in another order of tags than the receiver "
            "expects"
        )
    partner = np.empty(len(schedule.action), np.int64)
    partner[sends], partner[receives] = receives, sends
    return partner


def _check_bytes(schedule: CollectiveSchedule, request: CollectiveRequest) -> None:
    sent, received = least_bytes(request)
    tally = schedule.tally()
    for word, found, least in (
        ("sends", tally.sent_bytes, sent),
        ("receives", tally.received_bytes, received),
    ):
        short = np.flatnonzero(found < least)
        if short.size:
            rank = int(short[0])
            raise ScheduleError(
                f"expected rank {rank} to {word[:-1]} at least {least[rank]} bytes, got {found[rank]}"
            )


def least_bytes(request: CollectiveRequest) -> tuple[Int64s, Int64s]:
    """Bytes that each rank must send and receive at least, by whatever algorithm: what it alone has or must get."""
    size, root = request.size, request.root
    nothing = np.zeros(size, np.int64)
    if size == 1 or request.call == "barrier":
        return nothing, nothing
    part = np.asarray(request.bytes, np.int64)
    at_root = np.arange(size) == root
    if request.call == "alltoall":
        table = np.broadcast_to(
            part if part.ndim == 2 else part.reshape(-1, 1) if part.ndim else part, (size, size)
        )
        own = np.diagonal(table)
        return table.sum(axis=1) - own, table.sum(axis=0) - own
    own = np.broadcast_to(part, (size,))
    others = own.sum() - own
    match request.call:
        case "bcast":
            return np.where(at_root, own, 0), np.where(at_root, 0, own)
        case "reduce":
            return np.where(at_root, 0, own), np.where(at_root, own, 0)
        case "allreduce":
            return own, own
        case "gather":
            return np.where(at_root, 0, own), np.where(at_root, others, 0)
        case "scatter":
            return np.where(at_root, others, 0), np.where(at_root, 0, own)
        case "allgather":
            return own, others
        case "reduce_scatter":
            return others, own
        case "scan" | "exscan":
            first, last = np.arange(size) == 0, np.arange(size) == size - 1
            return np.where(last, 0, own), np.where(first, 0, own)
    return nothing, nothing


def must_hear(request: CollectiveRequest) -> list[int]:
    """Per rank a set, as bits, of the ranks whose data or word must have reached it at the end."""
    size, root = request.size, 1 << request.root
    part = np.broadcast_to(
        np.asarray(request.bytes) > 0, (size, size) if request.call == "alltoall" else (size,)
    )
    has = part.tolist()
    if request.call == "alltoall":
        return [sum(1 << source for source in range(size) if has[source][rank]) for rank in range(size)]
    everyone = (1 << size) - 1
    givers = sum(1 << rank for rank in range(size) if has[rank])
    match request.call:
        case "barrier":
            return [everyone] * size
        case "bcast" | "scatter":
            return [root * has[rank] for rank in range(size)]
        case "reduce" | "gather":
            return [givers if rank == request.root else 0 for rank in range(size)]
        case "scan" | "exscan":
            own = 2 if request.call == "scan" else 1
            return [(own << rank) - 1 if has[rank] else 0 for rank in range(size)]
        case "reduce_scatter":
            return [everyone if has[rank] else 0 for rank in range(size)]
    return [givers] * size


def _check_delivery(schedule: CollectiveSchedule, request: CollectiveRequest, partner: Int64s) -> None:
    heard = _played(schedule, partner)
    for rank, (found, wanted) in enumerate(zip(heard, must_hear(request), strict=True)):
        if missing := wanted & ~found:
            raise ScheduleError(f"rank {rank} never receives the data of rank {missing.bit_length() - 1}")


def _played(schedule: CollectiveSchedule, partner: Int64s) -> list[int]:
    """Which ranks, as bits, each one has heard of when all is over; refuses steps that never end."""
    first_step, first_action = schedule.first_step.tolist(), schedule.first_action.tolist()
    step_of = schedule.step_of_action.tolist()
    receives, meets = (schedule.action == RECV).tolist(), partner.tolist()
    rank_of_step = schedule.rank_of_step.tolist()
    heard = [1 << rank for rank in range(schedule.size)]
    known_at = [-1] * len(rank_of_step)  # what a rank had heard of when it began the step; -1: not begun
    current = list(first_step[:-1])
    ready = deque(range(schedule.size))
    while ready:
        rank = ready.popleft()
        while current[rank] < first_step[rank + 1]:
            step = current[rank]
            actions = range(first_action[step], first_action[step + 1])
            if known_at[step] < 0:
                known_at[step] = heard[rank]
                ready.extend({rank_of_step[step_of[meets[action]]] for action in actions})
            if any(receives[action] and known_at[step_of[meets[action]]] < 0 for action in actions):
                break
            for action in actions:
                if receives[action]:
                    heard[rank] |= known_at[step_of[meets[action]]]
            current[rank] += 1
    stuck = [rank for rank in range(schedule.size) if current[rank] < first_step[rank + 1]]
    if stuck:
        some = ", ".join(map(str, stuck[:8])) + (", ..." if len(stuck) > 8 else "")
        raise ScheduleError(f"the schedule (prepared messages) never ends: ranks {some} wait for each other")
    return heard
