"""`measure`: all parts of a probe in turn, within a time budget, leaving no file behind."""

from __future__ import annotations

import math
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec

from striate.errors import ProbeError
from striate.probe.background import background_samples
from striate.probe.filesystem import FileSystem
from striate.probe.launch import local_launcher, run_ranks
from striate.probe.messages import socket_of
from striate.probe.page_cache.limits import page_cache_limits
from striate.probe.report import Findings, MachineFacts, ProbeReport
from striate.probe.samples import measured
from striate.provenance import versions
from striate.results.entry import now

LEAST_FREE_BYTES = 1024**3
_MOST_CROWDED = 16  # ranks that are started here to see how they wait


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """Where to measure, how long, and on how many ranks; `launcher` starts them elsewhere."""

    directory: Path
    budget_seconds: float
    ranks: int | None = None  # None: one for each CPU, at least 2
    launcher: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the ranks wrote."""

    findings: Findings
    hosts: tuple[str, ...]
    mpi: str
    cpus: int  # that the ranks of the first host may use
    file_system: FileSystem


def measure(options: ProbeOptions, tell: Callable[[str], object] = lambda part: None) -> ProbeReport:
    """Measure this machine; `tell` hears the name of every part as it begins. Raises ProbeError."""
    begun = time.perf_counter()
    _refuse(options)
    folder = Path(tempfile.mkdtemp(prefix=".striate-probe-", dir=options.directory))
    try:
        facts, found = _measure_in(folder, options, tell)
    except OSError as error:
        raise ProbeError(
            f"cannot measure here: {error.strerror or error}", at=str(options.directory)
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return ProbeReport(facts, found, now(), time.perf_counter() - begun, versions())


def _measure_in(
    folder: Path, options: ProbeOptions, tell: Callable[[str], object]
) -> tuple[MachineFacts, Findings]:
    from striate.probe.files import measure_files
    from striate.probe.memory import measure_memory

    cpus = sorted(os.sched_getaffinity(0))
    ranks = options.ranks or max(2, len(cpus))
    look = partial(background_samples, options.budget_seconds * 0.03)
    load = look()
    tell("CPU and memory")
    found = Findings(tuple(measure_memory(options.budget_seconds * 0.08)))
    tell("files")
    files = measure_files(folder, options.budget_seconds * 0.3)
    found = found.and_also(Findings(tuple(files.measurements), tuple(files.curves), tuple(files.notes)))
    load += look()
    tell("messages and MPI-IO")
    launcher = options.launcher or local_launcher(ranks)
    seconds = options.budget_seconds * 0.4
    answer = _asked(launcher, "messages", folder, seconds)
    found = found.and_also(answer.findings)
    if len(answer.hosts) > 1:
        tell("links and file servers")
        found = found.and_also(_asked(launcher, "nodes", folder, options.budget_seconds * 0.3).findings)
    if not options.launcher:
        seconds = options.budget_seconds * 0.08
        for crowd in crowds(len(cpus)):
            tell(f"{crowd} ranks on {len(cpus)} CPUs")
            found = found.and_also(_asked(local_launcher(crowd), "crowd", folder, seconds).findings)
        tell("ranks beside busy processes")
        with busy_processes(len(cpus)):
            found = found.and_also(_asked(launcher, "beside", folder, seconds).findings)
    load += look()
    how = "load of other processes, measured before, between and after the parts"
    found = found.and_also(Findings((measured("background", "processes", load, how),)))
    sockets = len({socket_of(cpu) for cpu in cpus})
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    count = answer.cpus if options.launcher else len(cpus)
    facts = MachineFacts(platform.node(), len(answer.hosts), sockets, count, memory, answer.mpi)
    facts = replace(facts, hosts=answer.hosts, file_system=answer.file_system)
    return replace(facts, page_cache=page_cache_limits(memory)), found


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """So many processes that compute and never wait, as long as the block lasts."""
    spin = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(spin, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def crowds(cpus: int) -> Sequence[int]:
    """Numbers of ranks that outnumber the CPUs twice and four times, as far as this host can bear."""
    return [ranks for ranks in (2 * cpus, 4 * cpus) if ranks <= _MOST_CROWDED]


def _asked(launcher: Sequence[str], part: str, folder: Path, seconds: float) -> _Answer:
    output = folder / f"{part}.json"
    arguments = [part, str(folder), str(seconds), str(output)]
    run_ranks(launcher, "striate.probe.ranks", arguments, seconds=seconds)
    try:
        return msgspec.json.decode(output.read_bytes(), type=_Answer)
    except (OSError, msgspec.DecodeError, ValueError) as error:
        raise ProbeError(f"cannot read the measurements of the ranks: {error}") from None


def _refuse(options: ProbeOptions) -> None:
    if not options.directory.is_dir():
        raise ProbeError("expected an existing directory to measure in", at=str(options.directory))
    if not (math.isfinite(options.budget_seconds) and options.budget_seconds > 0):
        raise ProbeError(f"expected a time budget above 0 s, got {options.budget_seconds}")
    free = shutil.disk_usage(options.directory).free
    if free < LEAST_FREE_BYTES:
        raise ProbeError(
            f"expected 1 GiB of free space to measure in, found {free} B", at=str(options.directory)
        )
