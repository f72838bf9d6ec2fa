"""Random workloads and machines on which the ladder is held against its finest rung; everything from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from striate.cluster import Cluster
from striate.cluster.builders import fat_tree, star
from striate.units import MB, KiB, MiB
from striate.workload import Spmd, Workload
from striate.workload.flows import Flows, Graph, ListedFlows
from striate.workload.operations import (
    allreduce,
    barrier,
    bcast,
    compute,
    irecv,
    isend,
    read,
    recv,
    send,
    sendrecv,
    wait,
    waitall,
    write,
    write_all,
)


@dataclass(frozen=True)
class Case:
    """One workload on one machine, named by its kind and number."""

    name: str
    kind: str
    workload: Workload | Flows
    cluster: Cluster


DISKS: tuple[dict[str, Any], ...] = (
    {"kind": "simple", "rate": "100 MB/s", "access": "200 us"},
    {"kind": "simple", "rate": "400 MB/s"},
    {
        "kind": "hard",
        "rate": "100 MB/s",
        "average_seek": "8 ms",
        "track_seek": "1 ms",
        "revolutions_per_minute": 7200,
        "near": "1 MB",
    },
    {
        "kind": "flash",
        "read_rate": "3 GB/s",
        "write_rate": "1500 MB/s",
        "read_latency": "80 us",
        "write_latency": "25 us",
        "channels": 8,
    },
)


def machine(dice: random.Random, ranks: int, *, apart: bool = False) -> Cluster:
    """A star or a fat tree with a CPU for every rank (a node for each, if `apart`), servers on some nodes."""
    per_node = 1 if apart else dice.choice([1, 1, 2, 4])
    nodes = max(2, -(-ranks // per_node))
    speed = dice.choice(["120 MB/s", "1200 MB/s", "5 GB/s"])
    node = {
        "count": nodes,
        "sockets": 1,
        "cpus_per_socket": per_node,
        "instructions_per_second": "2 G",
        "memory": "8 GB",
        "nic": {"bandwidth": "20 GB/s", "link": {"bandwidth": "8 GB/s", "latency": "100 ns"}},
        "socket": {"bandwidth": "8 GB/s", "local_bandwidth": "10 GB/s"},
        "uplink": {"bandwidth": speed, "latency": dice.choice(["1 us", "20 us", "100 us"])},
    }
    servers = dice.randint(1, min(4, nodes))
    cache: dict[str, Any] = {"policy": dice.choice(["none", "write-behind", "aggregation-reorder"])}
    server = {
        "count": servers,
        "on": "nodes",
        "disk": dice.choice(DISKS),
        "disks": dice.choice([1, 1, 2]),
        "cache": cache,
    }
    settings = {
        "packet": dice.choice(["32 KiB", "100 KiB"]),
        "eager": dice.choice(["4 KiB", "100 KiB"]),
        "io_request": dice.choice(["1 MiB", "4 MiB"]),
        "stripe_unit": dice.choice(["64 KiB", "1 MiB"]),
        "io_cpu": dice.choice(["0 s", "20 us"]),
    }
    if dice.random() < 0.8:
        return star(name="star", node=node, switch={"bandwidth": "80 GB/s"}, server=server, settings=settings)
    return fat_tree(
        name="fat-tree",
        node=node,
        switch={"bandwidth": "40 GB/s"},
        link={"bandwidth": speed, "latency": "500 ns"},
        server=server,
        settings=settings,
    )


def private_files(dice: random.Random, ranks: int) -> Workload:
    """Every rank computes and writes or reads its own file, block after block."""
    size = dice.choice([256 * KiB, MiB, 4 * MiB])
    passes = dice.randint(1, 6)
    writes = dice.random() < 0.6
    busy = dice.uniform(0.5, 60) * 1e-3
    uneven = dice.choice([0.0, 0.0, 0.5])

    def program(rank: int, _: int) -> Iterator[Any]:
        for step in range(passes):
            yield compute(busy * (1 + uneven * rank / ranks))
            access = write if writes else read
            yield access(f"part{rank}", offset=step * size, size=size)

    return Workload.from_program(program, ranks, name="private files")


def shared_file(dice: random.Random, ranks: int) -> Workload:
    """Ranks write their parts of one file, together or each on its own."""
    size = dice.choice([256 * KiB, MiB, 2 * MiB])
    passes = dice.randint(1, 4)
    together = dice.random() < 0.5
    busy = dice.uniform(1, 80) * 1e-3

    def program(rank: int, count: int) -> Iterator[Any]:
        for step in range(passes):
            yield compute(busy)
            access = write_all if together else write
            yield access("shared", offset=(step * count + rank) * size, size=size)

    return Workload.from_program(program, ranks, name="shared file")


def halo(dice: random.Random, ranks: int) -> Workload:
    """Neighbours in a ring exchange edges and compute."""
    size = dice.choice([1 * KiB, 16 * KiB, 128 * KiB, MiB])
    passes = dice.randint(2, 8)
    busy = dice.uniform(0.2, 50) * 1e-3
    pairwise = dice.random() < 0.5

    def program(rank: int, count: int) -> Iterator[Any]:
        right, left = (rank + 1) % count, (rank - 1) % count
        for _ in range(passes):
            yield compute(busy)
            if pairwise:
                yield sendrecv(right, size, source=left)
            else:
                yield irecv(left, size)
                yield irecv(right, size, tag=1)
                yield isend(right, size, tag=0)
                yield isend(left, size, tag=1)
                yield waitall()

    return Workload.from_program(program, ranks, name="halo")


def pipeline(dice: random.Random, ranks: int) -> Workload:
    """Blocks go from rank to rank, each of which works on them."""
    size = dice.choice([8 * KiB, 64 * KiB, 512 * KiB])
    blocks = dice.randint(2, 10)
    busy = dice.uniform(0.5, 20) * 1e-3

    def program(rank: int, count: int) -> Iterator[Any]:
        for _ in range(blocks):
            if rank:
                yield recv(rank - 1, size)
            yield compute(busy)
            if rank < count - 1:
                yield send(rank + 1, size)

    return Workload.from_program(program, ranks, name="pipeline")


def farm(dice: random.Random, ranks: int) -> Workload:
    """The first rank reads blocks and deals them out; the others compute and answer."""
    size = dice.choice([16 * KiB, 256 * KiB])
    rounds = dice.randint(1, 5)
    busy = dice.uniform(1, 50) * 1e-3

    def program(rank: int, count: int) -> Iterator[Any]:
        for step in range(rounds):
            if rank == 0:
                yield read("input", offset=step * size * count, size=size * count)
                for worker in range(1, count):
                    yield send(worker, size)
                for worker in range(1, count):
                    yield recv(worker, 1 * KiB)
            else:
                yield recv(0, size)
                yield compute(busy)
                yield send(0, 1 * KiB)

    return Workload.from_program(program, ranks, name="farm")


def iterations(dice: random.Random, ranks: int) -> Workload:
    """Compute, agree, now and then write a checkpoint."""
    size = dice.choice([8, 64 * KiB])
    passes = dice.randint(2, 8)
    every = dice.randint(1, 4)
    busy = dice.uniform(1, 60) * 1e-3
    part = dice.choice([256 * KiB, MiB])
    spread = dice.choice([0.0, 0.3])

    body = Spmd(ranks, name="iterations")
    body.bcast(4 * KiB)
    with body.repeat(max(1, passes // every)) as step:
        with body.repeat(every):
            body.compute(busy * (1 + spread * body.rank / ranks))
            body.allreduce(size)
        body.write("checkpoint", offset=(step * ranks + body.rank) * part, size=part)
    body.barrier()
    return body.workload()


def ahead(dice: random.Random, ranks: int) -> Workload:
    """I/O beside computation: the next block is read while this one is worked on."""
    size = dice.choice([256 * KiB, MiB])
    passes = dice.randint(2, 6)
    busy = dice.uniform(1, 40) * 1e-3

    def program(rank: int, _: int) -> Iterator[Any]:
        for step in range(passes):
            ahead = read(f"in{rank}", offset=step * size, size=size, blocking=False)
            yield ahead
            yield compute(busy)
            yield wait(ahead)
        yield bcast(1 * KiB) if passes % 2 else allreduce(8)
        yield barrier()

    return Workload.from_program(program, ranks, name="ahead")


def alone(dice: random.Random, ranks: int) -> Workload:
    """One rank, one file."""
    size = dice.choice([MiB, 8 * MiB])
    passes = dice.randint(1, 5)
    busy = dice.uniform(0, 30) * 1e-3

    def program(rank: int, _: int) -> Iterator[Any]:
        for step in range(passes):
            yield read("in", offset=step * size, size=size)
            yield compute(busy)

    return Workload.from_program(program, 1, name="alone")


def blocks(dice: random.Random, processors: int) -> Flows:
    """A stream of work-flow graphs: blocks from disks, some of them sent on."""
    per = dice.choice([1, 1, 2])
    share = dice.choice([0.0, 0.0, 0.1, 0.5])
    busy = round(dice.uniform(0.1, 20) * 1e9)
    listed = []
    for _ in range(dice.choice([1, 1, 2, 3])):
        graphs = []
        for disk in range(processors * per):
            for _ in range(dice.randint(1, 8)):
                sent = dice.random() < share and processors > 1
                to = dice.choice([p for p in range(processors) if p != disk // per]) if sent else -1
                graphs.append(Graph(disk, (to,) if sent else (), not sent, busy))
        listed.append(tuple(graphs))
    return ListedFlows("blocks", processors, per, dice.choice([128 * KiB, 1 * MB]), tuple(listed))


KINDS = (private_files, shared_file, halo, pipeline, farm, iterations, ahead, alone, blocks)


def cases(count: int, seed: int) -> Iterator[Case]:
    """`count` cases, the kinds in turn; the same for the same seed."""
    for number in range(count):
        dice = random.Random(f"{seed}/{number}")
        kind = KINDS[number % len(KINDS)]
        ranks = dice.choice([2, 3, 4, 6, 8])
        workload = kind(dice, ranks)
        name = kind.__name__.replace("_", " ")
        yield Case(f"{name} {number}", name, workload, machine(dice, ranks, apart=kind is blocks))


def spread(values: list[float]) -> tuple[float, float, float]:
    """Median, 90 % and largest of some numbers; zeros for none."""
    if not values:
        return 0.0, 0.0, 0.0
    low, high = np.quantile(values, [0.5, 0.9])
    return float(low), float(high), max(values)
