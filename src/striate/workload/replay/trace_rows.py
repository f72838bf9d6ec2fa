"""The rows of a traced rank as operations: what each call asks for, and how long was computed before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from striate.trace.kinds import COLLECTIVES, KINDS, LEVELS
from striate.trace.trace import Trace
from striate.workload import operations
from striate.workload.application import WORLD
from striate.workload.kinds import Kind
from striate.workload.operations import Operation
from striate.workload.replay.gaps import evened, gaps_before
from striate.workload.replay.meetings import targets
from striate.workload.replay.recorded_hints import RecordedAccess
from striate.workload.replay.traced_access import TracedAccess
from striate.workload.replay.traced_memory import Reached, TracedMemory
from striate.workload.sieving import Sieving

FILE_CALLS: Mapping[str, Callable[..., Operation]] = {
    "close": operations.close_file,
    "sync": operations.sync_file,
}
_OWN_FILE_CALLS: Mapping[str, Callable[..., Operation]] = {
    "delete": operations.delete_file,
    "stat": operations.stat_file,
}
ALONE = "alone"  # a communicator of one rank each, for calls that a rank makes by itself
UNKNOWN = "unknown"  # the file of an access that names none
_ROOTED = frozenset(("bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"))
BEGIN, CALL, END = 1, 2, 0  # order of what happens at one moment: ends, beginnings, calls


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """What the rows of every rank refer to."""

    trace: Trace
    family: tuple[str, ...]  # name of the workload's communicator for each of the trace's
    together: NDArray[np.bool_]  # files whose collective accesses can be kept collective
    first: NDArray[np.int64]  # first row of each rank among those chosen
    span: tuple[int, int]  # nanoseconds in which the run begins and ends
    recorded: RecordedAccess  # how its files are accessed
    by_all: Mapping[str, NDArray[np.bool_]]  # kind of call -> communicators whose members all make it
    rest: NDArray[np.int64]  # nanoseconds that calls lasted after the last rank had come, where they are kept
    heard_from: Mapping[int, list[int]]  # row of a neighbourhood collective -> who sends
    functions: tuple[str, ...]  # names in small letters
    exact: bool  # simulated: rows tell all work, and what was asked for to the last picosecond


class ReplayRows:
    """The chosen rows of one rank as plain lists, and what to make of each."""

    def __init__(self, source: Source, rank: int) -> None:
        self._source = source
        self._first = int(source.first[rank])
        part = slice(int(source.first[rank]), int(source.first[rank + 1]))
        self._column = {name: source.trace.column(name)[part] for name in _COLUMNS}
        for name in ("start", "end"):
            self._column[name] = np.clip(self._column[name] - source.span[0], 0, None)
        self._value = {name: column.tolist() for name, column in self._column.items()}
        self._memory = TracedMemory()
        self._cursor: dict[int, int] = {}  # file -> end of the last access, for those without an offset

    def kind(self, row: int) -> str:
        return str(KINDS[self._value["kind"][row]])

    def end(self, row: int) -> int:
        return int(self._value["end"][row]) + self._source.span[0]

    def complete(self, row: int) -> int:
        return int(self._value["complete"][row])

    def trailing(self) -> int:
        """Picoseconds from the rank's last operation to the end of the run; 0 where that is not known."""
        last = int(self._column["end"].max(initial=0))
        first, end = self._source.span
        return 0 if self._source.exact else max(end - first - last, 0) * 1000

    def request(self, row: int) -> int:
        return int(self._value["request"][row])

    def region(self, row: int) -> str:
        return str(self._source.trace.header.regions[self._value["region"][row]])

    def events(self) -> Iterator[tuple[int, int, int]]:
        """(picoseconds of compute before it, what happens, row) in order of time, regions well nested."""
        region = self._column["kind"] == KINDS.index("region")
        calls, marks = np.flatnonzero(~region), np.flatnonzero(region)
        start, end = self._column["start"], self._nested(marks)
        row = np.concatenate([calls, marks, marks])
        what = np.repeat([CALL, BEGIN, END], [len(calls), len(marks), len(marks)])
        begins = np.concatenate([start[calls], start[marks], end[marks]])
        ends = np.concatenate([self._column["end"][calls], start[marks], end[marks]])
        # At one moment ends come before beginnings, inner ends before outer ones; a region that lasts no time
        # would end before it begins, so ends are sorted by when their region began, the last first.
        turn = np.where(what == END, -start[row] - 1, np.where(what == BEGIN, 1, 2))
        # Calls of one nanosecond, as only simulations have them, are in order by their ends.
        until = np.where(what == CALL, ends, 0)
        order = np.lexsort((np.arange(len(row)), until, turn, begins))
        row, what, begins, ends = row[order], what[order], begins[order], ends[order]
        if self._source.exact:
            yield from ((0, *one) for one in zip(what.tolist(), row.tolist(), strict=True))
            return
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
        yield from self._asked(row)
        yield from self._rest(row)

    def _asked(self, row: int) -> Iterator[Operation]:
        kind = self.kind(row)
        if kind in ("read", "write"):
            yield from self._accesses(row, kind)
        elif kind == "compute":
            yield Operation(
                Kind.COMPUTE, (max(self._value["work"][row], 0), self._value["instructions"][row])
            )
        elif kind == "communicator":
            yield from self._creation(row)
        elif kind == "fence":
            yield from self._fence(row)
        elif kind == "rma":
            yield from self._one_sided(row)
        elif kind == "neighbor":
            yield from self._neighbours(row)
        elif kind in COLLECTIVES:
            yield self._collective(row, kind)
        elif kind in ("send", "recv", "sendrecv"):
            yield from self._message(row, kind)
        elif self._value["file"][row] >= 0 and kind == "open":
            creates = self._value["tag"][row] == 1
            yield operations.open_file(self._file(row), create=creates, comm=self._callers(row))
        elif self._value["file"][row] >= 0 and kind in FILE_CALLS:
            yield FILE_CALLS[kind](self._file(row), comm=self._callers(row))
        elif self._value["file"][row] >= 0 and kind in _OWN_FILE_CALLS:
            yield _OWN_FILE_CALLS[kind](self._file(row))

    def _file(self, row: int) -> str:
        return str(self._source.trace.header.files[self._value["file"][row]].name)

    def _family(self, row: int) -> str:
        number = self._value["communicator"][row]
        return self._source.family[number] if number >= 0 else WORLD

    def _callers(self, row: int) -> str:
        """Who opens, closes or flushes together: the communicator, all ranks, or each rank for itself."""
        if self._source.exact:
            return self._family(row)
        together = self._value["collective"][row] and self._source.together[self._value["file"][row]]
        return self._family(row) if together else ALONE

    def _accesses(self, row: int, kind: str) -> Iterator[Operation]:
        file = self._value["file"][row]
        together = bool(self._value["collective"][row] and self._source.together[file])
        offset = self._value["offset"][row]
        if offset < 0:
            offset = self._cursor.get(file, 0)
        self._cursor[file] = offset + self._value["bytes"][row]
        number = self._value["extents"][row]
        access = TracedAccess(
            kind,
            self._file(row) if file >= 0 else UNKNOWN,
            offset,
            self._value["bytes"][row],
            self._value["blocks"][row],
            self._value["stride"][row],
            extents=self._source.trace.lists[number] if number >= 0 else None,
            comm=self._family(row) if together else None,
            blocking=self._value["request"][row] < 0,
        )
        if self._source.exact:
            yield access.asked()
            return
        recorded = self._source.recorded
        sieving = recorded.sieving[file] if file >= 0 and self._through_mpi(row) else Sieving()
        yield from access.done(sieving, recorded.collective[file] if file >= 0 else None)

    def _through_mpi(self, row: int) -> bool:
        return bool(self._value["level"][row] == LEVELS.index("mpi-io"))

    def _creation(self, row: int) -> Iterator[Operation]:
        """Making a communicator: colours and keys are gathered, then all agree on a number for it."""
        number = self._value["communicator"][row]
        if number < 0 or not self._source.by_all["communicator"][number]:
            return
        make = operations.comm_split if self._calls(row, "split") else operations.comm_dup
        yield from make(comm=self._family(row))

    def _fence(self, row: int) -> Iterator[Operation]:
        """What was begun is done, then all come together; what the call took after that may be kept."""
        number = self._value["communicator"][row]
        if number >= 0 and self._source.by_all["fence"][number]:
            yield from self._memory.fence(self._family(row))

    def _one_sided(self, row: int) -> Iterator[Operation]:
        if self._value["communicator"][row] < 0:
            return
        yield from self._memory.operations(
            self._source.functions[self._value["function"][row]],
            Reached(
                comm=self._family(row),
                peer=self._value["peer"][row],
                bytes=self._value["bytes"][row],
                alone=self._value["tag"][row] != 0,
                later=self._value["request"][row] >= 0,
                group=targets(self._source.trace, self._value["extents"][row]),
            ),
        )

    def left_open(self) -> Iterator[Operation]:
        """What completes the accesses to remote memory that no row completes."""
        yield from self._memory.left_open()

    def _rest(self, row: int) -> Iterator[Operation]:
        """What is kept of a call's own time."""
        rest = int(self._source.rest[self._first + row])
        if rest:
            yield Operation(Kind.COMPUTE, (rest * 1000, 0))

    def _neighbours(self, row: int) -> Iterator[Operation]:
        """Messages to the neighbours and from them, in flight at once."""
        comm, listed = self._family(row), self._value["extents"][row]
        peers, sizes = [], []
        if listed >= 0:
            runs = self._source.trace.lists[listed]
            peers, sizes = (column[runs.sizes > 0].tolist() for column in (runs.offsets, runs.sizes))
        yield from operations.neighbor_alltoallv(
            sizes,
            peers,
            sources=self._source.heard_from.get(self._first + row, []),
            comm=comm,
            blocking=self.waits_itself(row),
        )

    def takes_nothing(self, row: int) -> bool:
        """Whether it is a call of a simulated trace that took none of several operations."""
        return self.request(row) < 0 and (self._calls(row, "testany") or self._calls(row, "waitany"))

    def waits_itself(self, row: int) -> bool:
        """Whether the row's operations are over when the call returns."""
        return self.kind(row) == "neighbor" and self.request(row) < 0

    def _calls(self, row: int, word: str) -> bool:
        """Whether the function's name holds `word`."""
        return word in self._source.functions[self._value["function"][row]]

    def _collective(self, row: int, kind: str) -> Operation:
        more: dict[str, Any] = {"comm": self._family(row), "blocking": self._value["request"][row] < 0}
        size = self._value["bytes"][row]
        named = self._source.functions[self._value["function"][row]]
        if self._source.exact and named.startswith("algorithm:"):
            more["algorithm"] = named.removeprefix("algorithm:")
        if kind == "barrier":
            return operations.barrier(**more)
        if kind == "reduce_scatter" and self._value["extents"][row] >= 0:
            return operations.reduce_scatter(self._sizes(row, size), **more)
        if kind == "alltoallv":
            return operations.alltoallv(self._sizes(row, size), **more)
        if kind == "scan" and self._calls(row, "exscan"):
            return cast(Operation, operations.exscan(size, **more))
        if kind in _ROOTED:
            more["root"] = max(self._value["peer"][row], 0)
        return cast(Operation, getattr(operations, kind)(size, **more))

    def _sizes(self, row: int, size: int) -> list[int]:
        """Bytes to each rank of the communicator; in even parts where the trace tells their sum only."""
        number, communicator = self._value["extents"][row], self._value["communicator"][row]
        listed = self._source.trace.header.communicators[communicator].members if communicator >= 0 else None
        members = self._source.trace.ranks if listed is None else len(listed)
        sizes = np.zeros(members, np.int64)
        if number < 0:
            sizes += size // members
            sizes[: size % members] += 1
            return sizes.tolist()
        listed = self._source.trace.lists[number]
        peers, parts = listed.offsets, listed.sizes
        there = (peers >= 0) & (peers < members)
        np.add.at(sizes, peers[there], parts[there])
        return sizes.tolist()

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
            verb = getattr(operations, "i" * later + "s" * self._is_synchronous(row) + kind)
            yield verb(value["peer"], value["bytes"], tag=value["tag"], comm=comm)

    def _is_synchronous(self, row: int) -> bool:
        return self.kind(row) == "send" and self._calls(row, "ssend")


_MESSAGE = ("peer", "tag", "bytes", "source", "source_tag", "received")
_COLUMNS = (
    *("kind", "level", "function", "file", "offset", "bytes", "blocks", "stride", "extents", "collective"),
    *("request", "work", "instructions"),
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
