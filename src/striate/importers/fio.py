"""FIO: a job file, or its command line, as a workload; every process of a job is a rank."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd, lcm
from pathlib import Path
from typing import Any

import numpy as np

from striate.errors import WorkloadError
from striate.importers.block_order import at_random, in_turn
from striate.importers.fio_options import FioJob, read_job
from striate.importers.ini_text import Section, read_sections
from striate.importers.written_program import WrittenProgram
from striate.limits import read_small_text
from striate.workload import Workload

ALONE = "alone"  # a communicator of one rank each
MOST_AT_ONCE = 1024  # accesses after which a pattern of directions, syncs and waits begins again
MOST_PROCESSES = 2**20
GLOBAL = "global"


def from_words(words: list[str], ranks: int | None) -> Workload:
    """The workload of the words after `fio`: a job file, or jobs from `--name=...` on."""
    files = [word for word in words if not word.startswith("-")]
    if len(files) == 1 and len(words) == 1:
        return from_file(Path(files[0]), ranks)
    if files:
        raise WorkloadError(
            f"expected one fio job file, or only options such as --name=job --rw=read, got {' '.join(words)!r:.60}",
            source="fio",
        )
    return workload_of(_jobs(_sections_of(words), "fio"), ranks=ranks, source="fio")


def from_file(path: Path, ranks: int | None) -> Workload:
    """The workload of a job file; raises WorkloadError with the section and option of the mistake."""
    sections = read_sections(read_small_text(path, kind=WorkloadError), source=str(path), marks=("#", ";"))
    return workload_of(_jobs(sections, str(path)), ranks=ranks, source=str(path))


def _sections_of(words: Iterable[str]) -> tuple[Section, ...]:
    sections: list[tuple[str, list[tuple[str, str | None]]]] = [(GLOBAL, [])]
    for word in words:
        key, equals, value = word.removeprefix("--").partition("=")
        if key == "name":
            sections.append((value, []))
        else:
            sections[-1][1].append((key, value if equals else None))
    return tuple(Section(name, tuple(keys)) for name, keys in sections)


def _jobs(sections: tuple[Section, ...], source: str) -> list[FioJob]:
    """The jobs, each with what the [global] sections before it say."""
    shared: list[tuple[str, str | None]] = []
    jobs = []
    for section in sections:
        if section.name == GLOBAL:
            shared += section.keys
        else:
            jobs.append(read_job(section.name, [*shared, *section.keys], source=source))
    if not jobs:
        raise WorkloadError(
            "expected a fio job, that is a section other than [global], found none", source=source
        )
    return jobs


def workload_of(jobs: list[FioJob], *, ranks: int | None, source: str) -> Workload:
    """All jobs side by side; one that waits for those before it begins when they have ended."""
    processes = sum(job.processes for job in jobs)
    if processes > MOST_PROCESSES:
        raise WorkloadError(
            f"expected at most {MOST_PROCESSES:,} processes in all fio jobs together, got {processes:,}",
            at="numjobs",
            source=source,
        )
    if ranks not in (None, processes):
        raise WorkloadError(
            f"expected --ranks {processes}, the number of processes of all fio jobs, got --ranks {ranks}",
            source=source,
        )
    body = WrittenProgram(processes, name="fio", source=source, communicators={ALONE: range(processes)})
    shared: dict[str, Any] = {}
    first = 0
    for job in jobs:
        if job.waits and first:
            body.barrier()
        numbers = np.clip(body.rank - first, 0, job.processes - 1)  # of the process within its job
        with body.only((body.rank >= first) & (body.rank < first + job.processes)), body.region(job.name):
            _write_job(body, job, _files(body, job, numbers, shared, source), numbers, source)
        first += job.processes
    return body.workload().with_reused_buffer(max(job.buffer_bytes for job in jobs))


def _files(body: Any, job: FioJob, numbers: Any, shared: dict[str, Any], source: str) -> Any:
    """Number of the first file of each rank: one that its jobs share by name, or files of its own."""
    folder = f"{job.directory}/" if job.directory else ""
    if job.filename:
        name = folder + job.filename
        shared[name] = shared.get(name) or body.files(name)
        return np.full(body.ranks, shared[name].first)
    name = f"{folder}{job.name}.{{}}"
    count = job.processes * job.files
    if name not in shared:
        shared[name] = body.files(name, count=count)
    if shared[name].count != count:  # two jobs of one name use the same files in FIO, by their numbers
        found = "two jobs of one name with different numbers of files are not supported"
        raise WorkloadError(found, at=f"{job.name}.nrfiles", source=source)
    return shared[name].first + numbers * job.files


def _write_job(body: Any, job: FioJob, first: Any, numbers: Any, source: str) -> None:
    reads, writes = job.turns
    size = job.block[0] if reads else job.block[1]
    if reads and writes and job.block[0] != job.block[1]:
        raise WorkloadError(
            "expected the same block size for reads and writes in a mixed fio job, "
            f"got {job.block[0]} and {job.block[1]} bytes",
            at=f"{job.name}.bs",
            source=source,
        )
    each = (job.file_bytes or job.total_bytes // job.files) // size  # blocks of a file
    if each < 1:
        raise WorkloadError(
            f"expected files of at least one block of {size} bytes, "
            f"got files of {job.file_bytes or job.total_bytes // job.files} bytes",
            at=f"{job.name}.size",
            source=source,
        )
    asked = job.io_bytes // size if job.io_bytes else each * job.files
    passes, rest = divmod(asked, each * job.files)
    last = job.offset + (job.processes - 1) * job.offset_increment + each * size
    body.expect_bytes(last, at=f"{job.name}.offset")
    base = job.offset + numbers * job.offset_increment if job.offset_increment else job.offset
    with body.repeat(job.loops):
        with body.repeat(job.files) as file:
            body.open_file(file + first, create=bool(writes), comm=ALONE)
        with body.repeat(passes):
            _pass(body, job, first, base, size, each, source)
        if rest:
            _pass(body, job, first, base, size, -(-rest // job.files), source)
        with body.repeat(job.files) as file:
            if job.end_fsync and writes:
                body.sync_file(file + first, comm=ALONE)
            body.close_file(file + first, comm=ALONE)
    if job.unlink:
        with body.repeat(job.files) as file:
            body.delete_file(file + first)


def _pass(body: Any, job: FioJob, first: Any, base: Any, size: int, blocks: int, source: str) -> None:
    """So many blocks of every file, in turns of reads and writes, with as many accesses in flight as FIO has."""
    reads, writes = job.turns
    every = 1 if job.each_synced not in ("0", "none") else job.fsync
    again = every // gcd(writes, every) if writes and every else 1  # turns after which syncs fall as before
    batch = lcm((reads + writes) * again, job.window)
    if batch > MOST_AT_ONCE:
        found = f"expected iodepth, rwmixread and fsync that repeat after at most {MOST_AT_ONCE} accesses"
        raise WorkloadError(f"{found}, got {batch}", at=f"{job.name}.iodepth", source=source)
    later = job.window > 1

    with body.repeat(job.files) as file:
        written = 0

        def access(place: Any, number: int) -> None:
            nonlocal written
            write = number % (reads + writes) >= reads
            call = body.write if write else body.read
            call(file + first, offset=place * size + base, size=size, blocking=not later)
            written += write
            synced = write and every and written % every == 0
            if later and ((number + 1) % job.window == 0 or synced):
                body.waitall()
            if synced:
                body.sync_file(file + first, comm=ALONE)

        (at_random if job.random else in_turn)(body, blocks, batch, access)
        if later:
            body.waitall()
