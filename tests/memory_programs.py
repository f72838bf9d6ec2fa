"""Programs that take more than 50 MiB to play, of all kinds: accesses here, the others in `memory_messages`."""

from __future__ import annotations

import numpy as np

import memory_messages  # noqa: F401 - enters its programs
import striate
from memory_measured import (
    FAST,
    FLASH,
    HARD,
    KIB,
    MIB,
    PROGRAMS,
    SLOW,
    Case,
    accesses,
    forwarded,
    machine,
    print_measured,
    program,
)
from striate.layout.extents import Extents
from striate.workload import Spmd, Workload
from striate.workload import operations as op

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
def writes_through_forwarders():
    return Case(accesses("write", 256, 400, 256 * KIB, blocking=False), forwarded())


@program
def reads_through_forwarders():
    return Case(accesses("read", 256, 200, 256 * KIB, blocking=False), forwarded())


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


if __name__ == "__main__":
    print_measured(PROGRAMS)
