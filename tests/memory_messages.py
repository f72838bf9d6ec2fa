"""Programs that take more than 50 MiB to play: messages, many ranks, many files, timelines and traces."""

from __future__ import annotations

from memory_measured import FAST, GIB, KIB, MIB, SLOW, Case, accesses, machine, program, tree
from striate.workload import Spmd, Workload
from striate.workload import operations as op

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
