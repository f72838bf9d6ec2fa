"""What a probe does on every rank: `mpiexec -n 4 python -m striate.probe.ranks PART DIRECTORY SECONDS OUTPUT`.

Part "messages" measures messages and files, part "crowd" how long ranks wait when they outnumber the CPUs, and part
"beside" how long when others compute beside them. Part "nodes" measures links and file servers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from striate.probe import links, messages, servers, shared_file
from striate.probe.filesystem import FileSystem, ask, short_name
from striate.probe.report import Findings
from striate.probe.samples import Floats, Line, Measurement, measured
from striate.probe.waits import BESIDE, COMPUTE_SECONDS, FLUSHED_GRAINS, GRAINS, LONE, crowd_name


def measure_ranks(comm: Any, directory: Path, seconds: float) -> Findings:
    """Messages by distance, all at once, collective calls, one file of all ranks, and a file of each."""
    share = seconds / 7
    lines: list[Line | None] = []
    if comm.size > 1:
        pairs = messages.pairs(comm)
        lines += [messages.ping_pong_line(comm, pair, share / len(pairs)) for pair in pairs]
    numbers = _saturation(comm, share) + _calls(comm, share)
    for measure in (shared_file.access_lines, shared_file.own_file_lines):
        lines += (measure(comm, directory / "shared", share / 2) or {}).values()
    if comm.size > 1:
        lines.append(shared_file.flush_line(comm, directory / "synced", share))
    numbers += _file_calls(comm, directory, share)
    known = [line for line in lines if line is not None]
    return Findings(tuple(_numbers(known)) + tuple(numbers), tuple(line.curve for line in known))


def measure_nodes(comm: Any, directory: Path, seconds: float) -> Findings:
    """Links between nodes by long messages, and the servers of a networked file system."""
    hosts = _hosts(comm)
    lines = links.link_lines(comm, hosts, seconds / 2)
    system = comm.bcast(ask(directory) if comm.rank == 0 else None)
    notes = []
    if system.networked:
        places = comm.bcast(servers.spots(directory, system) if comm.rank == 0 else None)
        lines += servers.server_lines(comm, hosts, places, seconds / 2)
        notes = _untold(system, [line.curve.name for line in lines])
    return Findings(tuple(_numbers(lines)), tuple(line.curve for line in lines), tuple(notes))


def _untold(system: FileSystem, names: list[str]) -> list[str]:
    """What could not be asked, or not be told apart, in words."""
    found = []
    if system.servers is None:
        found.append(f"{system.kind} did not report its number of servers: described as one")
    if servers.DISK not in names:
        found.append("no rank shares a node with a file server: link, server and disk could not be separated")
    found.append(
        "reads from the servers' disks could not be separated from caches: assumed to be as fast as writes"
    )
    return found


def _hosts(comm: Any) -> list[str]:
    from mpi4py import MPI

    return list(comm.allgather(short_name(MPI.Get_processor_name())))


def measure_crowd(comm: Any, directory: Path, seconds: float) -> Findings:
    """More ranks than CPUs: calls, a small collective write, computing between calls, and by one rank alone."""
    writes = shared_file.small_write_samples(comm, directory / "crowd", seconds / 4)
    write = _of_ranks(comm, "MPI-IO collective write of 4 KiB", writes, "seconds on the slowest rank")
    share = seconds / 2 / (len(GRAINS) + len(FLUSHED_GRAINS) + 1)
    steps = [_steps(comm, crowd_name(grain), grain, share) for grain in GRAINS]
    with shared_file.flushed_file(comm, directory / "flushed") as flush:
        steps += [
            _steps(comm, crowd_name(grain, flushed=True), grain, share, before=flush)
            for grain in FLUSHED_GRAINS
        ]
    lone = messages.lone_samples(comm, COMPUTE_SECONDS, share)
    steps.append(_of_ranks(comm, LONE, lone, "seconds until all have passed the barrier"))
    return Findings((*_calls(comm, seconds / 4), write, *steps))


def measure_beside(comm: Any, directory: Path, seconds: float) -> Findings:
    """Computing between collective calls while other processes compute."""
    return Findings((_steps(comm, BESIDE, COMPUTE_SECONDS, seconds),))


def _steps(
    comm: Any,
    name: str,
    compute_seconds: float,
    seconds: float,
    *,
    before: Callable[[], object] | None = None,
) -> Measurement:
    samples = messages.step_samples(comm, compute_seconds, seconds, before=before)
    return _of_ranks(comm, name, samples, "mean seconds of a round")


_PARTS: dict[str, Callable[[Any, Path, float], Findings]] = {
    "messages": measure_ranks,
    "crowd": measure_crowd,
    "beside": measure_beside,
    "nodes": measure_nodes,
}


def _saturation(comm: Any, seconds: float) -> list[Measurement]:
    if comm.size < 2:
        return []
    rates = messages.saturation_rates(comm, seconds)
    how = f"{comm.size} ranks exchange up to 1 MiB with each other (COMMS3)"
    return [measured("all-to-all saturation", "B/s", rates, how)]


def _calls(comm: Any, seconds: float) -> list[Measurement]:
    here, there = np.zeros(1), np.zeros(1)
    barrier = messages.call_samples(comm, comm.Barrier, seconds / 2)
    allreduce = messages.call_samples(comm, lambda: comm.Allreduce(here, there), seconds / 2)
    return [
        _of_ranks(comm, "barrier", barrier, "seconds on the slowest rank"),
        _of_ranks(comm, "allreduce of 8 B", allreduce, "seconds on the slowest rank"),
    ]


def _file_calls(comm: Any, directory: Path, seconds: float) -> list[Measurement]:
    opening = shared_file.open_samples(comm, directory / "shared", seconds / 4)
    runtime = shared_file.runtime_samples(comm, directory / "dataset", seconds / 4)
    found = [
        _of_ranks(comm, "MPI-IO open and close", opening, "an existing file, collectively"),
        _of_ranks(
            comm,
            "runtime dataset",
            runtime,
            "striate.runtime: created, 1024 numbers per rank written, closed",
        ),
    ]
    if comm.size > 1:
        differences = shared_file.difference_samples(comm, directory / "own", seconds / 4)
        how = "the slowest rank's 64 KiB write less the fastest one's"
        found.append(_of_ranks(comm, "I/O variation between ranks", differences, how))
        runs = shared_file.run_samples(comm, directory / "woven", seconds / 4)
        how = "writes and reads of 4096 and of 16 byte runs per rank through one aggregator"
        found.append(measured(shared_file.RUN, "s", runs, how))
        exchanges = shared_file.exchange_samples(comm, directory / "exchanged", seconds / 4)
        how = "collective writes through one aggregator, less writes of as many bytes by one rank"
        found.append(measured(f"{shared_file.EXCHANGE} {comm.size} ranks", "B/s", exchanges, how))
        threads = shared_file.thread_samples(comm, directory / "thread", seconds)
        how = "a first non-blocking write less the ones after it, on the slowest rank"
        found.append(measured(shared_file.THREAD, "s", threads, how))
    return found


def _of_ranks(comm: Any, name: str, samples: Floats, how: str) -> Measurement:
    return measured(f"{name}, {comm.size} ranks", "s", samples, how)


def _numbers(lines: list[Line]) -> list[Measurement]:
    found = []
    for line in lines:
        name, how = line.curve.name, "a line through the medians of every size"
        found.append(Measurement(f"{name}: latency", "s", line.startup, line.samples, how))
        found.append(Measurement(f"{name}: rate", "B/s", line.rate, line.samples, how))
    return found


def main(arguments: list[str]) -> int:
    part, directory, seconds, output = arguments
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    found = _PARTS[part](comm, Path(directory), float(seconds))
    hosts, allowed = _hosts(comm), comm.allgather(os.sched_getaffinity(0))
    if comm.rank == 0:
        library = MPI.Get_library_version().partition("\n")[0].strip("\0 ")
        document: dict[str, Any] = {"findings": found, "mpi": " ".join(library.split())[:80]}
        mine = [cpus for host, cpus in zip(hosts, allowed, strict=True) if host == hosts[0]]
        document |= {"cpus": len(set().union(*mine))}
        document |= {"hosts": sorted(set(hosts), key=hosts.index), "file_system": ask(Path(directory))}
        Path(output).write_bytes(msgspec.json.encode(document))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
