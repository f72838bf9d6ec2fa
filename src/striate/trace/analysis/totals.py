"""Totals of a run from a profiler's counters: calls and bytes by level, seconds by rank as far as they are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from striate.arrow import array, distinct, strings
from striate.trace.records import (
    DATA_MODULES,
    Columns,
    asked,
    calls,
    columns_of,
    counter,
    moved,
    opens,
    seconds,
)

if TYPE_CHECKING:
    from striate.trace.trace import Trace

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RankSeconds:
    """Seconds that ranks spent in I/O: the mean is exact; the slowest is a lower bound unless `exact`."""

    mean: float
    slowest: int | None
    slowest_seconds: float
    exact: bool


@dataclass(frozen=True, slots=True)
class Totals:
    """Calls, bytes and seconds of one level, summed over files and ranks."""

    reads: int = 0
    bytes_read: int = 0
    writes: int = 0
    bytes_written: int = 0
    opens: int = 0
    stats: int = 0
    seeks: int = 0
    syncs: int = 0
    access_seconds: float = 0.0
    metadata_seconds: float = 0.0

    @property
    def operations(self) -> int:
        return self.reads + self.writes + self.opens + self.stats + self.seeks + self.syncs

    def __add__(self, other: Totals) -> Totals:
        return Totals(*(getattr(self, name) + getattr(other, name) for name in Totals.__slots__))


def data_records(trace: Trace) -> dict[str, Columns]:
    """The counters of the modules that move data, as columns."""
    return {module: columns_of(trace.records[module]) for module in DATA_MODULES if module in trace.records}


def totals_of(columns: Columns) -> Totals:
    """Sums over the records of a module; values that make no sense count as nothing."""

    def total(*names: str) -> int:
        return sum(int(counter(columns, name).sum()) for name in names)

    return Totals(
        reads=int(calls(columns, "read").sum()),
        bytes_read=int(moved(columns, "read").sum()),
        writes=int(calls(columns, "write").sum()),
        bytes_written=int(moved(columns, "write").sum()),
        opens=int(opens(columns).sum()),
        stats=total("stats", "get_sizes", "lookups"),
        seeks=total("seeks", "fseeks"),
        syncs=total("fsyncs", "fdsyncs", "syncs", "flushes"),
        access_seconds=float(seconds(columns, "read", "write").sum()),
        metadata_seconds=float(seconds(columns, "meta").sum()),
    )


def level_totals(trace: Trace) -> dict[str, Totals]:
    """Totals by level, for traces with counters."""
    found: dict[str, Totals] = {}
    for module, columns in data_records(trace).items():
        level = DATA_MODULES[module]
        found[level] = found.get(level, Totals()) + totals_of(columns)
    return found


def asked_totals(trace: Trace) -> Totals:
    """What the program itself asked for: a file's MPI-IO calls where it has some, those below otherwise."""
    records = data_records(trace)
    total = Totals()
    for module, columns in records.items():
        chosen = asked(records, module, len(trace.header.files))
        total += totals_of({name: column[chosen] for name, column in columns.items()})
    return total


def file_totals(trace: Trace) -> pa.Table:
    """One row per file: bytes that the program asked for, seconds summed over ranks, and the ranks that used it."""
    files, records = len(trace.header.files), data_records(trace)
    sums = {
        name: np.zeros(files, kind)
        for name, kind in (("bytes_read", "i8"), ("bytes_written", "i8"), ("seconds", "f8"))
    }
    users = [np.empty((2, 0), np.int64)]
    for module, columns in records.items():
        chosen = asked(records, module, files) & (columns["file"] >= 0)
        file, rank = columns["file"][chosen], columns["rank"][chosen]
        np.add.at(sums["bytes_read"], file, moved(columns, "read")[chosen])
        np.add.at(sums["bytes_written"], file, moved(columns, "write")[chosen])
        np.add.at(sums["seconds"], file, seconds(columns)[chosen])
        users.append(np.stack([file, rank]))
    ranks = users_of_files(*np.concatenate(users, axis=1), files=files, ranks=trace.ranks)
    columns = {name: array(column) for name, column in {**sums, "ranks": ranks}.items()}
    return pa.table({"file": strings(trace.file_names()), **columns})


def users_of_files(file: Numbers, rank: Numbers, *, files: int, ranks: int) -> Numbers:
    """How many ranks have a record of each file; all of them where one was merged, which has the rank -1."""
    pairs = distinct(file * (ranks + 1) + rank + 1)
    file, merged = pairs // (ranks + 1), pairs % (ranks + 1) == 0
    users: Numbers = np.bincount(file, minlength=files)
    users[file[merged]] = ranks
    return users


def rank_seconds(trace: Trace) -> RankSeconds:
    """Seconds in I/O by the counters. A merged record tells its sum, and the times of its fastest and slowest rank."""
    low, total, merged = np.zeros(trace.ranks), 0.0, False
    records = data_records(trace)
    for module, columns in records.items():
        chosen = asked(records, module, len(trace.header.files))
        spent, rank = seconds(columns)[chosen], columns["rank"][chosen]
        total += float(spent.sum())
        low += np.bincount(rank[rank >= 0], spent[rank >= 0], trace.ranks)
        shared = rank < 0
        merged |= bool(shared.any()) and trace.ranks > 1
        low += _merged_seconds(columns, chosen, trace.ranks)
    slowest = int(np.argmax(low)) if low.max(initial=0.0) > 0 else None
    return RankSeconds(total / trace.ranks, slowest, float(low.max(initial=0.0)), not merged)


def _merged_seconds(columns: Columns, chosen: NDArray[np.bool_], ranks: int) -> NDArray[np.float64]:
    """The least that each rank spent in merged records: the slowest one's time for it, the fastest one's for others."""
    rows = np.flatnonzero(chosen & (columns["rank"] < 0))
    slowest, most = counter(columns, "slowest_rank")[rows], counter(columns, "slowest_rank_time")[rows]
    least = np.minimum(counter(columns, "fastest_rank_time")[rows], most)
    named = slowest < ranks
    return np.asarray(least.sum() + np.bincount(slowest[named], (most - least)[named], ranks))
