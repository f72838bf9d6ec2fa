"""Programs that take more than 50 MiB to play, of all kinds, and what playing one takes in a process of its own."""

from __future__ import annotations

import ctypes
import gc
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import striate
from striate.cluster import Cluster
from striate.cluster.builders import fat_tree, star
from striate.layout.extents import Extents
from striate.workload import Spmd, Workload
from striate.workload import operations as op

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


def machine(nodes=8, servers=8, disk=SLOW, cache=None, burst=None, **settings) -> Cluster:
    """A star; servers on nodes of their own."""
    server = {
        "count": servers,
        "on": "apart",
        "disk": disk,
        "cache": cache or {},
        "node": {key: NODE[key] for key in ("memory", "nic", "socket", "uplink")},
    }
    return star(
        node=NODE | {"count": nodes},
        switch={"bandwidth": "1 TB/s"},
        server=[server | ({"burst": burst} if burst else {})] if servers else [],
        settings=settings,
        placement={"kind": "block"},
    )


def tree(nodes=256, servers=32) -> Cluster:
    server = {
        "count": servers,
        "on": "apart",
        "disk": FLASH,
        "cache": {},
        "node": {key: NODE[key] for key in ("memory", "nic", "socket", "uplink")},
    }
    return fat_tree(
        node=NODE | {"count": nodes},
        switch={"bandwidth": "1 TB/s"},
        link={"bandwidth": "24 GB/s", "latency": "130 ns"},
        server=[server],
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


# ---- non-blocking accesses


@program
def many_small_writes_at_once():
    return Case(accesses("write", 40, 6000, 4 * KIB, blocking=False), striate.load_cluster("westmere"))


@program
def writes_over_all_servers_at_once():
    return Case(accesses("write", 40, 1000, 640 * KIB, blocking=False), striate.load_cluster("westmere"))


@program
def large_writes_at_once_on_slow_disks():
    return Case(accesses("write", 32, 300, 8 * MIB, blocking=False), machine(disk=SLOW))


@program
def small_reads_at_once():
    return Case(accesses("read", 40, 6000, 4 * KIB, blocking=False), striate.load_cluster("westmere"))


@program
def reads_over_all_servers_at_once():
    return Case(accesses("read", 40, 1000, 640 * KIB, blocking=False), striate.load_cluster("westmere"))


@program
def large_reads_at_once():
    return Case(accesses("read", 64, 400, 4 * MIB, blocking=False), machine(disk=FAST))


@program
def writes_at_once_from_a_generator():
    def body(rank, ranks):
        for step in range(3000):
            yield op.write("data", offset=(step * ranks + rank) * 64 * KIB, size=64 * KIB, blocking=False)
        yield op.waitall()

    return Case(Workload.from_program(body, ranks=64), machine(disk=SLOW))


@program
def writes_awaited_in_groups():
    ranks, size = 64, 64 * KIB
    body = Spmd(ranks, name="groups")
    with body.repeat(4) as outer:
        with body.repeat(4000) as inner:
            offset = ((outer * 4000 + inner) * ranks + body.rank) * size
            body.write("data", offset=offset, size=size, blocking=False)
        body.waitall()
    return Case(body.workload(), machine(disk=FAST))


@program
def writes_awaited_by_name():
    ranks, size = 128, 256 * KIB
    body = Spmd(ranks, name="window")
    with body.repeat(3) as step:
        begun = [
            body.write(
                "data", offset=((step * 400 + number) * ranks + body.rank) * size, size=size, blocking=False
            )
            for number in range(400)
        ]
        for one in begun:
            body.wait(one)
    return Case(body.workload(), machine(disk=FAST))


@program
def reads_and_messages_at_once():
    ranks = 64
    body = Spmd(ranks, name="mixed")
    with body.repeat(1500) as step:
        body.irecv((body.rank - 1) % ranks, 8 * KIB)
        body.isend((body.rank + 1) % ranks, 8 * KIB)
        body.read("data", offset=(step * ranks + body.rank) * 64 * KIB, size=64 * KIB, blocking=False)
    body.waitall()
    return Case(body.workload(), machine(disk=FLASH))


# ---- blocking accesses


@program
def write_behind_on_slow_disks():
    return Case(accesses("write", 64, 60, 16 * MIB), machine(disk=SLOW))


@program
def write_behind_on_hard_disks():
    return Case(accesses("write", 64, 80, 16 * MIB), machine(disk=HARD))


@program
def write_behind_without_merging():
    return Case(accesses("write", 64, 100, 16 * MIB), machine(disk=SLOW, cache={"policy": "write-behind"}))


@program
def write_behind_in_order():
    return Case(accesses("write", 64, 60, 16 * MIB), machine(disk=SLOW, cache={"policy": "aggregation"}))


@program
def write_behind_in_small_packets():
    return Case(accesses("write", 32, 4, 16 * MIB), machine(disk=SLOW, packet="4 KiB"))


@program
def write_behind_with_bounded_memory():
    cluster = machine(disk=SLOW, cache={"memory": "1 GiB"}, packet="16 KiB")
    return Case(accesses("write", 32, 40, 16 * MIB), cluster)


@program
def write_behind_between_syncs():
    ranks, size = 32, 16 * MIB
    body = Spmd(ranks, name="checkpoints")
    with body.repeat(3) as outer:
        with body.repeat(20) as inner:
            body.write("data", offset=((outer * 20 + inner) * ranks + body.rank) * size, size=size)
        body.sync_file("data")
    return Case(body.workload(), machine(disk=SLOW, packet="16 KiB"))


@program
def delayed_write_back():
    cluster = machine(disk=FAST, cache={"dirty": "8 GiB"}, packet="16 KiB")
    return Case(accesses("write", 64, 25, 16 * MIB), cluster)


@program
def a_burst_buffer():
    cluster = machine(disk=SLOW, burst={"capacity": "64 GiB", "disk": FAST}, packet="64 KiB")
    return Case(accesses("write", 64, 50, 16 * MIB), cluster)


@program
def a_read_cache():
    cluster = machine(disk=FAST, cache={"memory": "256 GiB", "keeps_reads": True}, packet="1 MiB")
    return Case(accesses("read", 64, 100, 16 * MIB), cluster)


@program
def a_read_cache_of_written_data():
    cluster = machine(disk=FAST, cache={"memory": "256 GiB", "keeps_reads": True}, packet="1 MiB")
    return Case(accesses("write", 64, 100, 16 * MIB), cluster)


@program
def a_read_cache_that_overflows():
    cluster = machine(disk=FAST, cache={"memory": "8 GiB", "keeps_reads": True}, packet="1 MiB")
    return Case(accesses("read", 64, 140, 16 * MIB), cluster)


# ---- views, lists, stripes over many servers


@program
def strided_writes():
    ranks = 64
    body = Spmd(ranks, name="strided")
    body.write("data", offset=body.rank * 8 * KIB, size=8 * KIB, count=60_000, stride=ranks * 8 * KIB)
    return Case(body.workload(), machine(disk=FAST))


@program
def strided_reads():
    ranks = 64
    body = Spmd(ranks, name="strided")
    body.read("data", offset=body.rank * 8 * KIB, size=8 * KIB, count=8000, stride=ranks * 8 * KIB)
    return Case(body.workload(), machine(disk=FAST))


@program
def lists_of_runs_written():
    offsets = np.arange(40_000) * 100_003
    runs = Extents(offsets, np.full(40_000, 5000))

    def body(rank, ranks):
        yield op.write("data", offset=rank * 6000, extents=runs)

    return Case(Workload.from_program(body, ranks=64), machine(disk=FAST))


@program
def lists_of_runs_read_collectively():
    offsets = np.arange(5000) * 100_003
    runs = Extents(offsets, np.full(5000, 5000))

    def body(rank, ranks):
        yield op.read_all("data", offset=rank * 6000, extents=runs)

    return Case(Workload.from_program(body, ranks=64), machine(disk=FAST))


@program
def windows_of_clients():
    ranks = 128
    body = Spmd(ranks, name="windows")
    body.write("data", offset=body.rank * 4 * KIB, size=4 * KIB, count=40_000, stride=ranks * 4 * KIB)
    return Case(body.workload(), machine(disk=FAST, write_window="1 MiB"))


@program
def stripes_over_many_servers():
    return Case(
        accesses("write", 256, 2, 256 * MIB), machine(nodes=16, servers=256, disk=FAST, packet="1 MiB")
    )


@program
def reads_of_stripes_over_many_servers():
    return Case(
        accesses("read", 256, 2, 256 * MIB), machine(nodes=16, servers=256, disk=FAST, packet="1 MiB")
    )


@program
def a_lustre_like_machine():
    return Case(accesses("write", 1024, 2, 64 * MIB), striate.load_cluster("lustre-64"))


# ---- collective accesses


def interleaved(
    verb: str, ranks: int, size: int, count: int, method: str, *, times=1, blocking=True
) -> Workload:
    body = Spmd(ranks, name=method)
    file = body.files("data", collective=method)
    with body.repeat(times) as step:
        getattr(body, verb)(
            file,
            offset=step * (ranks * size * count) + body.rank * size,
            size=size,
            count=count,
            stride=ranks * size,
            blocking=blocking,
        )
    body.waitall()
    return body.workload()


@program
def collective_writes_of_own_bytes():
    return Case(interleaved("write_all", 64, 8 * KIB, 40_000, "direct"), machine(disk=FAST))


@program
def two_phase_writes():
    return Case(interleaved("write_all", 64, 4 * KIB, 15_000, "two-phase:nodes"), machine(disk=FAST))


@program
def two_phase_reads():
    return Case(interleaved("read_all", 64, 4 * KIB, 15_000, "two-phase:nodes"), machine(disk=FAST))


@program
def pipelined_writes():
    return Case(interleaved("write_all", 64, 4 * KIB, 12_000, "pipelined:8:1MiB"), machine(disk=FAST))


@program
def two_phase_with_small_buffers():
    return Case(interleaved("write_all", 256, 64 * KIB, 500, "two-phase:nodes:64KiB"), machine(disk=FAST))


@program
def collective_writes_at_once():
    workload = interleaved("write_all", 256, 64 * KIB, 16, "direct", times=400, blocking=False)
    return Case(workload, machine(disk=FAST))


# ---- messages


@program
def many_small_messages_at_once():
    ranks = 64
    body = Spmd(ranks, name="messages")
    with body.repeat(4000):
        body.irecv((body.rank - 1) % ranks, 1 * KIB)
        body.isend((body.rank + 1) % ranks, 1 * KIB)
    body.waitall()
    return Case(body.workload(), machine(servers=0))


@program
def many_long_messages_at_once():
    ranks = 64
    body = Spmd(ranks, name="messages")
    with body.repeat(4000):
        body.irecv((body.rank - 1) % ranks, 256 * KIB)
        body.isend((body.rank + 1) % ranks, 256 * KIB)
    body.waitall()
    return Case(body.workload(), machine(servers=0))


@program
def messages_that_come_early():
    ranks = 64
    body = Spmd(ranks, name="early")
    with body.repeat(8000):
        body.send((body.rank + 1) % ranks, 1 * KIB)
    with body.repeat(8000):
        body.recv((body.rank - 1) % ranks, 1 * KIB)
    return Case(body.workload(), machine(servers=0))


@program
def messages_to_every_rank():
    def body(rank, ranks):
        for hop in range(1, ranks):
            yield op.irecv((rank - hop) % ranks, 2 * KIB)
            yield op.isend((rank + hop) % ranks, 2 * KIB)
        yield op.waitall()

    return Case(Workload.from_program(body, ranks=256), machine(servers=0))


@program
def alltoall_of_large_blocks():
    body = Spmd(768, name="alltoall")
    body.alltoall(4 * KIB)
    return Case(body.workload(), machine(nodes=12, servers=0))


@program
def allgather_in_a_ring():
    body = Spmd(768, name="allgather")
    body.allgather(4 * KIB)
    return Case(body.workload(), machine(nodes=12, servers=0))


@program
def a_ring_of_long_vectors():
    body = Spmd(640, name="allreduce")
    body.allreduce(4 * MIB)
    return Case(body.workload(), machine(nodes=10, servers=0))


@program
def many_different_collectives():
    body = Spmd(1024, name="collectives")
    for size in range(1, 40):
        body.allreduce(size * 8)
        body.bcast(size * 16)
    return Case(body.workload(), machine(nodes=16, servers=0))


@program
def collectives_at_once():
    body = Spmd(256, name="collectives")
    with body.repeat(700):
        body.allreduce(64, blocking=False)
    body.waitall()
    return Case(body.workload(), machine(servers=0))


# ---- many ranks, many files


@program
def many_ranks_meet():
    body = Spmd(30_000, name="meet")
    with body.repeat(2):
        body.compute(1e-3)
        body.barrier()
    return Case(body.workload(), machine(nodes=500, servers=0))


@program
def many_ranks_write():
    return Case(accesses("write", 20_000, 1, 256 * KIB), machine(nodes=320, servers=32, disk=FAST))


@program
def many_ranks_on_a_fat_tree():
    return Case(accesses("write", 8192, 1, 4 * MIB), tree())


@program
def many_ranks_exchange():
    ranks = 60_000
    body = Spmd(ranks, name="halo")
    with body.repeat(2):
        body.irecv((body.rank - 1) % ranks, 8 * KIB)
        body.isend((body.rank + 1) % ranks, 8 * KIB)
        body.waitall()
    return Case(body.workload(), machine(nodes=1000, servers=0))


@program
def a_file_per_process():
    ranks = 20_000
    body = Spmd(ranks, name="files")
    file = body.files("data.{}", per_rank=True)
    body.open_file(file, create=True)
    body.write(file, size=256 * KIB)
    body.close_file(file)
    return Case(body.workload(), machine(nodes=320, servers=32, disk=FAST))


@program
def files_that_are_read():
    ranks = 20_000
    body = Spmd(ranks, name="files")
    file = body.files("data.{}", per_rank=True)
    body.read(file, size=128 * KIB)
    return Case(body.workload(), machine(nodes=320, servers=32, disk=FAST))


@program
def two_applications():
    first = accesses("write", 40, 800, 640 * KIB, blocking=False)
    second = accesses("read", 40, 800, 640 * KIB, blocking=False)
    return Case(Workload.together(first, second), machine(disk=FAST))


# ---- timelines, traces


@program
def a_timeline_of_writes():
    return Case(accesses("write", 64, 60, 1 * MIB), machine(disk=FAST), timeline_bytes=GIB)


@program
def a_timeline_of_messages():
    ranks = 64
    body = Spmd(ranks, name="messages")
    with body.repeat(400):
        body.irecv((body.rank - 1) % ranks, 8 * KIB)
        body.isend((body.rank + 1) % ranks, 8 * KIB)
        body.waitall()
    return Case(body.workload(), machine(servers=0), timeline_bytes=GIB)


@program
def a_timeline_without_room():
    return Case(accesses("write", 64, 200, 1 * MIB), machine(disk=FAST), timeline_bytes=16 * MIB)


@program
def a_replayed_trace():
    from striate.rungs.fine import predict_fine

    small = Workload.from_program(_uneven, ranks=32)
    timeline = predict_fine(small, machine(disk=FAST), timeline_bytes=GIB).timeline
    assert timeline is not None
    return Case(Workload.from_trace(timeline), machine(disk=SLOW))


def _uneven(rank, ranks):
    """No two steps alike, so that nothing folds."""
    for step in range(2500):
        yield op.compute(1e-6 * (1 + step * step % 97))
        size = 64 * KIB + 512 * ((step * 31 + rank * 17) % 101)
        yield op.write("data", offset=(step * ranks + rank) * 128 * KIB, size=size, blocking=False)
    yield op.waitall()


# ---- measuring


@dataclass(frozen=True)
class Measured:
    """Bytes that a run was expected to take, and took."""

    estimated: int
    used: int
    parts: dict[str, float]

    @property
    def ratio(self) -> float:
        return self.estimated / self.used


def measured(name: str, script: str = __file__) -> Measured:
    """Play a program of `script`, a file such as this one, in a process of its own."""
    command = [sys.executable, str(Path(script).resolve()), name]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    return Measured(**json.loads(found.stdout))


def measure(make_case: Callable[[], Case]) -> Measured:
    """The peak of resident memory above what is there before: imports and the workload itself."""
    from striate.collectives.choice import Choice
    from striate.rungs.fine import predict_fine
    from striate.rungs.memory.estimate import Estimate
    from striate.workload.merge import merged

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


if __name__ == "__main__":
    print_measured(PROGRAMS)
