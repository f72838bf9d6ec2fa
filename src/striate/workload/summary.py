"""What a workload asks for in all: ranks, files, bytes, calls and named parts, without unrolling its loops."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from striate.workload.application import Application
from striate.workload.kinds import ACCESSES, WRITES, Kind
from striate.workload.walk import ProgramLine, lines
from striate.workload.workload import Workload

SCHEMA = "striate.workload/1"


@dataclass(frozen=True, slots=True)
class ApplicationSummary:
    """One program of a workload: bytes over all ranks, calls by their kind."""

    name: str
    ranks: int
    files: int
    bytes_written: int
    bytes_read: int
    calls: dict[str, int]
    phases: tuple[str, ...]
    reused_buffer: int | None = None  # bytes of the one buffer of a rank


@dataclass(frozen=True, slots=True)
class WorkloadSummary:
    applications: tuple[ApplicationSummary, ...]
    schema: str = SCHEMA


def summary_of(workload: Workload) -> WorkloadSummary:
    """The sums of every application, exact."""
    return WorkloadSummary(tuple(map(_summed, workload.applications)))


class MovedBytes(NamedTuple):
    """Bytes of all ranks and files; passes of a loop that write to the same place again count once in `new`."""

    new: int
    written: int
    read: int


def moved_bytes(workload: Workload) -> MovedBytes:
    """What the programs write and read, exact."""
    new = written = read = 0
    for application in workload.applications:
        for line in lines(application, kinds=ACCESSES):
            moved = _moved(line)
            if line.kind in WRITES:
                new += moved // line.still("file", "offset", "bytes", "count")
                written += moved
            else:
                read += moved
    return MovedBytes(new, written, read)


def _summed(application: Application) -> ApplicationSummary:
    calls: Counter[str] = Counter()
    written = read = 0
    for line in lines(application):
        calls[line.kind.label] += line.times * len(line.ranks)
        if line.kind in ACCESSES:
            moved = _moved(line)
            written, read = (written + moved, read) if line.kind in WRITES else (written, read + moved)
    for mark in (Kind.REGION_BEGIN, Kind.REGION_END):
        calls.pop(mark.label, None)
    files = sum(file.count for file in application.files)
    return ApplicationSummary(
        application.name,
        application.ranks,
        files,
        written,
        read,
        dict(calls),
        tuple(application.regions),
        application.reused_buffer,
    )


def _moved(line: ProgramLine) -> int:
    """Bytes of all passes and ranks: size times count, each of which may move with the loops."""
    size, count = line.column("bytes"), line.column("count")
    total = 0
    for more_size, more_count in line.passes("bytes", "count"):
        blocks = (size[None, :] + more_size[:, None]) * (count[None, :] + more_count[:, None])
        total += (int((blocks >> 32).sum()) << 32) + int((blocks & 0xFFFFFFFF).sum())  # exact beyond 63 bits
    return total * line.still("bytes", "count")
