"""The trace of a simulated run, played again on its own machine, takes the same time to the picosecond."""

import pytest

from striate.apps import jacobi
from striate.cluster import load_cluster
from striate.ladder import predict
from striate.workload import Workload
from striate.workload import operations as do


def everything(rank, ranks):
    """Every kind of call, sizes and times that no nanosecond divides."""
    after, before = (rank + 1) % ranks, (rank - 1) % ranks
    for file in ("a", "b", "c"):
        yield do.open_file(file, create=True)
    for step in range(3):
        yield do.compute(1.2345678e-3 * (1 + rank % 3) + step * 1e-7, instructions=1000 * rank + 7)
        sent, awaited = do.isend(after, 300_000, tag=step), do.irecv(before, 300_000, tag=step)
        yield sent
        yield awaited
        yield do.compute("3.3 us")
        yield do.test(awaited)
        yield do.allreduce(8, blocking=False, algorithm="ring")
        yield do.wait(awaited)
        yield do.waitall()
        yield do.region_begin("pairs")
        yield do.ssend(after, 10, tag=77) if rank % 2 == 0 else do.recv()
        yield do.region_end("pairs")
        yield do.write("a", offset=rank * 1000 + step * 10**6, size=100, count=10, stride=1000)
        yield do.write_all("b", offset=rank * 2**20 + step * 2**24, size=2**20)
        yield do.read_all("c", extents=([rank * 10, 5000 + rank * 10], [10, 10]))
        yield do.reduce_scatter([100, 200, 300, 400])
        yield do.alltoallv([rank * 10 + other for other in range(ranks)])
        yield do.scan(64, comm="rows")
        yield do.sync_file("b")
    for file in ("a", "b", "c"):
        yield do.close_file(file)
    yield do.stat_file("a")
    yield do.delete_file("a")


def other_calls(rank, ranks):
    """One-sided communication, neighbours, waits for any, an exclusive scan, ready sends, new communicators."""
    after, before = (rank + 1) % ranks, (rank - 1) % ranks
    yield do.comm_split()
    for step in range(3):
        yield do.compute(1.2345e-5 * (1 + rank % 3) + step * 1e-7)
        begun = [do.irecv(before, 5000, tag=tag) for tag in range(3)]
        yield from begun
        for tag in (2, 0, 1):
            yield do.compute(f"{1 + tag} us")
            yield do.rsend(after, 5000, tag=tag)
        yield do.testany(begun)
        for _ in begun:
            yield do.waitany(begun)
            yield do.compute("1.7 us")
        yield do.neighbor_alltoall(1234, do.cartesian_neighbors(rank, [2, 2], periodic=True))
        yield do.put(after, 7777)
        got = do.rget(before, 999)
        yield got
        yield do.win_flush_local()
        yield do.wait(got)
        yield do.win_fence()
        yield do.win_lock(0, exclusive=rank < 2)
        yield do.accumulate(0, 512)
        yield do.win_unlock(0)
        yield do.win_post([before])
        yield do.win_start([after])
        yield do.put(after, 100)
        yield do.win_complete([after])
        yield do.win_wait([before])
        yield do.exscan(300)


def cases():
    striped = Workload.from_program(
        everything,
        4,
        communicators={"rows": [0, 0, 1, 1]},
        layouts={"b": "simple:2:64KiB"},
        collective={"b": "two-phase:2:1MiB"},
    )
    others = Workload.from_program(other_calls, 4)
    return {"everything": striped, "other calls": others, "jacobi": jacobi.workload(4, steps=6, every=3)}


@pytest.mark.parametrize("name", cases())
@pytest.mark.parametrize("machine", ["lustre-64", "westmere"])
def test_a_simulated_trace_takes_its_own_time_again(name, machine):
    cluster = load_cluster(machine)
    workload = cases()[name].fitted(len(cluster.servers)) if name == "jacobi" else cases()[name]
    if len(cluster.servers) < 2:
        workload = workload.with_layouts({file.name: None for file in workload.applications[0].files})
    simulated = predict(workload, cluster, timeline=True, rung="fine", exact=True)

    again = predict(simulated.timeline, cluster, rung="fine", exact=True)

    assert again.seconds == simulated.seconds
