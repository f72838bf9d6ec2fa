"""Puts a Recorder trace together: calls in order with their times, rank by rank, and what the format cannot tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from striate.errors import TraceError
from striate.formats.readers.recorder.calls import RecorderCall, call_of
from striate.formats.readers.recorder.communicators import Communicators
from striate.formats.readers.recorder.follow import Follower, Missing
from striate.formats.readers.recorder.metadata import RecorderMetadata, read_metadata
from striate.formats.readers.recorder.ranks import RankLog, rank_logs
from striate.formats.readers.recorder.store import COMBINED, FILES, MAGIC, METADATA, RecorderStore
from striate.limits import ReadBudget
from striate.trace.columns import NUMBERS, operations
from striate.trace.header import Flag, Header, TracedFile
from striate.trace.kinds import KINDS, LEVELS
from striate.trace.trace import Trace

_WRAP = 2**32  # ticks: times are kept in 32 bits
_FILLED = ("file", "offset", "bytes", "peer", "tag", "source", "source_tag", "received", "request")


@dataclass(slots=True)
class _Reading:
    """What all ranks share while they are read."""

    metadata: RecorderMetadata
    files: dict[str, int] = field(default_factory=dict)
    communicators: Communicators = field(default_factory=Communicators)
    missing: Missing = field(default_factory=Missing)
    functions: dict[str, int] = field(default_factory=dict)
    left_out: int = 0
    damage: list[str] = field(default_factory=list)


def recognises(path: Path, head: bytes) -> bool:
    if path.is_dir():
        return (path / FILES[METADATA]).is_file() or (path / COMBINED).is_file()
    return head.startswith(MAGIC) or path.name == FILES[METADATA]


def read(path: Path) -> Trace:
    """Read every rank as far as it is sound; raises TraceError when none is."""
    store = RecorderStore.at(path)
    reading = _Reading(read_metadata(store))
    tables, budget = [], ReadBudget.of(path if path.is_dir() else path.parent)
    for log in rank_logs(store, reading.metadata):
        if log.damage:
            reading.damage.append(log.damage)
        budget.take_rows(len(log.calls))
        tables.append(_table(reading, log))
    table = pa.concat_tables(tables).unify_dictionaries().combine_chunks() if tables else None
    if table is None or not table.num_rows:
        raise TraceError("; ".join(reading.damage[:1]) or "expected Recorder's calls, found none")
    return Trace.of(table, _header(reading))


def _table(reading: _Reading, log: RankLog) -> pa.Table:
    """The rows of one rank."""
    known = {number: call_of(one, reading.metadata.functions) for number, one in log.signatures.items()}
    follower = Follower(log.rank, reading.files, reading.missing, reading.metadata.offsets_recoded)
    start, end = _times(log, reading.metadata)
    kept: list[int] = []
    columns: dict[str, list[int]] = {name: [] for name in (*_FILLED, "communicator")}
    complete: dict[int, int] = {}
    defaults = {name: NUMBERS[name][1] for name in _FILLED}
    calls: list[RecorderCall] = []
    for at, call in _made(log, known):
        row = len(kept)
        told = defaults | follower.told(call, row)
        for name in _FILLED:
            columns[name].append(told[name])
        columns["communicator"].append(reading.communicators.number(call, log.rank))
        for done in follower.ended(call):
            complete[done] = int(end[at])
        kept.append(at)
        calls.append(call)
    reading.left_out += len(log.calls) - len(kept)
    ends = end[kept]
    finished = ends.copy()
    for row, moment in complete.items():
        finished[row] = max(moment, int(ends[row]))
    return operations(len(kept), _words(reading, calls, log.rank) | columns | {
        "start": start[kept], "end": ends, "complete": finished,
    })  # fmt: skip


def _made(log: RankLog, known: dict[int, RecorderCall | None]) -> Iterator[tuple[int, RecorderCall]]:
    for at, number in enumerate(log.calls.tolist()):
        call = known.get(number)
        if call is not None:
            yield at, call


def _times(log: RankLog, metadata: RecorderMetadata) -> tuple[Any, Any]:
    """Nanoseconds since the start; ticks count from the start of the call before."""
    ticks = log.ticks.astype(np.int64)
    before = np.concatenate(([0], np.cumsum(ticks[:-1, 0]))) if len(ticks) else np.empty(0, np.int64)
    took = ticks[:, 1] - ticks[:, 0]
    took = np.where(took < 0, took + _WRAP, took)
    begun = before + ticks[:, 0]
    scale = metadata.resolution * 1e9
    limit = 2.0**61
    start = np.rint(np.minimum(begun * scale, limit)).astype(np.int64)
    return start, start + np.rint(np.minimum(took * scale, limit)).astype(np.int64)


def _words(reading: _Reading, calls: list[RecorderCall], rank: int) -> dict[str, Any]:
    threads: dict[int, int] = {}
    names = [reading.functions.setdefault(call.name, len(reading.functions)) for call in calls]
    return {
        "rank": rank,
        "thread": [threads.setdefault(call.thread, len(threads)) for call in calls],
        "level": [LEVELS.index(call.means.level) for call in calls],
        "kind": [KINDS.index(call.means.kind) for call in calls],
        "function": (names, list(reading.functions) or [""]),
        "collective": [call.means.collective for call in calls],
    }


def _header(reading: _Reading) -> Header:
    metadata = reading.metadata
    started = round(metadata.started * 1e9) if 1e9 < metadata.started < 4e9 else 0  # else not since 1970
    return Header(
        metadata.ranks,
        f"Recorder {metadata.version}",
        started=started,
        files=tuple(TracedFile(name) for name in reading.files),
        communicators=reading.communicators.listed(metadata.ranks),
        levels=("mpi-io", "mpi", "posix") if metadata.messages else ("mpi-io", "posix"),
    ).flagged(*_flags(reading))


def _flags(reading: _Reading) -> list[Flag]:
    missing = reading.missing
    told = [
        Flag("sizes-asked", "Recorder keeps the bytes asked for, not those moved, nor whether a call failed"),
        Flag("offset-inferred", "offsets of plain reads and writes were reconstructed per file name"),
        Flag("clocks-unaligned", "Recorder does not compare the ranks' clocks"),
    ]
    if not reading.metadata.messages:
        told.append(Flag("messages-missing", "messages between ranks were not recorded"))
    if missing.sizes:
        told.append(
            Flag("size-unknown", f"{missing.sizes:,} operations on derived datatypes have no size (0)")
        )
    if missing.offsets:
        told.append(Flag("offset-unknown", f"{missing.offsets:,} accesses have no offset (-1)"))
    if missing.views:
        told.append(
            Flag("strides-collapsed", f"{missing.views:,} views of derived datatypes are not in the trace")
        )
    if missing.files:
        told.append(Flag("file-unknown", f"{missing.files:,} MPI-IO calls cannot be assigned to a file"))
    if reading.left_out:
        told.append(
            Flag("unknown-module", f"{reading.left_out:,} calls of HDF5, NetCDF and others were left out")
        )
    if reading.damage:
        more = f", and {len(reading.damage) - 1} more" if len(reading.damage) > 1 else ""
        told.append(Flag("damaged", f"the undamaged part was read; {reading.damage[0]}{more}"))
    return told
