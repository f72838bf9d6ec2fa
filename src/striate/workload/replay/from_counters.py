"""Workloads from counters alone: as many calls of as many bytes as were counted, in an order that is a guess.

A file's calls are made one after the other in requests of their mean size; flushes are spread evenly among the writes.
What a merged record counted is shared evenly by all ranks, each with a part of the file of its own. Time that is not in
a counter stands before the first call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from striate.errors import WorkloadError
from striate.trace.analysis.totals import data_records
from striate.trace.records import DATA_MODULES, Columns, asked, calls, counter, moved, opens, seconds
from striate.trace.trace import Trace
from striate.workload import operations
from striate.workload.application import Application
from striate.workload.generator import Repeated, application_of
from striate.workload.kinds import Kind
from striate.workload.operations import Operation
from striate.workload.replay.trace_rows import ALONE

_MOST_METADATA = 1_000_000  # opens or stats of a record that are played


@dataclass(frozen=True, slots=True)
class _Calls:
    """What one rank does with one file, in whole calls."""

    file: str
    opens: int
    stats: int
    reads: int
    bytes_read: int
    writes: int
    bytes_written: int
    syncs: int
    offset: int
    together: bool
    seconds: float


def application_of_counters(trace: Trace, *, name: str) -> Application:
    """The program that the counters of a log tell of; raises WorkloadError when they count no call."""
    records = data_records(trace)
    files = len(trace.header.files)
    of_rank: dict[int, list[tuple[_Table, int]]] = {}
    for module, columns in records.items():
        if module not in DATA_MODULES:
            continue
        table = _Table(columns)
        for row in np.flatnonzero(asked(records, module, files) & _busy(columns)).tolist():
            of_rank.setdefault(int(columns["rank"][row]), []).append((table, row))
    if not of_rank:
        raise WorkloadError("expected a log with calls that can be simulated, found no such call")
    names, whole = trace.file_names(), trace.seconds

    def program(rank: int, ranks: int) -> Iterator[Operation | Repeated]:
        mine = sorted((*of_rank.get(-1, ()), *of_rank.get(rank, ())), key=lambda one: one[0].begin(one[1]))
        told = [table.calls(row, rank, ranks, names) for table, row in mine]
        rest = whole - sum(one.seconds for one in told)
        if rest > 0:
            yield operations.compute(rest)
        for one in told:
            yield from _played(one)

    ranks = trace.ranks
    return application_of(program, ranks=ranks, name=name, communicators={ALONE: np.arange(ranks)})


def _busy(columns: Columns) -> np.ndarray:
    metadata = opens(columns) + counter(columns, "stats")
    return np.asarray(calls(columns, "read") + calls(columns, "write") + metadata > 0)


class _Table:
    """The records of a module as plain lists."""

    def __init__(self, columns: Columns) -> None:
        syncs = counter(columns, "fsyncs") + counter(columns, "fdsyncs") + counter(columns, "syncs")
        together = counter(columns, "coll_reads") + counter(columns, "coll_writes")
        every = calls(columns, "read") + calls(columns, "write")
        counts = [opens(columns), counter(columns, "stats"), calls(columns, "read"), moved(columns, "read")]
        counts += [calls(columns, "write"), moved(columns, "write"), syncs]
        self._counts = np.stack(counts, axis=1).astype(np.int64).tolist()
        self._file, self._rank = columns["file"].tolist(), columns["rank"].tolist()
        self._together = ((together == every) & (every > 0)).tolist()
        self._seconds = seconds(columns).tolist()
        first = [counter(columns, f"{call}_start_timestamp") for call in ("open", "read", "write")]
        self._begin = np.max(first, axis=0).tolist()

    def begin(self, row: int) -> float:
        return float(self._begin[row])

    def calls(self, row: int, rank: int, ranks: int, names: list[str]) -> _Calls:
        """What `rank` does: all of its own record, an even part of a merged one."""
        counts = self._counts[row]
        merged = self._rank[row] < 0
        if merged:
            together = self._together[row]
            counts = [count // ranks + (not self._together[row] and rank < count % ranks) for count in counts]
        file = self._file[row]
        name = names[file] if file >= 0 else "unknown"
        offset = rank * (self._counts[row][3] // ranks + self._counts[row][5] // ranks) if merged else 0
        spent = self._seconds[row] / (ranks if merged else 1)
        opened, looked, reads, read, writes, written, syncs = counts
        together = merged and self._together[row]
        return _Calls(name, opened, looked, reads, read, writes, written, syncs, offset, together, spent)


def _played(one: _Calls) -> Iterator[Operation | Repeated]:
    """Opens and stats, reads, writes with their flushes, one close."""
    looked = operations.stat_file(one.file)
    yield from _times((looked,), (looked,), min(one.stats, _MOST_METADATA))
    entered, left = operations.open_file(one.file, comm=ALONE), operations.close_file(one.file, comm=ALONE)
    yield from _times((entered, left), (entered, left), min(one.opens, _MOST_METADATA) - 1)
    yield entered
    yield from _accesses(one, Kind.READ, one.reads, one.bytes_read, syncs=0)
    yield from _accesses(one, Kind.WRITE, one.writes, one.bytes_written, syncs=one.syncs)
    yield left


def _accesses(
    one: _Calls, kind: Kind, count: int, total: int, *, syncs: int
) -> Iterator[Operation | Repeated]:
    """`count` accesses of the mean size, the last one with what is left; a flush after every so many."""
    if not count:
        return
    size = max(total // count, 1) if total else 0  # reads at the end of a file return nothing
    verb = getattr(operations, ("read" if kind is Kind.READ else "write") + "_all" * one.together)
    flush = operations.sync_file(one.file, comm=ALONE)
    each = max(count // syncs, 1) if syncs else count
    passes = max(count // each, 1)

    def at(place: int) -> Operation:
        call: Operation = verb(one.file, offset=one.offset + place * size, size=size)
        return call

    if syncs and each == 1:
        yield from _times((at(0), flush), (at(1), flush), count)
        return
    for number in range(min(passes, 64) if syncs else 1):
        share = count // passes if not syncs or passes <= 64 else count // min(passes, 64)
        yield from _times((at(number * share),), (at(number * share + 1),), share)
        if syncs:
            yield from _times((flush,), (flush,), max(passes // 64, 1) if passes > 64 else 1)


def _times(
    first: tuple[Operation, ...], second: tuple[Operation, ...], count: int
) -> Iterator[Operation | Repeated]:
    if count >= 2:
        yield Repeated(first, second, count)
    elif count == 1:
        yield from first
