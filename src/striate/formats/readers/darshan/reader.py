"""Reads Darshan logs: extended records (DXT) where there are some, counters otherwise."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from striate.arrow import among, array, as_numpy, distinct, strings, taken
from striate.errors import TraceError
from striate.formats.readers.darshan import dxt
from striate.formats.readers.darshan.counters import Counters, counters
from striate.formats.readers.darshan.layouts import SHAPES
from striate.formats.readers.darshan.log import MAGIC, AnyLog, DarshanJob, open_log
from striate.formats.readers.darshan.lustre import stripe_hints
from striate.formats.readers.darshan.old_format import OldLog, old_version, open_old
from striate.formats.readers.darshan.parser_output import HEAD, TextLog, read_text
from striate.formats.readers.darshan.parts import PARTS
from striate.formats.readers.darshan.rebuild import rebuild
from striate.trace.columns import operations
from striate.trace.header import MOST_RANKS, Flag, Header, TracedFile
from striate.trace.kinds import KINDS, LEVELS
from striate.trace.records import ALL_RANKS, LARGEST, calls, moved
from striate.trace.trace import Trace
from striate.units import counted

# Module of the counters, of the single accesses, level of the calls, and what reads and writes are called there.
_DATA = (
    ("MPI-IO", "DXT_MPIIO", "mpi-io", ("", "")),
    ("POSIX", "DXT_POSIX", "posix", ("", "")),
    ("STDIO", None, "posix", ("fread", "fwrite")),
    ("DFS", None, "posix", ("dfs_read", "dfs_write")),
)
_READ = frozenset((*(module for module, _ in SHAPES), *PARTS, "DXT_POSIX", "DXT_MPIIO", "NULL"))
_HEAD_BYTES = 4096
_LONGEST = 3.2e8  # seconds: ten years
_MOST_FILES = 2**24
_SPENT = ("read_time", "write_time", "meta_time")
_NOISE = 1e-6  # seconds below 0 that a clock may give


def recognises(path: Path, head: bytes) -> bool:
    if head.startswith(HEAD) or old_version(path, head) is not None:
        return True
    return len(head) >= 16 and any(struct.unpack_from(sign + "q", head, 8)[0] == MAGIC for sign in "<>")


@dataclass(slots=True)
class _Reading:
    """What has been read so far."""

    log: AnyLog
    job: DarshanJob
    names: dict[int, str]
    tables: list[pa.Table] = field(default_factory=list)
    records: dict[str, pa.Table] = field(default_factory=dict)
    flags: list[Flag] = field(default_factory=list)
    hosts: dict[int, str] = field(default_factory=dict)
    file_of: dict[int, int] = field(default_factory=dict)
    bad_rows: int = 0
    single: bool = False  # whether there are single accesses

    def flag(self, code: str, message: str) -> None:
        if Flag(code, message) not in self.flags:
            self.flags.append(Flag(code, message))

    def files(self, numbers: NDArray[np.uint64]) -> NDArray[np.int32]:
        """File numbers for record ids, new ones in order of first use."""
        ids, place = np.unique(numbers, return_inverse=True)
        mine = [self.file_of.setdefault(number, len(self.file_of)) for number in ids.tolist()]
        if len(self.file_of) > _MOST_FILES:
            raise TraceError(f"expected at most {_MOST_FILES} files, found {len(self.file_of)}")
        return np.array(mine, np.int32)[place] if len(mine) else np.empty(0, np.int32)

    def file_number(self, number: int) -> int:
        """The number of the file with this record id."""
        return self.file_of.setdefault(number, len(self.file_of))


def read(path: Path) -> Trace:
    """Read a log as far as it is sound; what it cannot tell, or lost, is in the flags."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    log = _opened(path, head)
    job = log.job()
    if not 1 <= job.ranks <= MOST_RANKS:
        raise TraceError(f"expected a log of 1 to {MOST_RANKS} processes, found {job.ranks}", at="job")
    names, whole = log.file_names()
    reading = _Reading(log, job, names)
    if not whole:
        reading.flag("damaged", "the list of file names is damaged; missing names are shown as numbers")
    for module, extended, level, words in _DATA:
        _read_level(reading, module, extended, level, words)
    for module in log.modules:
        _read_others(reading, module)
    _flag_limits(reading)
    table = pa.concat_tables(reading.tables) if reading.tables else operations(0, {})
    return Trace.of(table.unify_dictionaries(), _header(reading), records=reading.records)


def _opened(path: Path, head: bytes) -> AnyLog:
    if (version := old_version(path, head)) is not None:
        return open_old(path, head, version)
    return read_text(path) if head.startswith(HEAD) else open_log(path)


def _flag_limits(reading: _Reading) -> None:
    """Say what the log lost, and what Darshan does not record."""
    if reading.bad_rows:
        reading.flag(
            "damaged", f"{reading.bad_rows:,} records with impossible ranks, times or sizes were left out"
        )
    if reading.records and not reading.single:
        reading.flag(
            "accesses-missing", "Darshan kept no single accesses (DXT), only counters per file and rank"
        )
    if isinstance(reading.log, TextLog):
        reading.flag(
            "text", "read from the text of darshan-parser: times are rounded, heat maps and messages left out"
        )
        if reading.log.broken:
            reading.flag("damaged", f"{reading.log.broken:,} invalid lines were left out")
    if isinstance(reading.log, OldLog):
        reading.flag(
            "old-format",
            "Darshan 2 kept only the ends of file names, and no bytes of MPI-IO: the POSIX counters are used instead",
        )
    if reading.log.version == "3.20":
        reading.flag("doubtful", "Darshan 3.2.0 is known to have damaged counters of common access sizes")
    reading.flag(
        "metadata-missing", "Darshan records no single opens, closes, syncs and seeks, only their sums"
    )
    if "APMPI" not in reading.records:
        reading.flag(
            "messages-missing", "Darshan recorded no messages; time outside I/O may be computing or waiting"
        )
    else:
        reading.flag(
            "messages-missing", "Darshan records no single messages and no communicators, only their sums"
        )


def _read_others(reading: _Reading, module: str) -> None:
    """Modules without rows of their own: libraries above MPI-IO, where files lie, heat maps, messages."""
    log = reading.log
    if module in PARTS:
        content, whole = log.records(module)
        part = PARTS[module](log, content, reading.file_number, reading.names)
        if part is None:
            reading.flag(
                "unknown-module",
                f"{module} records of version {log.modules[module].version} are not supported",
            )
            return
        table, sound = part
        _keep_records(reading, module, table)
        if not (whole and sound):
            reading.flag("damaged", f"the {module} records end early; what came before was read")
    elif module not in _READ:
        reading.flag("unknown-module", f"{module} records are not supported and were left out")
    elif module in ("H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "DAOS", "BG/Q"):
        _counters(reading, module)


def _read_level(
    reading: _Reading, module: str, extended: str | None, level: str, words: tuple[str, str]
) -> None:
    log = reading.log
    records = _counters(reading, module)
    known = np.empty(0, np.uint64)
    if extended in log.modules and extended is not None:
        segments = _segments(reading, extended)
        if segments is not None:
            known = distinct(segments.id)
            reading.single |= len(known) > 0
            _add_segments(reading, segments, records, extended, level)
    if records is None:
        return
    rows = rebuild(records, known, ranks=reading.job.ranks)
    if not len(rows.id):
        return
    reading.flag(
        f"reconstructed-{module.lower()}",
        f"{module}: {_each_row(len(rows.id))} stands for all accesses of a file by a rank, derived from "
        "counters: bytes and calls are exact; order, offsets and times are not",
    )
    if rows.spread:
        reading.flag(
            "merged-records",
            "Darshan merged its records of files that all ranks used: their sums are exact, what each rank did is "
            "not known, and their rows here share them evenly",
        )
    _add(reading, rows, level, words, blocks=rows.blocks, collective=rows.collective)


def _counters(reading: _Reading, module: str) -> Counters | None:
    log = reading.log
    if module not in log.modules:
        return None
    content, whole = log.records(module)
    records = counters(module, log.modules[module].version, content, order=log.order)
    if records is None:
        reading.flag(
            "unknown-module", f"{module} records of version {log.modules[module].version} are not supported"
        )
        return None
    if not whole or not records.whole:
        reading.flag("damaged", f"the {module} counters end early")
    if log.modules[module].partial:
        reading.flag("truncated", f"Darshan ran out of room for {module} counters; some files are missing")
    if odd := _odd_times(records):
        reading.flag(
            "doubtful", f"{counted(odd, f'{module} record')} with impossible times: these count as 0"
        )
    found = {"file": reading.files(records.file), **records.columns}
    columns: dict[str, Any] = {name: array(column) for name, column in found.items()}
    if module in ("H5D", "PNETCDF_VAR"):
        columns["name"] = strings(
            [reading.names.get(number, f"{number:#x}") for number in records.id.tolist()]
        )
    _keep_records(reading, module, pa.table(columns))
    return records


def _odd_times(records: Counters) -> int:
    """How many records say that calls took less than nothing, or no number of seconds."""
    spent = [records.columns[name] for name in _SPENT if name in records.columns]
    return int((~(np.array(spent) >= -_NOISE) | np.isinf(spent)).any(axis=0).sum()) if spent else 0


def _keep_records(reading: _Reading, module: str, table: pa.Table) -> None:
    """Keep the records of ranks that the job has; 32-bit numbers for files and ranks."""
    rank = as_numpy(table.column("rank"))
    sound = (rank >= ALL_RANKS) & (rank < reading.job.ranks)
    reading.bad_rows += int((~sound).sum())
    if not sound.all():
        table = taken(table, np.flatnonzero(sound))
    for name in ("file", "rank"):
        numbers = as_numpy(table.column(name))
        table = table.set_column(table.column_names.index(name), name, array(numbers.astype(np.int32)))
    reading.records[module] = table


def _each_row(rows: int) -> str:
    return "one row" if rows == 1 else f"each of {rows:,} rows"


def _segments(reading: _Reading, module: str) -> dxt.Segments | None:
    log = reading.log
    version = log.modules[module].version
    if not 1 <= version <= dxt.KNOWN[module]:
        reading.flag("unknown-module", f"{module} records of version {version} are not supported")
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
    counted = int(moved(records.columns, "read").sum()) + int(moved(records.columns, "write").sum())
    kept = int(np.maximum(found.length, 0).sum())
    return f" ({kept:,} of {counted:,} bytes kept)" if counted > kept else ""


def _together(reading: _Reading, found: dxt.Segments, records: Counters) -> NDArray[np.bool_]:
    """Collective where all calls of that kind on the file were; the log says no more than that."""
    collective = np.zeros(len(found.id), bool)
    mixed = False
    for kind in ("read", "write"):
        called, together = calls(records.columns, kind), records.columns[f"coll_{kind}s"]
        every = among(found.id, records.id[(together > 0) & (together == called)])
        alone = among(found.id, records.id[together < called])
        mixed |= bool(among(found.id, records.id[(together > 0) & (together < called)]).any())
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


def _header(reading: _Reading) -> Header:
    job = reading.job
    stripes = stripe_hints(reading.records, len(reading.file_of))
    files = []
    for at, number in enumerate(reading.file_of):
        name = reading.names.get(number, f"record {number:#x}")
        mount = next((kind for path, kind in job.mounts if name.startswith(path)), None)
        files.append(TracedFile(name, mount, hints=stripes.get(at, {})))
    hosts, host_of_rank = _hosts(reading)
    watched = {level: None for module, _, level, _ in _DATA if module in reading.log.modules}
    return Header(
        job.ranks,
        f"Darshan {job.library}".strip(),
        job.program,
        job.started,
        job.duration,
        hosts,
        host_of_rank,
        tuple(files),
        levels=tuple(watched),
        job=str(job.number) if job.number > 0 else "",
        mounts=dict(job.mounts),
    ).flagged(*reading.flags)


def _hosts(reading: _Reading) -> tuple[tuple[str, ...], tuple[int, ...]]:
    told = reading.records.get("APMPI")
    if told is not None:
        reading.hosts |= dict(
            zip(told.column("rank").to_pylist(), told.column("host").to_pylist(), strict=True)
        )
    named = {rank: host for rank, host in reading.hosts.items() if 0 <= rank < reading.job.ranks}
    if not named:
        return (), ()
    hosts = list(dict.fromkeys(named[rank] for rank in sorted(named)))
    if len(named) < reading.job.ranks:
        hosts.append("unknown")
    number = {host: at for at, host in enumerate(hosts)}
    return tuple(hosts), tuple(number[named.get(rank, "unknown")] for rank in range(reading.job.ranks))
