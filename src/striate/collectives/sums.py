"""What the collective calls of a program ask of its ranks in all, from the schedules that the engine plays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.collectives.book import HEADER_BYTES
from striate.collectives.calls import Call, CallSequences, Chooser, Listed, distinct_calls
from striate.collectives.choice import Choice
from striate.collectives.columns import LISTED, MEETS
from striate.collectives.registry import VIRTUAL, tally
from striate.collectives.schedule import ScheduleError
from striate.collectives.tally import SUMS, Int64s, Tally
from striate.errors import PredictionError
from striate.workload.application import Application
from striate.workload.kinds import Kind

Nodes = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveSums:
    """Sums per call and member as columns; core/include/striate/programs/collective_sums.hpp says what each means."""

    kind: NDArray[np.uint8]  # per call, as in a CollectiveBook
    members: Int64s
    root: Int64s
    bytes: Int64s
    algorithm: Int64s
    first_member: Int64s  # in the columns of `member`, or MEETS or LISTED
    member: Tally  # of one call, members counted from its root
    listed: tuple[
        Tally | None, ...
    ]  # per communicator: all its listed calls together, per rank of the program


def sums_of(
    application: Application, choice: Choice | None = None, nodes: Nodes | None = None
) -> CollectiveSums:
    """Sums of all collective calls of the application; `nodes` gives the node of each rank.

    Raises PredictionError for an unknown algorithm.
    """
    chooser = Chooser(application, choice or Choice())
    calls = sorted(distinct_calls(application))
    try:
        first, member = _alike(calls, chooser)
        placed = {call.kind for call, at in zip(calls, first, strict=True) if at == LISTED}
        listed = _listed(application, chooser, nodes, placed)
    except ScheduleError as error:
        raise PredictionError(error.message, at=application.name) from None
    columns = np.array(calls, np.int64).reshape(len(calls), len(Call._fields)).T
    kind, members, root, size_bytes, algorithm = (np.ascontiguousarray(column) for column in columns)
    return CollectiveSums(
        kind.astype(np.uint8), members, root, size_bytes, algorithm, np.array(first, np.int64), member, listed
    )


def _alike(calls: list[Call], chooser: Chooser) -> tuple[list[int], Tally]:
    """Where the sums of each call begin, and the sums; calls that differ in their root alone share them."""
    found: dict[tuple[Kind, str, int, int], int] = {}
    made: list[Tally] = []
    first, members = [], 0
    for call in calls:
        name = chooser.name(call.kind, call.members, call.bytes, call.algorithm)
        key = (call.kind, name, call.members, call.bytes)
        if name == VIRTUAL:
            found[key] = MEETS
        elif chooser.is_placed(call.kind, name):
            found[key] = LISTED
        elif key not in found:
            made.append(tally(call.kind.label, call.members, call.bytes, name=name).with_header(HEADER_BYTES))
            found[key] = members
            members += call.members
        first.append(found[key])
    return first, _concatenated(made)


def _concatenated(parts: list[Tally]) -> Tally:
    if not parts:
        return Tally.zeros(0)
    return Tally(*(np.concatenate([getattr(part, name) for part in parts]) for name in SUMS))


def _listed(
    application: Application, chooser: Chooser, nodes: Nodes | None, placed: set[Kind]
) -> tuple[Tally | None, ...]:
    """Per communicator the sums of calls whose sizes vary by rank, or whose schedule depends on the placement."""
    sequences = CallSequences(application, placed)
    found: dict[tuple[Any, ...], Tally] = {}
    sums: list[Tally | None] = []
    for number in range(len(application.communicators)):
        whole = Tally.zeros(application.ranks) if number in sequences.communicators else None
        sums.append(whole)
        if whole is None:
            continue
        for group, one in _calls_of_groups(sequences, number, chooser, nodes, found):
            for column, more in zip(whole.columns(), one.columns(), strict=True):
                column[group] += more
    return tuple(sums)


def _calls_of_groups(
    sequences: CallSequences,
    communicator: int,
    chooser: Chooser,
    nodes: Nodes | None,
    found: dict[tuple[Any, ...], Tally],
) -> Iterator[tuple[Int64s, Tally]]:
    """Every group with the sums of each of its different listed calls, as often as it makes them."""
    for listed, order in sequences.of_groups(communicator):
        for call, times in zip(listed, np.bincount(order, minlength=len(listed)).tolist(), strict=True):
            if (one := _tally_of(call, chooser, nodes, found)) is not None:
                yield call.group, one * times


def _tally_of(
    call: Listed, chooser: Chooser, nodes: Nodes | None, found: dict[tuple[Any, ...], Tally]
) -> Tally | None:
    asked = chooser.asked(call, nodes)
    if asked is None or asked.name == VIRTUAL:
        return None
    if asked.key not in found:
        made = tally(
            *(asked.kind, asked.members, call.sizes),
            name=asked.name,
            root=call.root,
            more=chooser.choice.more,
            **asked.options,
        )
        found[asked.key] = made.with_header(HEADER_BYTES)
    return found[asked.key]
