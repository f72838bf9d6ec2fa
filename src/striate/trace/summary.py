"""What a trace says on one screen: who, how long, how much, where the time went, and what to keep in mind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa

from striate.trace.header import Flag
from striate.trace.kinds import COLLECTIVES, KINDS, LEVELS
from striate.trace.resources import MEMORY, MOVED
from striate.trace.tables import front, per_file, per_phase, per_rank

if TYPE_CHECKING:
    from striate.trace.trace import Trace

SCHEMA = "striate.trace-info/1"


class LevelInfo(msgspec.Struct, frozen=True):
    """What was seen at one level."""

    level: str
    operations: int
    reads: int
    bytes_read: int
    writes: int
    bytes_written: int


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
    message_share: float
    slowest_rank: int | None  # the rank longest in I/O
    slowest_rank_seconds: float
    mean_rank_seconds: float
    levels: tuple[LevelInfo, ...]
    collectives: dict[str, int]
    largest_files: tuple[FileInfo, ...]
    phases: tuple[PhaseInfo, ...]
    flags: tuple[Flag, ...]
    resources: tuple[HostUse, ...] = ()

    def to_json(self) -> str:
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"

    def __str__(self) -> str:
        from striate.trace.screen import screen

        return screen(self)


def summarise(trace: Trace) -> Summary:
    """Count and add up; no row is looked at one by one."""
    ranks = per_rank(trace)
    io, messages = (ranks.column(name).to_numpy() for name in ("io_seconds", "message_seconds"))
    seconds = trace.seconds
    asked = trace.where(front(trace))
    read, written = (int(asked.column("bytes")[asked.of_kind(kind)].sum()) for kind in ("read", "write"))
    slowest = int(np.argmax(io)) if io.max(initial=0.0) > 0 else None
    return Summary(
        SCHEMA,
        trace.header.program,
        trace.header.source,
        trace.ranks,
        len(trace.header.hosts),
        len(trace.header.files),
        len(trace.of_ranks()),
        seconds,
        read,
        written,
        float(io.mean()) / seconds if seconds else 0.0,
        float(messages.mean()) / seconds if seconds else 0.0,
        slowest,
        float(io.max(initial=0.0)),
        float(io.mean()),
        _levels(trace),
        _collectives(trace),
        _files(trace),
        _phases(trace),
        trace.header.flags,
        _resources(trace),
    )


def _levels(trace: Trace) -> tuple[LevelInfo, ...]:
    found = []
    for level in LEVELS:
        if level == "program":
            continue
        rows = trace.at_level(level)
        if not rows.any():
            continue
        counts = [int(rows.sum())]
        for kind in ("read", "write"):
            chosen = rows & trace.of_kind(kind)
            counts += [int(chosen.sum()), int(trace.column("bytes")[chosen].sum())]
        found.append(LevelInfo(level, *counts))
    return tuple(found)


def _collectives(trace: Trace) -> dict[str, int]:
    """Calls by kind; a collective access counts as `read_all` or `write_all`."""
    called = np.bincount(trace.column("kind")[trace.at_level("mpi")], minlength=len(KINDS))
    counts = {kind: int(called[KINDS.index(kind)]) for kind in COLLECTIVES}
    together = trace.column("collective") & trace.at_level("mpi-io")
    counts |= {f"{kind}_all": int((together & trace.of_kind(kind)).sum()) for kind in ("read", "write")}
    return {kind: count for kind, count in counts.items() if count}


def _files(trace: Trace, *, most: int = 8) -> tuple[FileInfo, ...]:
    rows = per_file(trace).to_pylist()
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
    table = trace.resources()
    hosts = np.asarray(table.column("host").to_pylist(), object)
    took = table.column("end").to_numpy().astype(np.float64) - table.column("start").to_numpy()
    shares = {name: table.column(name).to_numpy() for name in ("cpu_user", "cpu_system", "cpu_wait")}
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
