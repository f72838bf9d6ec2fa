"""Writes the schedules that a program's collective calls will run, one for every distinct call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.collectives.calls import (
    Call,
    CallSequences,
    Chooser,
    Listed,
    distinct_calls,
)
from striate.collectives.choice import Choice
from striate.collectives.columns import LISTED, MEETS, REACTS, CollectiveBook
from striate.collectives.registry import FAMILY, VIRTUAL, plan
from striate.collectives.schedule import SEND, CollectiveSchedule, ScheduleError
from striate.errors import PredictionError
from striate.workload.application import Application
from striate.workload.program import Int64s

HEADER_BYTES = 20  # what a library puts before the data of a collective's message (paper 001's simulator)
ENGINE_SEND, ENGINE_RECV, ENGINE_WAIT, ENGINE_COMPUTE = range(
    4
)  # core/include/striate/programs/collective_book.hpp

Entry = CollectiveSchedule | int  # a schedule, MEETS, LISTED or REACTS


def book_of(
    application: Application, choice: Choice | None = None, nodes: NDArray[np.integer[Any]] | None = None
) -> CollectiveBook:
    """Schedules for all collective calls of the application; `nodes` gives each rank's node.

    Raises PredictionError for an algorithm that is none.
    """
    chooser = Chooser(application, choice or Choice())
    try:
        entries = [(call, _entry(chooser, call)) for call in sorted(distinct_calls(application))]
        more, lists = _lists(entries, chooser, nodes)
        return replace(write_book(entries + more), **lists)
    except ScheduleError as error:
        raise PredictionError(error.message, at=application.name) from None


def _entry(chooser: Chooser, call: Call) -> Entry:
    name = chooser.name(call.kind, call.members, call.bytes, call.algorithm)
    if name == VIRTUAL:
        return MEETS
    if chooser.is_placed(call.kind, name):
        return LISTED
    return plan(call.kind.label, call.members, call.bytes, name=name, root=call.root).with_header(
        HEADER_BYTES
    )


def _lists(
    entries: list[tuple[Call, Entry]], chooser: Chooser, nodes: NDArray[np.integer[Any]] | None
) -> tuple[list[tuple[Call, Entry]], dict[str, Any]]:
    """Further schedules, and the columns that say which of them each group calls when.

    These are calls whose sizes vary by rank, or whose schedule depends on where the ranks run.
    """
    application = chooser.application
    sequences = CallSequences(
        application, {call.kind for call, entry in entries if isinstance(entry, int) and entry == LISTED}
    )
    if not sequences.communicators:
        return [], {}
    found: dict[Any, int] = {}
    reacting: dict[int, Any] = {}
    more: list[tuple[Call, Entry]] = []
    first_group, calls = [0], []
    for number in range(len(application.communicators)):
        for listed, order in sequences.of_groups(number):
            chosen = np.array(
                [_number(call, chooser, nodes, found, more, len(entries), reacting) for call in listed],
                np.int32,
            )
            made = chosen[order] if len(order) else chosen
            calls.append(made[made >= 0])
        first_group.append(len(calls))
    return more, {
        "first_group": np.array(first_group[:-1], np.int64),
        "first_call": np.concatenate(([0], np.cumsum([len(made) for made in calls]))).astype(np.int64),
        "call": np.concatenate(calls).astype(np.int32),
        "reacting": reacting,
    }


def _number(
    call: Listed,
    chooser: Chooser,
    nodes: NDArray[np.integer[Any]] | None,
    found: dict[Any, int],
    more: list[tuple[Call, Entry]],
    first: int,
    reacting: dict[int, Any],
) -> int:
    """The schedule of a call, written when it is new; -1 for a call that needs no place in the list."""
    asked = chooser.asked(call, nodes)
    if asked is None:
        return -1
    if asked.key not in found:
        found[asked.key] = first + len(more)
        entry: Entry = MEETS
        own = chooser.choice.more.get((FAMILY.get(asked.kind, asked.kind), asked.name))
        if own is not None and hasattr(own, "reacting"):
            entry = REACTS
            reacting[found[asked.key]] = own.reacting(asked.members, call.sizes, call.root, **asked.options)
        elif asked.name != VIRTUAL:
            made = plan(
                *(asked.kind, asked.members, call.sizes),
                name=asked.name,
                root=call.root,
                more=chooser.choice.more,
                **asked.options,
            )
            entry = made.with_header(HEADER_BYTES)
        # A key that no call looks up: this schedule is found by its place alone.
        more.append((Call(call.kind, asked.members, call.root, -1 - len(more), call.algorithm), entry))
    return found[asked.key]


def write_book(entries: Iterable[tuple[tuple[Any, ...], Entry]]) -> CollectiveBook:
    """The schedules as the columns that the engine reads: per member its actions, a wait after every step."""
    written = [(Call(*call), entry) for call, entry in entries]
    if not written:
        return CollectiveBook.empty()
    rows, counts, first_member = [np.empty((0, 3), np.int64)], [np.empty(0, np.int64)], []
    members = 0
    for call, entry in written:
        if not isinstance(entry, CollectiveSchedule):
            first_member.append(entry)
            continue
        mine, per_member = _member_actions(entry)
        rows.append(mine)
        counts.append(per_member)
        first_member.append(members)
        members += call.members
    table = np.concatenate(rows)
    calls = np.array([call for call, _ in written], np.int64)
    return CollectiveBook(
        kind=calls[:, 0].astype(np.uint8),
        members=np.ascontiguousarray(calls[:, 1]),
        root=np.ascontiguousarray(calls[:, 2]),
        bytes=np.ascontiguousarray(calls[:, 3]),
        algorithm=np.ascontiguousarray(calls[:, 4]),
        first_member=np.array(first_member, np.int64),
        first_action=np.concatenate(([0], np.cumsum(np.concatenate(counts)))).astype(np.int64),
        action=table[:, 0].astype(np.uint8),
        peer=table[:, 1].astype(np.int32),
        amount=np.ascontiguousarray(table[:, 2]),
    )


def _member_actions(schedule: CollectiveSchedule) -> tuple[Int64s, Int64s]:
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
