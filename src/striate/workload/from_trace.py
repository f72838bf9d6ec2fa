"""Workloads from traces: what a program asked for, in the order it asked, with the time between as compute.

Messages keep their partners, collectives their communicators, non-blocking operations their waits; calls below MPI-IO
are left out, for they are how it was done and not what was asked. Repeated stretches are folded into loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from striate.errors import WorkloadError
from striate.trace.kinds import COLLECTIVES, KINDS
from striate.trace.tables import front
from striate.trace.trace import Trace
from striate.workload import operations
from striate.workload.application import WORLD, Communicator
from striate.workload.families import families
from striate.workload.gaps import evened, gaps_before
from striate.workload.kinds import Kind
from striate.workload.operations import Operation
from striate.workload.program import application_of
from striate.workload.workload import Workload

_FILE_CALLS: Mapping[str, Callable[..., Operation]] = {
    "close": operations.close_file,
    "sync": operations.sync_file,
}
_OWN_FILE_CALLS: Mapping[str, Callable[..., Operation]] = {
    "delete": operations.delete_file,
    "stat": operations.stat_file,
}
ALONE = "alone"  # a communicator of one rank each, for calls that a rank makes by itself
_ROOTED = frozenset(("bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"))
# Waiting for a message or for others is not compute; these end the gap before them without an operation of their own.
_WAITS = frozenset(("probe", "communicator", "init", "finalize"))
_KEPT = frozenset(
    (
        *("open", "close", "sync", "delete", "stat", "read", "write"),
        *("send", "recv", "sendrecv", "wait"),
        *COLLECTIVES,
        *_WAITS,
        "region",
    )
)
_BEGIN, _CALL, _END = 1, 2, 0  # order of what happens at one moment: ends, beginnings, calls


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """What the rows of every rank refer to."""

    trace: Trace
    family: tuple[str, ...]  # name of the workload's communicator for each of the trace's
    together: NDArray[np.bool_]  # files whose collective accesses can be kept collective
    first: NDArray[np.int64]  # first row of each rank among those chosen


def workload_of(trace: Trace, *, name: str | None = None) -> Workload:
    """The workload that a trace shows; raises WorkloadError when the trace holds no operation to replay."""
    trace = trace.of_ranks()
    chosen = trace.where(_chosen(trace))
    if not len(chosen):
        raise WorkloadError("the trace holds no operation that a workload can have")
    table, family = families(trace.header.communicators, trace.ranks)
    first = np.searchsorted(chosen.column("rank"), np.arange(trace.ranks + 1))
    source = _Source(chosen, family, _files_used_together(chosen), first)
    colors = {one.name: one.color for one in table if one.name != WORLD}
    if _some_call_alone(source):
        colors[ALONE] = np.arange(trace.ranks)
    application = application_of(
        lambda rank, ranks: _operations(source, rank),
        ranks=trace.ranks,
        name=name or _short(trace.header.program) or "trace",
        communicators=colors,
    )
    return Workload((replace(application, communicators=_with_keys(application.communicators, table)),))


def _short(program: str) -> str:
    words = [word.rsplit("/", 1)[-1] for word in program.split()[:2]]
    return " ".join(words)[:80]


def _with_keys(plain: tuple[Communicator, ...], table: tuple[Communicator, ...]) -> tuple[Communicator, ...]:
    keys = {one.name: one.key for one in table}
    return tuple(replace(one, key=keys.get(one.name)) for one in plain)


def _chosen(trace: Trace) -> NDArray[np.bool_]:
    """What the program itself asked for: MPI, MPI-IO, and POSIX on files that MPI-IO does not touch."""
    keep = trace.of_kind(*_KEPT)
    access = trace.of_kind("read", "write")
    files = trace.column("file")
    through_mpi = np.zeros(len(trace.header.files) + 1, bool)
    through_mpi[files[trace.at_level("mpi-io")]] = True
    through_mpi[-1] = False
    below = trace.at_level("posix") & through_mpi[files]
    good = (trace.column("status") == 0) | trace.of_kind("wait")
    return np.asarray(keep & ~below & good & (~access | front(trace)))


def _files_used_together(trace: Trace) -> NDArray[np.bool_]:
    """Files on which every rank called each collective operation equally often, where no communicator is known."""
    found = np.ones(len(trace.header.files) + 1, bool)
    called = trace.of_kind("read", "write", "open", "close", "sync")
    rows = trace.column("collective") & called & (trace.column("communicator") < 0)
    pairs = np.stack([trace.column("file")[rows], trace.column("kind")[rows]], axis=1)
    if not len(pairs):
        return found
    kinds, which = np.unique(pairs, axis=0, return_inverse=True)
    counts = np.zeros((len(kinds), trace.ranks), np.int64)
    np.add.at(counts, (which.ravel(), trace.column("rank")[rows]), 1)
    uneven = (counts != counts[:, :1]).any(axis=1)
    found[kinds[uneven, 0]] = False
    return found


def _some_call_alone(source: _Source) -> bool:
    """Whether a rank opens, closes or flushes a file by itself."""
    calls = source.trace.of_kind("open", *_FILE_CALLS)
    together = source.trace.column("collective") & source.together[source.trace.column("file")]
    return bool((calls & ~together).any())


def _operations(source: _Source, rank: int) -> Iterator[Operation]:
    """One rank's operations in order, compute between them."""
    rows = _Rows(source, rank)
    pending: list[tuple[int, Operation]] = []
    for ticks, moment, row in rows.events():
        if ticks:
            yield Operation(Kind.COMPUTE, (ticks, 0))
        if moment != _CALL:
            mark = operations.region_begin if moment == _BEGIN else operations.region_end
            yield mark(rows.region(row))
            continue
        if rows.kind(row) == "wait":
            yield from _awaited(pending, rows.end(row))
            continue
        for operation in rows.calls(row):
            yield operation
            if operation.is_pending:
                pending.append((rows.complete(row), operation))
    yield from _awaited(pending, 2**63 - 1)


def _awaited(pending: list[tuple[int, Operation]], until: int) -> Iterator[Operation]:
    done = [operation for complete, operation in pending if complete <= until]
    pending[:] = [entry for entry in pending if entry[0] > until]
    if done:
        yield operations.wait(*done)


class _Rows:
    """The chosen rows of one rank as plain lists, and what to make of each."""

    def __init__(self, source: _Source, rank: int) -> None:
        self._source = source
        part = slice(int(source.first[rank]), int(source.first[rank + 1]))
        self._column = {name: source.trace.column(name)[part] for name in _COLUMNS}
        self._value = {name: column.tolist() for name, column in self._column.items()}
        self._cursor: dict[int, int] = {}  # file -> end of the last access, for those without an offset

    def kind(self, row: int) -> str:
        return str(KINDS[self._value["kind"][row]])

    def end(self, row: int) -> int:
        return int(self._value["end"][row])

    def complete(self, row: int) -> int:
        return int(self._value["complete"][row])

    def region(self, row: int) -> str:
        return str(self._source.trace.header.regions[self._value["region"][row]])

    def events(self) -> Iterator[tuple[int, int, int]]:
        """(picoseconds of compute before it, what happens, row) in order of time, regions well nested."""
        region = self._column["kind"] == KINDS.index("region")
        calls, marks = np.flatnonzero(~region), np.flatnonzero(region)
        start, end = self._column["start"], self._nested(marks)
        row = np.concatenate([calls, marks, marks])
        what = np.repeat([_CALL, _BEGIN, _END], [len(calls), len(marks), len(marks)])
        begins = np.concatenate([start[calls], start[marks], end[marks]])
        ends = np.concatenate([self._column["end"][calls], start[marks], end[marks]])
        # At one moment ends come before beginnings, inner ends before outer ones; a region that lasts no time
        # would end before it begins, so ends are sorted by when their region began, the last first.
        turn = np.where(what == _END, -start[row] - 1, np.where(what == _BEGIN, 1, 2))
        order = np.lexsort((np.arange(len(row)), turn, begins))
        row, what, begins, ends = row[order], what[order], begins[order], ends[order]
        gaps = gaps_before(begins, ends)
        ticks = evened(gaps, self._contexts(row, what))
        yield from zip(ticks.tolist(), what.tolist(), row.tolist(), strict=True)

    def _nested(self, marks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Ends of regions, drawn in where a region would outlast the one around it; each lasts at least 1 ns."""
        start, end = self._column["start"], self._column["end"].copy()
        stack: list[int] = []
        for at in marks.tolist():
            end[at] = max(end[at], start[at] + 1)
            while stack and end[stack[-1]] <= start[at]:
                stack.pop()
            if stack:
                end[at] = min(end[at], end[stack[-1]])
            stack.append(at)
        return end

    def _contexts(self, row: NDArray[np.int64], what: NDArray[np.int64]) -> NDArray[np.int64]:
        """Gaps are alike when the same two operations stand around them."""
        names = ("kind", "file", "bytes", "communicator", "region", "peer")
        signature = np.stack([what, *(self._column[name][row] for name in names)], axis=1)
        _, number = np.unique(signature, axis=0, return_inverse=True)
        number = number.ravel().astype(np.int64)
        before = np.concatenate(([-1], number[:-1]))
        return (before + 1) * (len(number) + 1) + number

    def calls(self, row: int) -> Iterator[Operation]:
        """The operations that a row stands for; none for what has no counterpart."""
        kind = self.kind(row)
        if kind in ("read", "write"):
            yield self._access(row, kind)
        elif kind in COLLECTIVES:
            yield self._collective(row, kind)
        elif kind in ("send", "recv", "sendrecv"):
            yield from self._message(row, kind)
        elif self._value["file"][row] >= 0 and kind == "open":
            creates = self._value["tag"][row] == 1
            yield operations.open_file(self._file(row), create=creates, comm=self._callers(row))
        elif self._value["file"][row] >= 0 and kind in _FILE_CALLS:
            yield _FILE_CALLS[kind](self._file(row), comm=self._callers(row))
        elif self._value["file"][row] >= 0 and kind in _OWN_FILE_CALLS:
            yield _OWN_FILE_CALLS[kind](self._file(row))

    def _file(self, row: int) -> str:
        return str(self._source.trace.header.files[self._value["file"][row]].name)

    def _family(self, row: int) -> str:
        number = self._value["communicator"][row]
        return self._source.family[number] if number >= 0 else WORLD

    def _callers(self, row: int) -> str:
        """Who opens, closes or flushes together: the communicator, all ranks, or each rank for itself."""
        together = self._value["collective"][row] and self._source.together[self._value["file"][row]]
        return self._family(row) if together else ALONE

    def _access(self, row: int, kind: str) -> Operation:
        value = {
            name: self._value[name][row]
            for name in ("file", "offset", "bytes", "blocks", "stride", "extents")
        }
        together = self._value["collective"][row] and self._source.together[value["file"]]
        verb = getattr(operations, kind + "_all" * bool(together))
        more: dict[str, Any] = {"blocking": self._value["request"][row] < 0}
        if together:
            more["comm"] = self._family(row)
        offset = value["offset"] if value["offset"] >= 0 else self._cursor.get(value["file"], 0)
        self._cursor[value["file"]] = offset + value["bytes"]
        file = self._file(row) if value["file"] >= 0 else "unknown"
        if value["extents"] >= 0:
            return cast(
                Operation,
                verb(file, offset=offset, extents=self._source.trace.lists[value["extents"]], **more),
            )
        blocks = max(value["blocks"], 1)
        if blocks > 1 and value["bytes"] % blocks:  # made from counters: one run of the same bytes
            blocks, value["stride"] = 1, 0
        size = value["bytes"] // blocks
        if blocks > 1 and value["stride"] == size:
            blocks, size, value["stride"] = 1, value["bytes"], 0
        return cast(
            Operation, verb(file, offset=offset, size=size, count=blocks, stride=value["stride"], **more)
        )

    def _collective(self, row: int, kind: str) -> Operation:
        more: dict[str, Any] = {"comm": self._family(row), "blocking": self._value["request"][row] < 0}
        size = self._value["bytes"][row]
        if kind == "barrier":
            return operations.barrier(**more)
        if kind == "alltoallv":
            number = self._value["extents"][row]
            sizes = self._source.trace.lists[number][1].tolist() if number >= 0 else [size]
            return operations.alltoallv(sizes, **more)
        if kind in _ROOTED:
            more["root"] = max(self._value["peer"][row], 0)
        return cast(Operation, getattr(operations, kind)(size, **more))

    def _message(self, row: int, kind: str) -> Iterator[Operation]:
        """A half whose partner is the null process is no message."""
        value = {name: self._value[name][row] for name in _MESSAGE}
        comm, later = self._family(row), self._value["request"][row] >= 0
        if kind == "sendrecv":
            if value["peer"] >= 0 and value["source"] >= 0:
                yield operations.sendrecv(
                    value["peer"],
                    value["bytes"],
                    source=value["source"],
                    receive_size=value["received"],
                    tag=value["tag"],
                    source_tag=value["source_tag"],
                    comm=comm,
                )
            elif value["peer"] >= 0:
                yield operations.send(value["peer"], value["bytes"], tag=value["tag"], comm=comm)
            elif value["source"] >= 0:
                yield operations.recv(value["source"], value["received"], tag=value["source_tag"], comm=comm)
        elif value["peer"] >= 0:
            verb = getattr(operations, "i" * later + kind)
            yield verb(value["peer"], value["bytes"], tag=value["tag"], comm=comm)


_MESSAGE = ("peer", "tag", "bytes", "source", "source_tag", "received")
_COLUMNS = (
    *("kind", "file", "offset", "bytes", "blocks", "stride", "extents", "collective", "request"),
    *(
        "start",
        "end",
        "complete",
        "communicator",
        "peer",
        "tag",
        "source",
        "source_tag",
        "received",
        "region",
    ),
)
