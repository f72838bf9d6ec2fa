"""Runs an I/O scenario through the compiled engine: its machine, its programs, and the schedule behind an open."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from machines import run_application
from parity.io_scenario import Access, Close, IoScenario, Open
from striate.cluster.builders import star
from striate.cluster.cluster import Cluster
from striate.collectives.columns import CollectiveBook
from striate.engine.packets import PacketRun
from striate.workload import Workload
from striate.workload import operations as op
from striate.workload.kinds import Kind

OPEN_BYTES = 32
HEADER = 20  # bytes before the data of a collective message
UPLINK = {"GIGEPVS": "75392614 B/s", "GIGE_117MBps": "117 MB/s"}
SEND, RECEIVE, WAIT, STEP = 0, 1, 2, 3

NODE = {
    "name": "compute",
    "sockets": 2,
    "cpus_per_socket": 1,
    "instructions_per_second": "2.66 G",
    "nic": {"bandwidth": "40 GiB/s", "link": {"bandwidth": "3781 MiB/s", "latency": "79 ns"}},
    "socket": {"bandwidth": "3778 MiB/s", "local_bandwidth": "4556 MiB/s"},
    "hub": {"bandwidth": "10864 MiB/s", "link": {"bandwidth": "3427 MiB/s", "latency": "38 ns"}},
}
DISK = {
    "kind": "hard",
    "rate": "96 MiB/s",
    "average_seek": "9 ms",
    "track_seek": "1 ms",
    "revolutions_per_minute": 7200,
    "near": 1_000_000,
}


def machine(scenario: IoScenario) -> Cluster:
    """The Westmere cluster with the scenario's servers."""
    uplink = {"bandwidth": UPLINK[scenario.edge], "latency": "19982 ns"}
    node = NODE | {"count": scenario.nodes, "memory": scenario.cache_memory, "uplink": uplink}
    cache = {"policy": scenario.cache, "memory": scenario.cache_memory}
    table = {"cache": cache, "disk": DISK}
    servers = [
        {"name": "shared", "count": scenario.servers_on_nodes, "on": "nodes"} | table,
        {"name": "apart", "count": scenario.servers_apart, "on": "apart", "like": "compute"} | table,
    ]
    settings = {
        "packet": scenario.packet,
        "io_request": scenario.io_request,
        "stripe_unit": scenario.stripe_unit,
    }
    return star(
        node=node,
        switch={"bandwidth": "48 GB/s"},
        settings=settings,
        server=[server for server in servers if server["count"]],
    )


def operations(scenario: IoScenario, rank: int) -> Iterator[op.Operation]:
    for operation in scenario.programs[rank]:
        match operation:
            case Open():
                yield op.open_file("data", create=True)
            case Access(write, extents, collective):
                call = {(False, False): op.read, (False, True): op.read_all, (True, False): op.write}
                columns = tuple(zip(*extents, strict=True))
                chosen = call.get((write, collective), op.write_all)
                if len(extents) == 1:
                    yield chosen("data", offset=extents[0][0], size=extents[0][1])
                else:
                    yield chosen("data", extents=columns)
            case Close(flush):
                if flush:
                    yield op.sync_file("data")
                yield op.close_file("data")


def opening(ranks: int) -> CollectiveBook:
    """The few bytes the first rank tells: a scatter down a binomial tree, each child asking first, then a ring."""
    part = -(-OPEN_BYTES // ranks)
    lists = [list(_opening_actions(rank, ranks, part)) for rank in range(ranks)]
    actions = [action for actions in lists for action in actions]
    whole = np.int64
    return CollectiveBook(
        kind=np.array([Kind.BCAST], np.uint8),
        members=np.array([ranks], whole),
        root=np.zeros(1, whole),
        bytes=np.array([OPEN_BYTES], whole),
        first_member=np.zeros(1, whole),
        first_action=np.cumsum([0, *map(len, lists)], dtype=whole),
        action=np.array([action for action, _, _ in actions], np.uint8),
        peer=np.array([peer for _, peer, _ in actions], np.int32),
        amount=np.array([amount for _, _, amount in actions], whole),
    )


def _opening_actions(rank: int, ranks: int, part: int) -> Iterator[tuple[int, int, int]]:
    if rank:
        parent = rank & (rank - 1)
        yield from [(SEND, parent, HEADER), (RECEIVE, parent, 0), (WAIT, 0, 0)]
    steps = [1 << bit for bit in range(ranks.bit_length()) if not rank & ((2 << bit) - 1)]
    for step in reversed([step for step in steps if rank + step < ranks]):
        below = min(step, ranks - rank - step)
        yield from [(RECEIVE, rank + step, 0), (WAIT, 0, 0)]
        yield from [(SEND, rank + step, part * below + HEADER), (WAIT, 0, 0)]
    for _ in range(ranks - 1):
        yield from [(SEND, (rank + 1) % ranks, part + HEADER), (RECEIVE, (rank - 1) % ranks, 0), (WAIT, 0, 0)]


def run_io(scenario: IoScenario, heap_ties: bool = True) -> PacketRun:
    """The scenario packet by packet, on the truncated clock and with the ties of the original."""
    workload = Workload.from_program(lambda rank, ranks: operations(scenario, rank), ranks=scenario.ranks)
    cluster = machine(scenario)
    return run_application(
        workload.applications[0],
        cluster,
        cluster.place(scenario.ranks),
        collectives=opening(scenario.ranks),
        compat_clock=True,
        heap_ties=heap_ties,
    )
