"""Reads Darshan logs: extended records (DXT) where there are some, counters otherwise."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from striate.errors import TraceError
from striate.formats.readers.darshan import dxt
from striate.formats.readers.darshan.counters import LARGEST, Counters, counters
from striate.formats.readers.darshan.log import MAGIC, Job, Log, open_log
from striate.formats.readers.darshan.rebuild import rebuild
from striate.trace.columns import operations
from striate.trace.header import MOST_RANKS, File, Flag, Header
from striate.trace.kinds import KINDS, LEVELS
from striate.trace.trace import Trace

_PAIRS = (("MPI-IO", "DXT_MPIIO", "mpi-io"), ("POSIX", "DXT_POSIX", "posix"), ("STDIO", None, "posix"))
_LONGEST = 3.2e8  # seconds: ten years
_MOST_FILES = 2**24


def recognises(path: Path, head: bytes) -> bool:
    return len(head) >= 16 and any(struct.unpack_from(sign + "q", head, 8)[0] == MAGIC for sign in "<>")


@dataclass(slots=True)
class _Reading:
    """What has been read so far."""

    log: Log
    job: Job
    tables: list[pa.Table] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    hosts: dict[int, str] = field(default_factory=dict)
    file_of: dict[int, int] = field(default_factory=dict)
    bad_rows: int = 0

    def flag(self, code: str, message: str) -> None:
        self.flags.append(Flag(code, message))

    def files(self, numbers: NDArray[np.uint64]) -> NDArray[np.int32]:
        """File numbers for record ids, new ones in order of first use."""
        ids, place = np.unique(numbers, return_inverse=True)
        mine = [self.file_of.setdefault(number, len(self.file_of)) for number in ids.tolist()]
        return np.array(mine, np.int32)[place] if len(mine) else np.empty(0, np.int32)


def read(path: Path) -> Trace:
    """Read a log as far as it is sound; what it cannot tell, or lost, is in the flags."""
    log = open_log(path)
    job = log.job()
    if not 1 <= job.ranks <= MOST_RANKS:
        raise TraceError(f"expected 1 to {MOST_RANKS} processes, the log says {job.ranks}", at="job")
    reading = _Reading(log, job)
    for module, extended, level in _PAIRS:
        _read_level(reading, module, extended, level)
    names, whole = log.file_names()
    if not whole:
        reading.flag("damaged", "the list of file names is broken; names that are missing are numbers")
    if reading.bad_rows:
        reading.flag(
            "damaged", f"{reading.bad_rows:,} records with impossible ranks, times or sizes were left out"
        )
    reading.flag("metadata-missing", "Darshan records no single opens, closes, syncs and seeks")
    reading.flag("messages-missing", "Darshan records no messages and no communicators")
    table = pa.concat_tables(reading.tables) if reading.tables else operations(0, {})
    return Trace.of(table.unify_dictionaries(), _header(reading, names))


def _read_level(reading: _Reading, module: str, extended: str | None, level: str) -> None:
    log = reading.log
    records = _counters(reading, module)
    known = np.empty(0, np.uint64)
    if extended in log.modules and extended is not None:
        segments = _segments(reading, extended)
        if segments is not None:
            known = np.unique(segments.id)
            _add_segments(reading, segments, records, extended, level)
    if records is None:
        return
    rows = rebuild(records, known, ranks=reading.job.ranks)
    if len(rows.id):
        split = "; records merged over all ranks are split evenly" if rows.spread else ""
        reading.flag(
            "reconstructed" if module != "STDIO" else "reconstructed-stdio",
            f"{module}: {len(rows.id):,} rows stand for all accesses of a file by a rank, made from counters: bytes "
            f"and calls are exact, order, offsets and times are not{split}",
        )
        words = ("fread", "fwrite") if module == "STDIO" else ("", "")
        _add(reading, rows, level, words, blocks=rows.blocks, collective=rows.collective)


def _counters(reading: _Reading, module: str) -> Counters | None:
    log = reading.log
    if module not in log.modules:
        return None
    content, whole = log.records(module)
    records = counters(module, log.modules[module].version, content, order=log.order)
    if records is None:
        reading.flag(
            "unknown-module", f"{module} records of version {log.modules[module].version} are not understood"
        )
        return None
    if not whole or not records.whole:
        reading.flag("damaged", f"the {module} counters end early")
    if log.modules[module].partial:
        reading.flag("truncated", f"Darshan ran out of room for {module} counters; some files are missing")
    return records


def _segments(reading: _Reading, module: str) -> dxt.Segments | None:
    log = reading.log
    version = log.modules[module].version
    if not 1 <= version <= dxt.KNOWN[module]:
        reading.flag("unknown-module", f"{module} records of version {version} are not understood")
        return None
    content, whole = log.records(module)
    found = dxt.segments(content, order=log.order, threads=version >= dxt.THREADS_SINCE[module])
    if not whole or not found.whole:
        reading.flag("damaged", f"the {module} records end early; what came before was read")
    reading.hosts |= found.hosts
    return found


def _add_segments(
    reading: _Reading, found: dxt.Segments, records: Counters | None, module: str, level: str
) -> None:
    collective = np.zeros(len(found.id), bool)
    if level == "mpi-io":
        reading.flag(
            "strides-collapsed", "an MPI-IO access through a strided view shows as one run of its size"
        )
        if records is not None:
            collective = _together(reading, found, records)
    if reading.log.modules[module].partial:
        reading.flag(
            "truncated",
            f"Darshan ran out of room for {module}: later accesses are missing{_lost(found, records)}",
        )
    _, thread = np.unique(found.thread, return_inverse=True)
    offset = found.offset
    if reading.log.modules[module].version < dxt.OFFSETS_SINCE[module] or (offset < 0).any():
        reading.flag("offset-unknown", f"some {module} accesses have no offset (-1)")
        offset = np.maximum(offset, -1)
    _add(
        reading,
        found,
        level,
        ("", ""),
        offset=offset,
        bytes=found.length,
        thread=thread,
        collective=collective,
    )


def _lost(found: dxt.Segments, records: Counters | None) -> str:
    if records is None:
        return ""
    counted = int(records.moved("read").sum()) + int(records.moved("write").sum())
    kept = int(np.maximum(found.length, 0).sum())
    return f" ({kept:,} of {counted:,} bytes kept)" if counted > kept else ""


def _together(reading: _Reading, found: dxt.Segments, records: Counters) -> NDArray[np.bool_]:
    """Collective where all calls of that kind on the file were; the log says no more than that."""
    collective = np.zeros(len(found.id), bool)
    mixed = False
    for kind in ("read", "write"):
        calls, together = records.calls(kind), records.numbers[f"collective_{kind}s"]
        every = np.isin(found.id, records.id[(together > 0) & (together == calls)])
        alone = np.isin(found.id, records.id[together < calls])
        mixed |= bool((np.isin(found.id, records.id[(together > 0) & (together < calls)])).any())
        collective |= every & ~alone & (found.write == (kind == "write"))
    if mixed:
        reading.flag(
            "collective-unknown", "files with both collective and independent accesses count as independent"
        )
    reading.flag("collective-inferred", "collective accesses were inferred from the counters of their file")
    return collective


def _add(reading: _Reading, rows: Any, level: str, words: tuple[str, str], **columns: Any) -> None:
    columns.setdefault("offset", getattr(rows, "offset", None))
    columns.setdefault("bytes", getattr(rows, "bytes", None))
    start, end = rows.start, rows.end
    with np.errstate(invalid="ignore"):
        sound = (rows.rank >= 0) & (rows.rank < reading.job.ranks)
        sound &= (columns["bytes"] >= 0) & (columns["bytes"] < LARGEST) & (columns["offset"] >= -1)
        sound &= (start >= 0) & (end >= start) & (end < _LONGEST)
    reading.bad_rows += int((~sound).sum())
    columns = {name: column[sound] for name, column in columns.items()}
    write = rows.write[sound]
    if len(reading.file_of) > _MOST_FILES:
        raise TraceError(f"expected at most {_MOST_FILES} files")
    columns |= {
        "rank": rows.rank[sound],
        "level": LEVELS.index(level),
        "kind": np.where(write, KINDS.index("write"), KINDS.index("read")),
        "function": (write.astype(np.int16), words) if words[0] else (0, ("",)),
        "file": reading.files(rows.id[sound]),
        "start": np.rint(start[sound] * 1e9).astype(np.int64),
        "end": np.rint(end[sound] * 1e9).astype(np.int64),
    }
    if "blocks" in columns:
        columns["stride"] = columns["bytes"] // np.maximum(columns["blocks"], 1)
    reading.tables.append(operations(int(sound.sum()), columns))


def _header(reading: _Reading, names: dict[int, str]) -> Header:
    job = reading.job
    stripes = _stripes(reading)
    files = []
    for number in reading.file_of:
        name = names.get(number, f"record {number:#x}")
        mount = next((kind for path, kind in job.mounts if name.startswith(path)), None)
        files.append(File(name, mount, hints=stripes.get(number, {})))
    hosts, host_of_rank = _hosts(reading)
    return Header(
        job.ranks,
        f"Darshan {job.library}".strip(),
        job.program,
        job.started,
        job.duration,
        hosts,
        host_of_rank,
        tuple(files),
        levels=tuple(level for module, _, level in _PAIRS[:2] if module in reading.log.modules),
    ).flagged(*reading.flags)


def _hosts(reading: _Reading) -> tuple[tuple[str, ...], tuple[int, ...]]:
    named = {rank: host for rank, host in reading.hosts.items() if 0 <= rank < reading.job.ranks}
    if not named:
        return (), ()
    hosts = list(dict.fromkeys(named[rank] for rank in sorted(named)))
    if len(named) < reading.job.ranks:
        hosts.append("unknown")
    number = {host: at for at, host in enumerate(hosts)}
    return tuple(hosts), tuple(number[named.get(rank, "unknown")] for rank in range(reading.job.ranks))


def _stripes(reading: _Reading) -> dict[int, dict[str, str]]:
    """Lustre striping of each file, as the MPI hints that ask for the same; version 1 of the records only."""
    log = reading.log
    if "LUSTRE" not in log.modules:
        return {}
    if log.modules["LUSTRE"].version != 1:
        reading.flag(
            "unknown-module", "LUSTRE records with several components are not understood: no striping"
        )
        return {}
    content, _ = log.records("LUSTRE")
    found, at = {}, 0
    while at + 56 <= len(content):
        number, _, _, _, _, unit, width = struct.unpack_from(f"{log.order}Q6q", content, at)
        at += 56
        if not 0 <= width <= (len(content) - at) // 8:
            break
        at += 8 * width
        found[number] = {"striping_unit": str(unit), "striping_factor": str(width)}
    return found
