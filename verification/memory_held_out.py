"""Programs above 50 MiB that the memory estimate of `fine` was not fitted to, of other kinds than those it was."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from memory_measured import (
    APART,
    FAST,
    FLASH,
    GIB,
    HARD,
    KIB,
    MIB,
    NODE,
    SLOW,
    Case,
    apart,
    machine,
    print_measured,
    with_parts,
)
from striate.cluster import Cluster
from striate.cluster.builders import dragonfly, torus
from striate.importers.kinds import from_command_line
from striate.workload import Spmd, Workload
from striate.workload import operations as op

ROUTER, LINK = {"bandwidth": "200 GB/s"}, {"bandwidth": "25 GB/s", "latency": "200 ns"}


# ---- machines


def raid(disk: object, **settings: Any) -> Cluster:
    return with_parts(8, apart(8, disk, disks=5, raid=5), settings)


def with_metadata(**settings: Any) -> Cluster:
    one = {"count": 2, "on": "apart", "node": APART, "create": "200 us", "open": "50 us", "close": "10 us"}
    return with_parts(64, apart(16, FAST), settings, metadata=[one])


def grid(*dimensions: int) -> Cluster:
    node = NODE | {"count": int(np.prod(dimensions))}
    return torus(node=node, dimensions=dimensions, router=ROUTER, link=LINK, settings={"packet": "64 KiB"})


def flying() -> Cluster:
    shape = {"groups": 5, "routers_per_group": 8, "nodes_per_router": 4, "global_links_per_router": 1}
    links = {"router": ROUTER, "local_link": LINK, "global_link": LINK}
    return dragonfly(node=NODE | {"count": 152}, server=[apart(8, FLASH)], **shape, **links)


# ---- programs


def spmd(ranks: int, body: Callable[[Any], None], **more: Any) -> Workload:
    made = Spmd(ranks, name="held out", **more)
    body(made)
    return made.workload()


def one_sided(call: str, times: int, size: int) -> Callable[[Any], None]:
    """Many accesses between two fences."""

    def body(b: Any) -> None:
        b.win_create()
        with b.repeat(2):
            with b.repeat(times):
                getattr(b, call)((b.rank + 1) % b.ranks, size)
            b.win_fence()

    return body


def locks(b: Any) -> None:
    """One access under a lock, of many ranks at once."""
    after = (b.rank + 1) % b.ranks
    b.win_lock(after, exclusive=False)
    b.put(after, 4 * KIB)
    b.win_unlock(after)


def halo(times: int, size: int, dimensions: tuple[int, ...]) -> Workload:
    ranks = int(np.prod(dimensions))
    body = Spmd(ranks, name="halo")
    near = op.cartesian_neighbors(body.rank, dimensions, periodic=True)
    with body.repeat(times):
        body.neighbor_alltoall(size, near, blocking=False)
    body.waitall()
    return body.workload()


def ragged(verb: str, times: int, *, blocking: bool, runs: int = 40) -> Callable[[int, int], Iterator[Any]]:
    """Every access a list of byte runs of its own."""

    def body(rank: int, ranks: int) -> Iterator[Any]:
        chance = np.random.default_rng(rank)
        begun = []
        for step in range(times):
            sizes = chance.integers(100, 30_000, runs)
            offsets = np.concatenate(([0], np.cumsum(sizes + chance.integers(1, 5000, runs))[:-1]))
            start = (step * ranks + rank) * runs * 50_000
            one = getattr(op, verb)("data", offset=start, extents=(offsets, sizes), blocking=blocking)
            begun.append(one)
            yield one
        if not blocking:
            yield op.waitall(begun)

    return body


def training(samples: int, depth: int, size: int = 150_528) -> Callable[[int, int], Iterator[Any]]:
    """Random samples prefetched `depth` deep, a step, a gradient exchange; a checkpoint at the end."""

    def body(rank: int, ranks: int) -> Iterator[Any]:
        order = np.random.default_rng(rank).integers(0, 100_000, samples)
        begun: list[Any] = []
        for sample in order.tolist():
            one = op.read("samples", offset=sample * size, size=size, blocking=False)
            begun.append(one)
            yield one
            if len(begun) == depth:
                yield op.waitall(begun)
                yield op.compute(1e-3)
                yield op.allreduce(4 * MIB)
                begun = []
        if rank == 0:
            yield op.write("checkpoint", size=500 * MIB)
        if begun:
            yield op.waitall(begun)

    return body


def many_files(each: int, size: int) -> Callable[[int, int], Iterator[Any]]:
    def body(rank: int, _: int) -> Iterator[Any]:
        for number in range(each):
            name = f"out.{rank}.{number}"
            yield op.open_file(name, create=True)
            yield op.write(name, size=size)
            yield op.close_file(name)

    return body


def huge(b: Any) -> None:
    """A file of 8 TiB, records of 1 MiB of all ranks in turn."""
    with b.repeat(16) as step:
        offset = step * b.ranks * 8 * GIB + b.rank * 8 * GIB
        b.write("huge", offset=offset, size=1 * MIB, count=64, stride=128 * MIB, blocking=False)
    b.waitall()


def in_groups(size: int, groups: int) -> Callable[[Any], None]:
    def body(b: Any) -> None:
        for number in range(groups):
            b.allreduce(size, comm=f"c{number}")
            b.alltoall(64, comm=f"c{number}")

    return body


def colours(ranks: int, groups: int) -> dict[str, Any]:
    return {f"c{number}": np.arange(ranks) // (16 + number) for number in range(groups)}


def incast(b: Any) -> None:
    """Everyone sends to rank 0, which takes what comes."""
    with b.only(b.rank > 0), b.repeat(2000):
        b.isend(0, 2 * KIB)
    with b.only(b.rank == 0), b.repeat(2000 * (b.ranks - 1)):
        b.recv(size=2 * KIB)
    b.waitall()


def synchronous(b: Any) -> None:
    after, before = (b.rank + 1) % b.ranks, (b.rank - 1) % b.ranks
    with b.repeat(6000):
        b.irecv(before, 64 * KIB)
        b.issend(after, 64 * KIB)
    b.waitall()


def uneven_exchange(rank: int, ranks: int) -> Iterator[Any]:
    for turn in range(8):
        yield op.alltoallv([1 + (rank * 37 + peer * 11 + turn) % 9000 for peer in range(ranks)])


def pieces(verb: str, times: int, size: int, *, blocking: bool = False) -> Callable[[Any], None]:
    def body(b: Any) -> None:
        with b.repeat(times) as step:
            offset = (step * b.ranks + b.rank) * size
            getattr(b, verb)("data", offset=offset, size=size, blocking=blocking)
        b.waitall()

    return body


def there_and_back(b: Any) -> None:
    with b.repeat(200) as step:
        b.write("data", offset=(step * b.ranks + b.rank) * 4 * MIB, size=4 * MIB)
    b.barrier()
    with b.repeat(200) as step:
        b.read("data", offset=(step * b.ranks + b.rank) * 4 * MIB, size=4 * MIB, blocking=False)
    b.waitall()


def shared_block(method: str) -> Callable[[Any], None]:
    def body(b: Any) -> None:
        file = b.files("data", collective=method)
        with b.repeat(4) as step:
            b.write_all(
                file,
                offset=step * b.ranks * 16 * MIB + b.rank * 2 * KIB,
                size=2 * KIB,
                count=6000,
                stride=b.ranks * 2 * KIB,
            )

    return body


LARGE = {"memory": "512 GiB", "keeps_reads": True}
KEEPS = {"memory": "64 GiB", "keeps_reads": True, "read_ahead": "1 MiB"}
LOCKS = {"lock_move": "1 ms", "stripe_unit": "1 MiB"}
PROGRAMS: dict[str, Callable[[], Case]] = {
    "puts between fences": lambda: Case(spmd(256, one_sided("put", 4000, 4 * KIB)), machine(servers=0)),
    "long puts between fences": lambda: Case(
        spmd(128, one_sided("put", 6000, 256 * KIB)), machine(servers=0)
    ),
    "gets between fences": lambda: Case(spmd(256, one_sided("get", 3000, 4 * KIB)), machine(servers=0)),
    "accumulates": lambda: Case(spmd(256, one_sided("accumulate", 4000, 8 * KIB)), machine(servers=0)),
    "requests of puts": lambda: Case(spmd(256, one_sided("rput", 4000, 8 * KIB)), machine(servers=0)),
    "locks of many": lambda: Case(spmd(30_000, locks), machine(nodes=500, servers=0)),
    "halos in three dimensions": lambda: Case(halo(60, 32 * KIB, (16, 16, 16)), grid(8, 8, 8)),
    "halos in two dimensions": lambda: Case(halo(300, 8 * KIB, (32, 32)), machine(nodes=16, servers=0)),
    "halos of 27,000 ranks": lambda: Case(halo(2, 16 * KIB, (30, 30, 30)), machine(nodes=500, servers=0)),
    "lists written one by one": lambda: Case(
        from_program(ragged("write", 200, blocking=True), 64), machine()
    ),
    "lists written at once": lambda: Case(
        from_program(ragged("write", 400, blocking=False), 64), machine(disk=FAST)
    ),
    "lists read at once": lambda: Case(
        from_program(ragged("read", 160, blocking=False), 64), machine(disk=FLASH)
    ),
    "lists written collectively": lambda: Case(
        from_program(ragged("write_all", 2, blocking=True, runs=20_000), 64),
        machine(disk=FAST, collective="two-phase"),
    ),
    "training with prefetch": lambda: Case(from_program(training(1500, 750), 64), machine(disk=FLASH)),
    "training that keeps reads": lambda: Case(
        from_program(training(400, 32, 2_000_000), 64), machine(disk=FAST, cache=KEEPS, packet="1 MiB")
    ),
    "training of many ranks": lambda: Case(
        from_program(training(20, 10), 2048), machine(nodes=32, disk=FAST)
    ),
    "many files of each rank": lambda: Case(from_program(many_files(200, 64 * KIB), 800), with_metadata()),
    "many files striped over all": lambda: Case(
        from_program(many_files(60, 2 * MIB), 1000), machine(servers=32, disk=FAST)
    ),
    "one huge file": lambda: Case(spmd(128, huge), machine(nodes=8, servers=64, disk=SLOW)),
    "one huge file in a hash": lambda: Case(
        spmd(128, huge), machine(nodes=8, servers=64, disk=SLOW, distribution="hash")
    ),
    "one huge file on hard disks": lambda: Case(spmd(128, huge), machine(nodes=8, servers=16, disk=HARD)),
    "many communicators": lambda: Case(
        spmd(16_384, in_groups(64, 30), communicators=colours(16_384, 30)), machine(nodes=256, servers=0)
    ),
    "long vectors in communicators": lambda: Case(
        spmd(16_384, in_groups(MIB, 5), communicators=colours(16_384, 5)), machine(nodes=256, servers=0)
    ),
    "anyone to one": lambda: Case(spmd(512, incast), machine(nodes=8, servers=0)),
    "synchronous messages": lambda: Case(spmd(96, synchronous), machine(servers=0)),
    "uneven exchange": lambda: Case(from_program(uneven_exchange, 256), machine(servers=0)),
    "an exchange on a torus": lambda: Case(spmd(768, lambda b: b.alltoall(4 * KIB)), grid(8, 8)),
    "an exchange on a dragonfly": lambda: Case(spmd(608, lambda b: b.alltoall(2 * KIB)), flying()),
    "writes on a dragonfly": lambda: Case(spmd(608, pieces("write", 120, 256 * KIB)), flying()),
    "writes to RAID": lambda: Case(spmd(64, pieces("write", 600, 300 * KIB)), raid(SLOW)),
    "reads of RAID": lambda: Case(spmd(64, pieces("read", 600, 300 * KIB)), raid(FLASH)),
    "blocking writes to RAID": lambda: Case(
        spmd(64, pieces("write", 200, 8 * MIB, blocking=True)), raid(SLOW)
    ),
    "writes through small windows": lambda: Case(
        spmd(256, pieces("write", 1000, 512 * KIB)), machine(disk=FAST, write_window="64 KiB")
    ),
    "reads through small windows": lambda: Case(
        spmd(256, pieces("read", 1000, 512 * KIB)), machine(disk=FAST, read_window="64 KiB")
    ),
    "writes under extent locks": lambda: Case(
        spmd(256, pieces("write", 700, 300 * KIB)), machine(disk=FAST, **LOCKS)
    ),
    "no cache": lambda: Case(
        spmd(128, pieces("write", 3000, 64 * KIB)), machine(disk=FLASH, cache={"policy": "none"})
    ),
    "servers in charge": lambda: Case(
        spmd(64, pieces("write", 1200, 256 * KIB)), machine(disk=FLASH, cache={"policy": "server-directed"})
    ),
    "there and back": lambda: Case(spmd(64, there_and_back), machine(disk=SLOW)),
    "there and back through a cache": lambda: Case(spmd(64, there_and_back), machine(disk=FAST, cache=KEEPS)),
    "there and back through a burst buffer": lambda: Case(
        spmd(64, there_and_back), machine(disk=SLOW, burst={"capacity": "8 GiB", "disk": FLASH})
    ),
    "small records by cyclic domains": lambda: Case(
        spmd(128, shared_block("two-phase:8")), machine(disk=FAST, file_domains="cyclic")
    ),
    "small records pipelined": lambda: Case(
        spmd(64, shared_block("pipelined:4:256KiB")), machine(disk=FLASH)
    ),
    "IOR, a file per process": lambda: Case(
        from_command_line("mpiexec -n 4096 ior -F -w -t 1m -b 4m", None),
        machine(nodes=64, servers=16, disk=SLOW),
    ),
    "IOR, one file, read back": lambda: Case(
        from_command_line("mpiexec -n 2048 ior -a MPIIO -w -r -t 1m -b 32m", None), machine(nodes=32)
    ),
    "IOR, random transfers": lambda: Case(
        from_command_line("mpiexec -n 256 ior -w -z -t 64k -b 256m", None), machine(disk=HARD)
    ),
    "several jobs": lambda: Case(
        Workload.together(
            spmd(128, pieces("write", 800, 128 * KIB)),
            spmd(128, one_sided("put", 2000, 4 * KIB)),
            from_program(training(200, 50), 32),
        ),
        machine(disk=FAST),
    ),
    "a timeline of one-sided calls": lambda: Case(
        spmd(128, one_sided("get", 500, 64 * KIB)), machine(servers=0), timeline_bytes=GIB
    ),
    "a timeline of lists": lambda: Case(
        from_program(ragged("write", 40, blocking=True), 32), machine(disk=FLASH), timeline_bytes=GIB
    ),
    "small reads in a row": lambda: Case(
        spmd(64, lambda b: small_reads(b, 20_000, 64 * KIB)), machine(disk=FAST, cache=LARGE)
    ),
    "small reads far apart": lambda: Case(
        spmd(64, lambda b: small_reads(b, 8_000, 2 * MIB)), machine(disk=FAST, cache=LARGE)
    ),
    "oversubscribed ranks": lambda: Case(
        spmd(30_000, lambda b: b.allreduce(8)), machine(nodes=100, servers=0, turn="5 us", waiting_double=0.5)
    ),
    "non-blocking collectives of many sizes": lambda: Case(
        spmd(512, lambda b: sizes_at_once(b)), machine(servers=0)
    ),
}


def small_reads(b: Any, times: int, apart: int) -> None:
    with b.repeat(times) as turn:
        b.read("data", offset=(b.rank * times + turn) * apart, size=64 * KIB)


def sizes_at_once(b: Any) -> None:
    for number in range(10):
        b.allgather(16 * (number + 1), blocking=False)
        b.reduce(1000 * (number + 1), root=number, blocking=False)
    b.waitall()


def from_program(body: Callable[[int, int], Iterator[Any]], ranks: int) -> Workload:
    return Workload.from_program(body, ranks=ranks, name="held out")


if __name__ == "__main__":
    print_measured(PROGRAMS)
