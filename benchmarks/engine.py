"""The packet engine: events per second and CPU seconds of known cases, each beside its target."""

from __future__ import annotations

import resource
import sys
import time
from typing import Any

import numpy as np

from striate import _core
from striate.cluster.builders import star
from striate.cluster.cluster import Cluster
from striate.engine.interfaces import rank_interfaces
from striate.engine.packets import Steps

GIB, MIB, PACKET = 2**30, 2**20, 100 * 1024


def machine(nodes: int, cpus: int = 1, nic: str = "packet") -> Cluster:
    """A star of one-socket nodes with the numbers of paper 001's cluster."""
    node = {
        "count": nodes,
        "sockets": 1,
        "cpus_per_socket": cpus,
        "instructions_per_second": "2.66 G",
        "memory": "12 GB",
        "nic": {
            "bandwidth": "40 GiB/s",
            "kind": nic,
            "link": {"bandwidth": "3781 MiB/s", "latency": "79 ns"},
        },
        "socket": {"bandwidth": "3778 MiB/s", "local_bandwidth": "4556 MiB/s"},
        "hub": {"bandwidth": "10864 MiB/s", "link": {"bandwidth": "3427 MiB/s", "latency": "38 ns"}},
        "uplink": {"bandwidth": "75392614 B/s", "latency": "19982 ns"},
    }
    return star(node=node, switch={"bandwidth": "48 GB/s"})


def binomial_broadcast(ranks: int, size: int) -> Steps:
    """Every child reports to its parent; a parent that has the data and all reports sends to all its children."""
    child = np.arange(1, ranks, dtype=np.int32)
    parent = child & (child - 1)
    # Data steps in order of the parent, the largest subtree first; step k is row k after all reports.
    order = np.lexsort((-child, parent))
    row = np.empty(ranks, dtype=np.int64)
    row[child[order]] = ranks - 1 + np.arange(ranks - 1)
    children = np.bincount(parent, minlength=ranks)
    senders = parent[order]
    waits = children[senders] + (senders > 0)
    by_parent = np.split(order, np.cumsum(children[:-1]))
    lists = [np.append(by_parent[p], row[p]) if p else by_parent[p] for p in range(ranks)]
    dependency = np.concatenate([lists[p] for p in senders]) if ranks > 1 else np.empty(0)
    return Steps(
        source=np.concatenate([child, senders]).astype(np.int32),
        target=np.concatenate([parent, child[order]]).astype(np.int32),
        bytes=np.repeat(np.array([20, size + 20], dtype=np.int64), ranks - 1),
        delay=np.zeros(2 * (ranks - 1), dtype=np.int64),
        first_dependency=np.concatenate([np.zeros(ranks), np.cumsum(waits)]).astype(np.int64),
        dependency=dependency.astype(np.int32),
        dependency_sent=np.zeros(len(dependency), dtype=np.uint8),
    )


def dissemination_barrier(ranks: int) -> Steps:
    """In round k every rank sends to the one 2^k further on, when its last message has left and the last has come."""
    rounds = max(ranks - 1, 0).bit_length()
    rank = np.arange(ranks, dtype=np.int32)
    hops = np.left_shift(1, np.arange(rounds, dtype=np.int32))[:, None]
    waits = np.empty((rounds - 1, ranks, 2), np.int32)
    for turn in range(rounds - 1):
        waits[turn, :, 0] = turn * ranks + rank
        waits[turn, :, 1] = turn * ranks + (rank - hops[turn]) % ranks
    first = np.zeros(rounds * ranks + 1, np.int64)
    first[ranks + 1 :] = np.arange(2, waits.size + 2, 2)
    return Steps(
        source=np.tile(rank, rounds),
        target=((rank + hops) % ranks).ravel(),
        bytes=np.full(rounds * ranks, 8, np.int64),
        delay=np.zeros(rounds * ranks, np.int64),
        first_dependency=first,
        dependency=waits.ravel(),
        dependency_sent=np.tile(np.array([1, 0], np.uint8), waits.size // 2),
    )


def single(size: int) -> Steps:
    """One message from rank 0 to rank 1."""
    return Steps(
        source=np.array([0], np.int32),
        target=np.array([1], np.int32),
        bytes=np.array([size], np.int64),
        delay=np.zeros(1, np.int64),
        first_dependency=np.zeros(2, np.int64),
        dependency=np.empty(0, np.int32),
        dependency_sent=np.empty(0, np.uint8),
    )


def simulate(
    cluster: Cluster, ranks: int, schedule: Steps, *, packet: int = PACKET, **options: bool
) -> dict[str, Any]:
    nics = rank_interfaces(cluster, cluster.place(ranks))
    return _core.simulate_schedule(cluster.network, nics, schedule, packet_bytes=packet, **options)


def timed(tries: int, cluster: Cluster, ranks: int, schedule: Steps, **options: bool) -> tuple[float, dict]:
    spent, result = float("inf"), {}
    for _ in range(tries):
        start = time.thread_time()
        result = simulate(cluster, ranks, schedule, **options)
        spent = min(spent, time.thread_time() - start)
    return spent, result


def report(label: str, value: float, unit: str, target: float, *, least: bool = False) -> bool:
    met = value >= target if least else value <= target
    word = "at least" if least else "at most"
    print(
        f"{label:52s} {value:12.4g} {unit:10s} ({word} {target:g}) {'' if met else 'falls short'}", flush=True
    )
    return met


def resident_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def million_ranks() -> list[bool]:
    """A barrier without contention; the schedule is part of the time."""
    start, ranks = time.thread_time(), 1 << 20
    cluster = machine(1024, cpus=1024, nic="analytical")
    result = simulate(cluster, ranks, dissemination_barrier(ranks))
    spent = time.thread_time() - start
    simulated = result.end / 1e6
    return [
        report(f"dissemination barrier, {ranks:,} ranks, {simulated:.1f} us", spent, "s", 8),
        report("  resident memory of the whole process", resident_mb(), "MB", 1024),
    ]


def random_flows(count: int, among: int) -> Steps:
    """All start together, between random pairs, each of 100 KB to 10 MB."""
    draw = np.random.default_rng(1)
    source = draw.integers(0, among, count)
    return Steps(
        source=source.astype(np.int32),
        target=((source + draw.integers(1, among, count)) % among).astype(np.int32),
        bytes=draw.integers(100_000, 10_000_000, count),
        delay=np.zeros(count, np.int64),
        first_dependency=np.zeros(count + 1, np.int64),
        dependency=np.empty(0, np.int32),
        dependency_sent=np.empty(0, np.uint8),
    )


def main() -> int:
    met = []
    pair = machine(1, cpus=2)
    spent, result = timed(3, pair, 2, single(100 * GIB), warp=False)
    met.append(
        report(
            "100 GiB inside a node, event by event",
            result.events / spent / 1e6,
            "M events/s",
            40,
            least=True,
        )
    )
    spent, fast = timed(3, pair, 2, single(100 * GIB), warp=True)
    assert fast.end == result.end
    met.append(report("  the same with exact fast-forward", spent * 1e3, "ms", 1))
    start = time.thread_time()
    large = machine(1024)
    schedule = binomial_broadcast(1024, 100 * MIB)
    met.append(
        report("model of 1,024 nodes and the schedule, built", (time.thread_time() - start) * 1e3, "ms", 50)
    )
    spent, result = timed(3, large, 1024, schedule, warp=False)
    met.append(
        report(
            "broadcast of 100 MiB to 1,024, event by event",
            result.events / spent / 1e6,
            "M events/s",
            25,
            least=True,
        )
    )
    met.append(report("  CPU time", spent, "s", 1))
    spent, fast = timed(3, large, 1024, schedule, warp=True)
    assert fast.end == result.end
    met.append(report("  the same with exact fast-forward", spent, "s", 0.06))
    spent, fluid = timed(3, large, 1024, schedule, flows=True)
    met.append(report("  the same as fluid", spent * 1e3, "ms", 1))
    met.append(
        report("  error of its end against packets", abs(fluid.end / result.end - 1), "relative", 1e-3)
    )
    before = resident_mb()
    huge = machine(16_384)
    schedule = binomial_broadcast(16_384, 100 * MIB)
    spent, result = timed(1, huge, 16_384, schedule, warp=False)
    met.append(report("broadcast to 16,384, event by event", spent, "s", 20))
    met.append(report("  resident memory of the whole process", resident_mb(), "MB", 400))
    met.append(report("  more than before, per rank", (resident_mb() - before) * 1024 / 16_384, "KB", 4))
    del huge, schedule, result
    met += million_ranks()
    return met.count(False)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
