"""Calls in which ranks of a communicator meet, matched by their turn: who made which, from whom bytes come."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from striate.arrow import distinct
from striate.trace.trace import Trace

Int64s = NDArray[np.int64]


def called_by_all(trace: Trace, kind: str) -> NDArray[np.bool_]:
    """Communicators whose members made equally many calls of a kind; a group may also make some by itself."""
    known = trace.header.communicators
    found = np.zeros(len(known), bool)
    rows = trace.of_kind(kind) & (trace.column("communicator") >= 0)
    counts = np.zeros((len(known), trace.ranks), np.int64)
    np.add.at(counts, (trace.column("communicator")[rows], trace.column("rank")[rows]), 1)
    for number, one in enumerate(known):
        members = counts[number] if one.members is None else counts[number][list(one.members)]
        found[number] = bool(len(members) and members.min() > 0 and members.min() == members.max())
    return found


def turns(*keys: Int64s) -> Int64s:
    """How many rows with the same keys came before each."""
    order = np.lexsort((np.arange(len(keys[0])), *keys))
    new = np.ones(len(order), bool)
    new[1:] = np.logical_or.reduce([key[order][1:] != key[order][:-1] for key in keys])
    begin = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    found = np.empty(len(order), np.int64)
    found[order] = np.arange(len(order)) - begin
    return found


def _meetings(trace: Trace, kind: str, place: str = "communicator") -> tuple[Int64s, Int64s]:
    """Rows of a kind, and the number of the meeting each is part of; ranks meet on a communicator, or on a file."""
    rows = np.flatnonzero(trace.of_kind(kind))
    rank, communicator = (trace.column(name)[rows].astype(np.int64) for name in ("rank", place))
    _, number = np.unique(np.stack([communicator, turns(rank, communicator)]), axis=1, return_inverse=True)
    return rows, number.ravel().astype(np.int64)


def metadata_nanoseconds(trace: Trace) -> Int64s:
    """Per row that opens, closes, looks at or deletes a file: how long that took, once all had come."""
    spent = np.zeros(len(trace), np.int64)
    for kind in ("open", "close", "stat", "delete"):
        spent += after_the_last(trace, kind, "file")
    alone = trace.of_kind("open", "close", "stat", "delete") & ~trace.column("collective")
    return np.where(alone, trace.column("end") - trace.column("start"), spent)


def after_the_last(trace: Trace, kind: str, place: str = "communicator") -> Int64s:
    """Per row: nanoseconds that a call of this kind took after the last member had entered it; 0 for others."""
    rest = np.zeros(len(trace), np.int64)
    rows, meeting = _meetings(trace, kind, place)
    if not len(rows):
        return rest
    start, end = trace.column("start")[rows], trace.column("end")[rows]
    last = np.zeros(int(meeting.max()) + 1, np.int64)
    np.maximum.at(last, meeting, start)
    rest[rows] = np.maximum(end - np.maximum(last[meeting], start), 0)
    return rest


def heard_from(trace: Trace) -> dict[int, list[int]]:
    """Per row of a neighbourhood collective: positions in the communicator of those who send to it."""
    rows, meeting = _meetings(trace, "neighbor")
    rank, communicator = (trace.column(name)[rows].astype(np.int64) for name in ("rank", "communicator"))
    number = trace.column("extents")[rows]
    place: dict[tuple[int, int], int] = {}  # communicator, world rank -> position
    for one in distinct(communicator).tolist():
        members = trace.header.communicators[one].members if one >= 0 else None
        order = range(trace.ranks) if members is None else members
        place.update(((one, member), position) for position, member in enumerate(order))
    row_of = {(int(m), place[int(c), int(r)]): row for row, m, c, r in zip(
        rows.tolist(), meeting, communicator, rank, strict=True
    ) if (int(c), int(r)) in place}  # fmt: skip
    sources: dict[int, list[int]] = {row: [] for row in rows.tolist()}
    for (one, sender), row in sorted(row_of.items()):
        listed = int(number[np.searchsorted(rows, row)])
        for target in targets(trace, listed):
            if (one, target) in row_of:
                sources[row_of[one, target]].append(sender)
    return sources


def targets(trace: Trace, listed: int) -> list[int]:
    """Positions that a list of bytes by peer sends something to."""
    if listed < 0:
        return []
    runs = trace.lists[listed]
    return [int(peer) for peer in runs.offsets[runs.sizes > 0].tolist()]
