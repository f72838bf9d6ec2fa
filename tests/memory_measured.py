"""How much memory playing a program takes in a process of its own, and the machines on which programs are played."""

from __future__ import annotations

import ctypes
import gc
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from striate.cluster import Cluster
from striate.cluster.builders import fat_tree, star
from striate.workload import Spmd, Workload

KIB, MIB, GIB = 2**10, 2**20, 2**30
NIC = {"bandwidth": "50 GB/s", "link": {"bandwidth": "20 GB/s", "latency": "100 ns"}}
NODE = {
    "sockets": 1,
    "cpus_per_socket": 64,
    "instructions_per_second": "2 G",
    "memory": "256 GiB",
    "nic": NIC,
    "socket": {"bandwidth": "40 GB/s"},
    "uplink": {"bandwidth": "12 GB/s", "latency": "1 us"},
}
APART = {key: NODE[key] for key in ("memory", "nic", "socket", "uplink")}  # of a node without ranks
SLOW = {"kind": "simple", "rate": "100 MB/s", "access": "1 ms"}
FAST = {"kind": "simple", "rate": "20 GB/s"}
HARD = {
    "kind": "hard",
    "rate": "200 MB/s",
    "average_seek": "8 ms",
    "track_seek": "1 ms",
    "revolutions_per_minute": 7200,
    "near": "1 MB",
}
FLASH = {
    "kind": "flash",
    "read_rate": "3 GB/s",
    "write_rate": "2 GB/s",
    "channels": 8,
    "read_latency": "80 us",
    "write_latency": "24 us",
}


@dataclass(frozen=True)
class Case:
    """A program on a machine, with a timeline where `timeline_bytes` is above 0."""

    workload: Workload
    cluster: Cluster
    timeline_bytes: int = 0


PROGRAMS: dict[str, Callable[[], Case]] = {}


def program(make: Callable[[], Case]) -> Callable[[], Case]:
    PROGRAMS[make.__name__.replace("_", " ")] = make
    return make


def apart(count: int, disk: object, **more: object) -> dict[str, Any]:
    """A table of I/O servers on nodes of their own."""
    return {"count": count, "on": "apart", "disk": disk, "cache": {}, "node": APART, **more}


def with_parts(nodes: int, server: dict[str, Any] | None, settings: dict[str, Any], **parts: Any) -> Cluster:
    """A star with these servers, settings and further tables."""
    return star(
        node=NODE | {"count": nodes},
        switch={"bandwidth": "1 TB/s"},
        server=[server] if server else [],
        settings=settings,
        placement={"kind": "block"},
        **parts,
    )


def machine(nodes=8, servers=8, disk=SLOW, cache=None, burst=None, **settings) -> Cluster:
    """A star; servers on nodes of their own."""
    more = {"cache": cache or {}} | ({"burst": burst} if burst else {})
    return with_parts(nodes, apart(servers, disk, **more) if servers else None, settings)


def forwarded(**settings) -> Cluster:
    """Four forwarders between 16 nodes and 8 servers."""
    forwarder = {"count": 4, "on": "apart", "node": APART}
    return with_parts(16, apart(8, FAST), settings, forwarder=[forwarder])


def tree(nodes=256, servers=32) -> Cluster:
    return fat_tree(
        node=NODE | {"count": nodes},
        switch={"bandwidth": "1 TB/s"},
        link={"bandwidth": "24 GB/s", "latency": "130 ns"},
        server=[apart(servers, FLASH)],
        settings={"packet": "1 MiB", "stripe_unit": "1 MiB", "routing": "round-robin"},
    )


def accesses(verb: str, ranks: int, times: int, size: int, *, blocking=True, close=False, **more) -> Workload:
    """Every rank makes `times` accesses one after the other, those of all ranks side by side in one file."""
    body = Spmd(ranks, name=verb)
    file = body.files("data", **more)
    with body.repeat(times) as step:
        offset = (step * ranks + body.rank) * size
        getattr(body, verb)(file, offset=offset, size=size, blocking=blocking)
    body.waitall()
    if close:
        body.close_file(file)
    return body.workload()


@dataclass(frozen=True)
class Measured:
    """Bytes that a run was expected to take, and took."""

    estimated: int
    used: int
    parts: dict[str, float]

    @property
    def ratio(self) -> float:
        return self.estimated / self.used


def measured(name: str, script: str) -> Measured:
    """Play a program of `script`, a file such as `memory_programs.py`, in a process of its own."""
    command = [sys.executable, str(Path(script).resolve()), name]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    return Measured(**json.loads(found.stdout))


def measure(make_case: Callable[[], Case]) -> Measured:
    """The peak of resident memory above what is there before: imports and the workload itself."""
    from striate.collectives.choice import Choice
    from striate.rungs.fine import predict_fine
    from striate.rungs.memory.estimate import Estimate
    from striate.workload.transforms.merge import merged

    for make in (lambda: accesses("write", 2, 1, 64), lambda: accesses("read", 2, 1, 64)):
        predict_fine(make(), machine(nodes=2, servers=1), timeline_bytes=MIB)
    case = make_case()
    case.cluster.place(case.workload.ranks)
    parts = Estimate.of(merged(case.workload.applications), case.cluster, Choice()).parts(case.timeline_bytes)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from now on
    before = _status("VmRSS")
    found = predict_fine(case.workload, case.cluster, timeline_bytes=case.timeline_bytes)
    assert found.interval.high > 0
    return Measured(int(sum(parts.values())), _status("VmHWM") - before, parts)


def print_measured(programs: Mapping[str, Callable[[], Case]]) -> None:
    """What `measured` reads: the program that the command line names, played here."""
    answer = measure(programs[sys.argv[1]])
    print(json.dumps({"estimated": answer.estimated, "used": answer.used, "parts": answer.parts}))


def _status(name: str) -> int:
    rows = (line.split() for line in Path("/proc/self/status").read_text().splitlines())
    return next(1024 * int(row[1]) for row in rows if row[0] == f"{name}:")
