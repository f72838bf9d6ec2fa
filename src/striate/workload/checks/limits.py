"""What operands may be, and which rows of a program table may break that: columns decide where a closer look is due."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.arrow import distinct
from striate.workload.application import Application, Groups
from striate.workload.kinds import (
    ACCESSES,
    ANY,
    DEFAULT_ALGORITHM,
    KINDS,
    NO_COUNTS,
    NO_EXTENTS,
    POSITIONS,
    TAGS_OF_CALLS,
    Kind,
)
from striate.workload.operand_ranges import Floats, OperandRanges, ranks_by_program
from striate.workload.program import Int64s

MOST_PASSES = MOST_BYTES = 2**62  # through all loops together
_FAR = 2.0**61  # numbers below it are far from what a file or a count cannot have, rounded or not
_AT_LEAST = "expected {operand} of at least {least}, got {{{operand}}}"
_NO_RANK = "no rank {{{operand}}} in communicator {name!r}"
# By operand what is said of a value that is not allowed, in the order in which they are looked at.
WORDS = {
    **dict.fromkeys(("picoseconds", "instructions", "bytes", "source_bytes", "count", "offset"), _AT_LEAST),
    **dict.fromkeys(("peer", "source"), _NO_RANK),
    **dict.fromkeys(("tag", "source_tag"), _AT_LEAST),
    "root": "no root {{root}} in communicator {name!r}",
    "region": "no region number {{region}}",
    "algorithm": "no algorithm number {{algorithm}}",
    "counts": "no matrix of counts {{counts}}",
    "file": "no file number {{file}}",
}
_ANYONE = {"peer": (Kind.RECV, Kind.FLUSH), "tag": (Kind.RECV,)}
_LEAST = {"source": ANY, "source_tag": ANY, "algorithm": DEFAULT_ALGORITHM}


def least_value(kind: Kind, operand: str) -> int:
    """The least value that an operand may have."""
    if operand == "counts":
        return 0 if kind is Kind.ALLTOALLV else NO_COUNTS
    return ANY if kind in _ANYONE.get(operand, ()) else _LEAST.get(operand, 0)


def end_of_values(application: Application, operand: str, members: Int64s) -> Int64s | float:
    """One past the highest value that an operand may have; `members` is how many ranks the communicator has."""
    if operand in ("peer", "source", "root"):
        return members
    counts = {
        "region": len(application.regions),
        "algorithm": len(application.algorithms),
        "counts": len(application.counts),
        "file": application.file_count,
    }
    return counts.get(operand, math.inf)


def outside(operand: str, low: Any, high: Any, least: int, end: Int64s | float) -> NDArray[np.bool_]:
    """Where values from `low` to `high` are not all allowed; tags of messages that calls are made of are."""
    low, high = np.asarray(low), np.asarray(high)
    bad = (low < least) | (high >= end)
    if operand in ("tag", "source_tag"):
        bad &= (low < min(TAGS_OF_CALLS)) | (high > max(TAGS_OF_CALLS))  # a loop may pass several of them
    return np.asarray(bad)


def doubtful_rows(application: Application, groups: list[Groups], ranges: OperandRanges) -> NDArray[np.bool_]:
    """Rows that may hold something no MPI library could run, by ranges over all ranks and passes; no others do."""
    programs = ranges.programs
    members, doubtful = _members(groups, ranges)
    doubtful |= ~(ranges.times < _FAR)
    for kind in distinct(programs.kind).tolist():
        rows = ranges.rows(kind)
        for operand, position in POSITIONS[kind].items():
            if operand not in WORDS or not len(rows):
                continue
            low, high, exact = ranges.column(rows, position)
            least = least_value(KINDS[kind], operand)
            end = end_of_values(application, operand, members[rows])
            doubtful[rows] |= outside(operand, low, high, least, end) | ~exact
        if KINDS[kind] in ACCESSES and len(rows):
            doubtful[rows] |= _doubtful_accesses(application, ranges, rows)
    return doubtful


def _members(groups: list[Groups], ranges: OperandRanges) -> tuple[Int64s, NDArray[np.bool_]]:
    """Per row the size of the smallest group that its ranks are in, and whether one of them is in none."""
    programs = ranges.programs
    known = (programs.communicator >= 0) & (programs.communicator < len(groups))
    rows = np.flatnonzero(ranges.walked & known)
    members, outsiders = np.zeros(programs.rows, np.int64), ranges.walked & ~known
    pairs = np.stack([ranges.program[rows], programs.communicator[rows]], axis=1)
    distinct, which = np.unique(pairs, axis=0, return_inverse=True)
    ranks = ranks_by_program(programs)
    least = np.zeros(len(distinct), np.int64)
    strange = np.zeros(len(distinct), bool)
    for number, (program, communicator) in enumerate(distinct.tolist()):
        group = groups[communicator]
        strange[number] = bool((group.group[ranks[program]] < 0).any())
        least[number] = int(group.size(ranks[program]).min())
    members[rows], outsiders[rows] = least[which.ravel()], strange[which.ravel()]
    return members, outsiders


def _doubtful_accesses(application: Application, ranges: OperandRanges, rows: Int64s) -> NDArray[np.bool_]:
    at = POSITIONS[int(Kind.READ)]
    columns = {
        name: ranges.column(rows, at[name]) for name in ("offset", "bytes", "count", "stride", "extents")
    }
    bad = ~np.logical_and.reduce([exact for _, _, exact in columns.values()])
    low: dict[str, Floats] = {name: column[0] for name, column in columns.items()}
    high: dict[str, Floats] = {name: column[1] for name, column in columns.items()}
    bad |= (low["extents"] < NO_EXTENTS) | (high["extents"] >= len(application.extents))
    blocks = np.maximum(high["count"] - 1, 0)
    before: Floats = np.minimum(blocks * low["stride"], 0)
    span: Floats = np.maximum(blocks * high["stride"], 0) + high["bytes"]
    if (high["extents"] > NO_EXTENTS).any():
        lists = application.extents
        first, last = reach_of_lists(lists.first, lists.offsets, lists.sizes)
        before = np.minimum(before, first.min(initial=0.0))
        span = np.maximum(span, last.max(initial=0.0))
    total = np.maximum(high["bytes"], 1) * high["count"] * ranges.times[rows]
    return np.asarray(bad | (low["offset"] + before < 0) | ~(total < _FAR) | ~(high["offset"] + span < _FAR))


def reach_of_lists(first: Int64s, offset: Int64s, length: Int64s) -> tuple[Floats, Floats]:
    """Lowest and highest byte of every list of runs; a negative length counts as a byte before the start."""
    lowest = np.zeros(len(first), float)
    highest = np.zeros(len(first), float)
    filled = np.flatnonzero(np.diff(first))
    if len(filled):
        start = np.where(length < 0, -1, offset).astype(float)
        lowest[filled] = np.minimum.reduceat(start, first[filled])
        highest[filled] = np.maximum.reduceat(offset.astype(float) + length, first[filled])
    return lowest, highest
