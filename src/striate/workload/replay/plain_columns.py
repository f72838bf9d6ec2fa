"""Traces of plain file calls as columns: what `from_trace` makes of them row by row, for all ranks at once.

Most logs of a profiler are such traces: no messages, no regions, every access one run of bytes at a known offset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate._core import Folder
from striate.layout.extent_lists import ExtentLists
from striate.trace.kinds import KINDS as TRACED
from striate.workload.application import WORLD, Application, File, communicator_table
from striate.workload.kinds import ACCESSES, BLOCKING, KINDS, NO_EXTENTS, OPERANDS, Kind
from striate.workload.program import Int64s
from striate.workload.replay.gaps import evened, gaps_before
from striate.workload.replay.trace_rows import ALONE, UNKNOWN, Source
from striate.workload.transforms.fold import BRACKETS, FREE_AT, Shapes, shared_programs

_SILENT = ("wait", "probe", "finalize")  # end the gap before them and are no operation of their own
_FILE_CALLS = {
    "open": Kind.OPEN,
    "close": Kind.CLOSE,
    "sync": Kind.SYNC,
    "stat": Kind.STAT,
    "delete": Kind.ERASE,
}
_ALIKE = ("kind", "file", "bytes", "communicator", "region", "peer")  # gaps between such calls are alike
_TOLD = ("offset", "extents", "request", "blocks", "bytes", "stride")
_COLUMNS = (
    *("rank", "kind", "file", "offset", "bytes", "blocks", "stride"),
    *("communicator", "collective", "tag"),
)
_MET = (Kind.OPEN, Kind.CLOSE, Kind.SYNC)  # calls that several ranks may make together
_NOTHING = -1  # in place of a kind: a row that is no operation
_FEW = 2**20  # numbers in a range so short need no sorting
_WIDTH = np.array([len(OPERANDS[kind]) for kind in KINDS])
_FREE_WIDTH = np.array([len(FREE_AT[kind]) for kind in KINDS])


def is_plain(source: Source) -> bool:
    """Whether every row of the trace is one that this module knows."""
    trace = source.trace
    access = trace.of_kind("read", "write")
    known = access | trace.of_kind(*_FILE_CALLS, *_SILENT)
    value = {name: trace.column(name)[access].astype(np.int64) for name in _TOLD}
    single = (value["offset"] >= 0) & (value["extents"] < 0) & (value["request"] < 0)
    single &= (value["blocks"] <= 1) | _in_one(value)
    return bool(not source.exact and known.all() and single.all())


def _in_one(value: Mapping[str, Int64s]) -> NDArray[np.bool_]:
    """Blocks without gaps, or that the bytes of a log do not divide into, are one run (`TracedAccess`)."""
    blocks = np.maximum(value["blocks"], 1)
    size = value["bytes"] // blocks
    return np.asarray((blocks > 1) & ((value["stride"] == size) | (size * blocks != value["bytes"])))


def plain_application(
    source: Source, *, ranks: int, name: str, communicators: Mapping[str, object]
) -> Application:
    """The program of such a trace; the same as that of `generator.application_of`, column for column."""
    table = communicator_table(communicators, ranks)
    numbers = {communicator.name: number for number, communicator in enumerate(table)}
    leaves, files = _leaves(source, ranks, numbers)
    shapes, number = _shapes(leaves)
    width = _FREE_WIDTH[leaves.kind].astype(np.int64)
    free = np.stack([leaves.file, leaves.offset], axis=1)[np.arange(2) < width[:, None]]
    first = np.searchsorted(leaves.rank, np.arange(ranks + 1))
    first_free = np.concatenate([[0], np.cumsum(width)])[first]
    folded = []
    for rank in range(ranks):
        folder = Folder(True)
        own, mine = slice(*first[rank : rank + 2]), slice(*first_free[rank : rank + 2])
        folder.extend(number[own], width[own], free[mine])
        folded.append(folder.rows())
    return Application(
        name,
        shared_programs(shapes, folded),
        table,
        tuple(File(file, at) for file, at in files.items()),
        extents=ExtentLists.of([]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Leaves:
    """Operations of all ranks in order; `one` and `other` are what their kind has beside file and offset."""

    rank: Int64s
    kind: Int64s
    communicator: Int64s
    one: Int64s  # picoseconds, bytes, or whether a file is created
    other: Int64s  # the stride of an access
    file: Int64s
    offset: Int64s

    def taken(self, rows: NDArray[Any]) -> _Leaves:
        return _Leaves(*(getattr(self, name)[rows] for name in self.__slots__))

    def then(self, other: _Leaves) -> _Leaves:
        both = ((getattr(self, name), getattr(other, name)) for name in self.__slots__)
        return _Leaves(*(np.concatenate(pair) for pair in both))


def _leaves(source: Source, ranks: int, numbers: Mapping[str, int]) -> tuple[_Leaves, dict[str, int]]:
    """Per row the time before it, its operation, what is kept of its own time; per rank the time after the last."""
    trace, begun = source.trace, source.span[0]
    rank = trace.column("rank").astype(np.int64)
    start, end = (np.maximum(trace.column(name) - begun, 0) for name in ("start", "end"))
    order = np.lexsort((end, start, rank))
    called, files = _operations(source, order, numbers)
    ticks = evened(_gaps(rank[order], start[order], end[order]), _contexts(source, order))
    latest = np.zeros(ranks, np.int64)
    np.maximum.at(latest, rank, end)
    trailing = np.maximum(source.span[1] - begun - latest, 0) * 1000
    every = (
        _computing(rank[order], ticks)
        .then(called)
        .then(_computing(rank[order], source.rest[order] * 1000))
        .then(_computing(np.arange(ranks), trailing))
    )
    turn = np.concatenate([np.tile(np.arange(len(order)), 3), np.full(ranks, len(order))])
    kept = np.where(every.kind == int(Kind.COMPUTE), every.one > 0, every.kind != _NOTHING)
    in_order = np.lexsort((turn, every.rank))  # stable: what belongs to one row stays as it is
    return every.taken(in_order[kept[in_order]]), files


def _computing(rank: Int64s, ticks: Int64s) -> _Leaves:
    none = np.zeros(len(rank), np.int64)
    return _Leaves(rank, none + int(Kind.COMPUTE), none, ticks, none, none, none)


def _operations(source: Source, order: Int64s, numbers: Mapping[str, int]) -> tuple[_Leaves, dict[str, int]]:
    """The operation of every row, and the numbers of files in the order of their first use."""
    trace = source.trace
    value = {name: trace.column(name)[order].astype(np.int64) for name in _COLUMNS}
    file, together = value["file"], value["collective"] > 0
    together &= source.together[file]
    kind = np.full(len(order), _NOTHING, np.int64)
    communicator = np.zeros(len(order), np.int64)
    families = np.array([numbers[name] for name in (*source.family, WORLD)], np.int64)
    family = families[np.where(value["communicator"] >= 0, value["communicator"], -1)]
    for word, alone, shared in (("read", Kind.READ, Kind.READ_ALL), ("write", Kind.WRITE, Kind.WRITE_ALL)):
        rows = value["kind"] == TRACED.index(word)
        kind[rows] = np.where(together[rows], int(shared), int(alone))
        communicator[rows] = np.where(together[rows], family[rows], numbers[WORLD])
    for word, call in _FILE_CALLS.items():
        rows = (value["kind"] == TRACED.index(word)) & (file >= 0)
        kind[rows] = int(call)
        if call in _MET:
            communicator[rows] = np.where(together[rows], family[rows], numbers.get(ALONE, _NOTHING))
    access = np.isin(kind, list(ACCESSES))
    created = np.where(kind == int(Kind.OPEN), value["tag"] == 1, 0)
    number, files = _numbered(np.where(kind != _NOTHING, file, _NOTHING - 1), trace.file_names())
    return _Leaves(
        value["rank"],
        kind,
        communicator,
        np.where(access, value["bytes"], created),
        np.where(access & (value["blocks"] <= 1), value["stride"], 0),
        number,
        np.where(access, value["offset"], 0),
    ), files


def _numbered(file: Int64s, names: list[str]) -> tuple[Int64s, dict[str, int]]:
    """Files of a trace as numbers of names in the order of their first use; below -1: no file."""
    ids, first = np.unique(file, return_index=True)
    number = np.zeros(len(names) + 2, np.int64)
    numbers: dict[str, int] = {}
    for one in ids[np.argsort(first)].tolist():
        if one >= _NOTHING:
            name = names[one] if one >= 0 else UNKNOWN
            number[one] = numbers.setdefault(name, len(numbers))
    return number[file], numbers


def _gaps(rank: Int64s, start: Int64s, end: Int64s) -> Int64s:
    """Nanoseconds from the last end of all earlier rows of the rank to each start; 0 where they overlap."""
    first = np.ones(len(rank), bool)
    first[1:] = rank[1:] != rank[:-1]
    block = np.cumsum(first) - 1
    longest = int(end.max(initial=0)) + 1
    if longest * (int(block[-1]) + 1 if len(block) else 1) >= 2**62:
        parts = np.split(np.arange(len(rank)), np.flatnonzero(first)[1:])
        return np.concatenate([gaps_before(start[part], end[part]) for part in parts])
    reached = np.maximum.accumulate(end + block * longest) - block * longest
    before = np.where(first, 0, np.concatenate([[0], reached[:-1]]))
    return np.maximum(start - before, 0)


def _contexts(source: Source, order: Int64s) -> Int64s:
    """Gaps are alike when the same two calls of a rank stand around them."""
    rank = source.trace.column("rank")[order].astype(np.int64)
    call = _compact([source.trace.column(name)[order].astype(np.int64) for name in _ALIKE])
    before = np.concatenate([[-1], call[:-1]])
    before[np.flatnonzero(np.concatenate([[True], rank[1:] != rank[:-1]]))] = -1
    return _compact([rank, before, call])


def _compact(columns: list[Int64s]) -> Int64s:
    """One number per row, equal for rows that are equal in all columns."""
    number, count = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        low, high = int(column.min(initial=0)), int(column.max(initial=0))
        if high - low < _FEW:
            own, many = column - low, high - low + 1
        else:
            distinct, own = np.unique(column, return_inverse=True)
            many = len(distinct)
        if count * many >= 2**62:
            distinct, number = np.unique(number, return_inverse=True)
            count = len(distinct)
        number, count = number * many + own, count * many
    return number


def _shapes(leaves: _Leaves) -> tuple[Shapes, Int64s]:
    """The different shapes, and the number of each leaf's."""
    _, first, number = np.unique(
        _compact([leaves.kind, leaves.communicator, leaves.one, leaves.other]),
        return_index=True,
        return_inverse=True,
    )
    kind, one, other = leaves.kind[first], leaves.one[first], leaves.other[first]
    operands = np.zeros((len(first), int(_WIDTH.max())), np.int64)
    rows = np.flatnonzero(kind == int(Kind.COMPUTE))
    operands[rows, 0] = one[rows]
    rows = np.flatnonzero(kind == int(Kind.OPEN))
    operands[rows, 1] = one[rows]
    rows = np.flatnonzero(np.isin(kind, list(ACCESSES)))
    operands[rows, 2], operands[rows, 3], operands[rows, 4] = one[rows], 1, other[rows]
    operands[rows, 5], operands[rows, 6] = NO_EXTENTS, BLOCKING
    flat = operands[np.arange(operands.shape[1]) < _WIDTH[kind][:, None]]
    return Shapes.of(kind, leaves.communicator[first], flat), number.ravel() + BRACKETS
