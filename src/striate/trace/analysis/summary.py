"""What a trace says on one screen: who, how long, how much, where the time went, and what to keep in mind."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa

from striate.arrow import as_numpy
from striate.trace.analysis.tables import front, per_file, per_phase, per_rank
from striate.trace.analysis.totals import (
    RankSeconds,
    Totals,
    asked_totals,
    file_totals,
    level_totals,
    rank_seconds,
)
from striate.trace.header import Flag
from striate.trace.kinds import ACCESSES, COLLECTIVES, KINDS, LEVELS, METADATA
from striate.trace.records import columns_of, counter
from striate.trace.resources import MEMORY, MOVED
from striate.units import about_size

if TYPE_CHECKING:
    from striate.trace.trace import Trace

SCHEMA = "striate.trace-info/2"


class LevelInfo(msgspec.Struct, frozen=True):
    """What was seen at one level: calls, bytes, and seconds summed over ranks."""

    level: str
    operations: int
    reads: int
    bytes_read: int
    writes: int
    bytes_written: int
    opens: int
    stats: int
    seeks: int
    syncs: int
    access_seconds: float
    metadata_seconds: float


class FileInfo(msgspec.Struct, frozen=True):
    """One file: accesses the program asked for, seconds summed over ranks."""

    name: str
    ranks: int
    bytes_read: int
    bytes_written: int
    seconds: float


class PhaseInfo(msgspec.Struct, frozen=True):
    """One stretch of I/O, seconds from the start of the trace."""

    start: float
    end: float
    bytes_read: int
    bytes_written: int
    ranks: int


class HostUse(msgspec.Struct, frozen=True):
    """One host while it was looked at: mean shares of its CPUs, the most memory used, bytes moved; None: not known."""

    host: str
    samples: int
    cpu_busy: float | None
    cpu_wait: float | None
    memory_used: int | None
    memory_total: int | None
    network_received: int | None
    network_sent: int | None
    disk_read: int | None
    disk_written: int | None


class ProcessUse(msgspec.Struct, frozen=True):
    """One process of a program without MPI: who it was, how many of its threads did I/O, and how much."""

    number: int
    role: str
    launch_rank: int  # -1: none
    threads: int
    bytes_read: int
    bytes_written: int
    program: str


class Summary(msgspec.Struct, frozen=True):
    """Plain numbers; bytes are those the program asked for (MPI-IO where a file has some, POSIX otherwise)."""

    schema: str
    program: str
    source: str
    ranks: int
    hosts: int
    files: int
    operations: int
    seconds: float
    bytes_read: int
    bytes_written: int
    io_share: float  # mean over ranks of the time in I/O / run time
    message_share: float | None  # None: messages were not recorded
    slowest_rank: int | None  # the rank longest in I/O
    slowest_rank_seconds: float
    mean_rank_seconds: float
    ranks_known: (
        bool  # False: records were merged over ranks, and the slowest rank took at least what is told
    )
    levels: tuple[LevelInfo, ...]
    collectives: dict[str, int]
    largest_files: tuple[FileInfo, ...]
    phases: tuple[PhaseInfo, ...]
    flags: tuple[Flag, ...]
    resources: tuple[HostUse, ...] = ()
    processes: tuple[ProcessUse, ...] = ()

    @property
    def read_below(self) -> str:
        """What POSIX calls below MPI-IO read that the program did not ask for, in words; empty where they did not."""
        read = sum(level.bytes_read for level in self.levels if level.level == "posix")
        if read <= self.bytes_read:
            return ""
        return (
            f"below MPI-IO, POSIX calls read {about_size(read)} (as data sieving does before it writes); "
            "their time counts as reading"
        )

    def to_json(self) -> str:
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"

    def __str__(self) -> str:
        from striate.trace.analysis.screen import screen

        return screen(self)


def summarise(trace: Trace) -> Summary:
    """Count and add up; no row is looked at one by one. A profiler's counters count where there are some."""
    seconds = trace.seconds
    spent = rank_seconds(trace) if trace.records else _traced_seconds(trace)
    levels = _levels(trace)
    read, written = _asked_bytes(trace)
    return Summary(
        SCHEMA,
        trace.header.program,
        trace.header.source,
        trace.ranks,
        len(trace.header.hosts),
        len(trace.header.files),
        sum(level.operations for level in levels) if trace.records else len(trace.of_ranks()),
        seconds,
        read,
        written,
        spent.mean / seconds if seconds else 0.0,
        _message_share(trace),
        spent.slowest,
        spent.slowest_seconds,
        spent.mean,
        spent.exact,
        levels,
        _collectives(trace),
        _files(trace),
        _phases(trace),
        trace.header.flags,
        _resources(trace),
        _processes(trace),
    )


def _traced_seconds(trace: Trace) -> RankSeconds:
    """Seconds in I/O of the ranks of a trace with every call, overlaps counted once."""
    io = as_numpy(per_rank(trace).column("io_seconds"))
    most = float(io.max(initial=0.0))
    return RankSeconds(float(io.mean()), int(np.argmax(io)) if most > 0 else None, most, True)


def _asked_bytes(trace: Trace) -> tuple[int, int]:
    if trace.records:
        total = asked_totals(trace)
        return total.bytes_read, total.bytes_written
    asked = trace.where(front(trace))
    read, written = (int(asked.column("bytes")[asked.of_kind(kind)].sum()) for kind in ("read", "write"))
    return read, written


def _processes(trace: Trace) -> tuple[ProcessUse, ...]:
    if not trace.header.processes:
        return ()
    asked = trace.where(front(trace))
    read, written = (
        np.bincount(asked.column("rank"), asked.column("bytes") * asked.of_kind(kind), trace.ranks)
        for kind in ("read", "write")
    )
    return tuple(
        ProcessUse(
            one.number,
            one.role,
            one.launch_rank,
            len(one.ranks),
            int(read[list(one.ranks)].sum()),
            int(written[list(one.ranks)].sum()),
            one.program,
        )
        for one in trace.header.processes
    )


def _message_share(trace: Trace) -> float | None:
    """Mean over ranks of the time in messages / run time; None where nobody recorded them."""
    if "APMPI" in trace.records and trace.seconds:
        counted = counter(columns_of(trace.records["APMPI"]), "total_comm_time")
        return float(counted.sum()) / trace.ranks / trace.seconds
    if any(flag.code == "messages-missing" for flag in trace.header.flags):
        return None
    if not trace.seconds:
        return 0.0
    return float(as_numpy(per_rank(trace).column("message_seconds")).mean()) / trace.seconds


def _levels(trace: Trace) -> tuple[LevelInfo, ...]:
    counted = level_totals(trace)
    found = []
    for level in LEVELS:
        if level in counted or (level != "program" and trace.at_level(level).any()):
            total = counted.get(level) or _traced_totals(trace, level)
            operations = total.operations if level in counted else int(trace.at_level(level).sum())
            found.append(LevelInfo(level, operations, **asdict(total)))
    return tuple(found)


def _traced_totals(trace: Trace, level: str) -> Totals:
    """Totals of a level whose every call is a row."""
    rows = trace.at_level(level)
    took = (trace.column("end") - trace.column("start")) / 1e9

    def count(kind: str) -> int:
        return int((rows & trace.of_kind(kind)).sum())

    def size(kind: str) -> int:
        return int(trace.column("bytes")[rows & trace.of_kind(kind)].sum())

    return Totals(
        count("read"), size("read"), count("write"), size("write"),
        count("open"), count("stat"), count("seek"), count("sync"),
        float(took[rows & trace.of_kind(*ACCESSES)].sum()), float(took[rows & trace.of_kind(*METADATA)].sum()),
    )  # fmt: skip


def _collectives(trace: Trace) -> dict[str, int]:
    """Calls by kind; a collective access counts as `read_all` or `write_all`."""
    called = np.bincount(trace.column("kind")[trace.at_level("mpi")], minlength=len(KINDS))
    counts = {kind: int(called[KINDS.index(kind)]) for kind in COLLECTIVES}
    counts |= {f"{kind}_all": _together(trace, kind) for kind in ("read", "write")}
    return {kind: count for kind, count in counts.items() if count}


def _together(trace: Trace, kind: str) -> int:
    """Collective accesses of a kind, all ranks' calls counted."""
    if "MPI-IO" in trace.records:
        columns = columns_of(trace.records["MPI-IO"])
        return sum(int(counter(columns, f"{form}_{kind}s").sum()) for form in ("coll", "split"))
    return int((trace.column("collective") & trace.at_level("mpi-io") & trace.of_kind(kind)).sum())


def _files(trace: Trace, *, most: int = 8) -> tuple[FileInfo, ...]:
    rows = (file_totals(trace) if trace.records else per_file(trace)).to_pylist()
    rows.sort(key=lambda row: (-(row["bytes_read"] + row["bytes_written"]), -row["seconds"], row["file"]))
    return tuple(
        FileInfo(row["file"], row["ranks"], row["bytes_read"], row["bytes_written"], row["seconds"])
        for row in rows[:most]
    )


def _phases(trace: Trace, *, most: int = 1000) -> tuple[PhaseInfo, ...]:
    names = ("start", "end", "bytes_read", "bytes_written", "ranks")
    rows = per_phase(trace).select(list(names)).slice(0, most).to_pylist()
    return tuple(PhaseInfo(**row) for row in rows)


def _resources(trace: Trace, *, most: int = 1000) -> tuple[HostUse, ...]:
    if not len(trace.samples):
        return ()
    table = trace.resources()
    hosts = np.asarray(table.column("host").to_pylist(), object)
    took = as_numpy(table.column("end")).astype(np.float64) - as_numpy(table.column("start"))
    shares = {name: as_numpy(table.column(name)) for name in ("cpu_user", "cpu_system", "cpu_wait")}
    found = []
    for host in list(dict.fromkeys(hosts.tolist()))[:most]:
        rows = hosts == host
        busy = _mean((shares["cpu_user"] + shares["cpu_system"])[rows], took[rows])
        waiting = _mean(shares["cpu_wait"][rows], took[rows])
        mine = table.filter(pa.array(rows))
        known = {
            name: [value for value in mine.column(name).to_pylist() if value is not None]
            for name in (*MEMORY, *MOVED)
        }
        used, total = (max(known[name], default=None) for name in ("memory_used", "memory_total"))
        moved = [min(sum(known[name]), 2**63 - 1) if known[name] else None for name in MOVED]
        found.append(HostUse(host, len(mine) + 1, busy, waiting, used, total, *moved))
    return tuple(found)


def _mean(shares: Any, weights: Any) -> float | None:
    """Weighted by how long each lasted; None when none is known."""
    known = ~np.isnan(shares)
    return float((shares[known] * weights[known]).sum() / weights[known].sum()) if known.any() else None
