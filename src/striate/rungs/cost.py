"""What a rung will cost, told before it is run: counted from the workload's size, corrected by what has been seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

import numpy as np

from striate.cluster.cluster import Cluster
from striate.cluster.measures import route_measure
from striate.workload.kinds import ACCESSES, OPERANDS, Kind
from striate.workload.walk import ProgramLine, lines
from striate.workload.workload import Workload

EVENTS_PER_SECOND = (
    12e6  # of CPU time, with matching and disks; `benchmarks/engine.py` prints the engine's own rate
)
SECONDS_A_STEP = 1e-6  # an operation of a rank that sends nothing
# CPU seconds a graph of a stream (`benchmarks/flows.py`) and a leg of a program's operation.
STREAM_SECONDS = {"resource": 1e-8, "macro-rr": 1.5e-8, "macro-queue": 7e-8, "micro": 2e-7}
LEG_SECONDS = {
    "resource": 0.0,
    "queueing": 0.0,
    "path": 3e-7,
    "macro-rr": 5e-7,
    "macro-queue": 5e-7,
    "micro": 7e-7,
}
FLOW_SHARE = 0.4  # of the CPU time of `fine` (`benchmarks/files.py`)
_LEAST_SECONDS = 2e-3  # of any rung: what it takes to set one up
_TELLING_SECONDS = 5e-3  # a shorter run says nothing about the speed of this computer

_TO_ALL = frozenset((Kind.ALLGATHER, Kind.ALLGATHERV, Kind.ALLTOALL, Kind.ALLTOALLV, Kind.REDUCE_SCATTER))


def stream_seconds(rung: str, graphs: int) -> float:
    """A coarse rung over a stream of `graphs`."""
    return _LEAST_SECONDS + STREAM_SECONDS.get(rung, 0.0) * graphs


def played_seconds_of_stream(graphs: int, sends: int, packets: float, cluster: Cluster) -> float:
    """A stream played by ranks, so many packets per block: these, and making the programs that send them."""
    blocks = graphs + sends
    return _LEAST_SECONDS + blocks * (packets * _events_a_packet(cluster) / EVENTS_PER_SECOND + 4e-5)


def program_seconds(rung: str, workload: Workload, cluster: Cluster) -> float:
    """A rung over programs of ranks; right within a small factor."""
    if rung == "fine":
        return fine_seconds(workload, cluster)
    if rung == "flow":
        return _LEAST_SECONDS + FLOW_SHARE * fine_seconds(workload, cluster)
    calls = messages = 0.0
    for application in workload.applications:
        for line in lines(application):
            times = float(line.times) * len(line.ranks)
            calls += times
            messages += times * messages_a_call(line, len(cluster.servers))
    return _LEAST_SECONDS + (calls + 5 * messages) * LEG_SECONDS[rung]


def fine_seconds(workload: Workload, cluster: Cluster) -> float:
    """About how much CPU time the fine rung would take; right within a small factor."""
    packets = steps = 0.0
    for application in workload.applications:
        for line in lines(application):
            calls = float(line.times) * len(line.ranks)
            steps += calls
            packets += calls * _packets(line, int(cluster.settings.packet))
    return packets * _events_a_packet(cluster) / EVENTS_PER_SECOND + steps * SECONDS_A_STEP


def speed_learnt(expected: Sequence[float], spent: Sequence[float]) -> float:
    """How many times longer this computer takes than expected, by the rungs that were run; 1 when none tells."""
    told = [
        cost / guess
        for guess, cost in zip(expected, spent, strict=True)
        if cost >= _TELLING_SECONDS and guess
    ]
    return median(told) if told else 1.0


def _events_a_packet(cluster: Cluster) -> int:
    far = (
        route_measure(cluster, (0, 0), (cluster.nodes - 1, 0))
        if cluster.nodes > 1
        else route_measure(cluster, (0, 0), (0, 0))
    )
    return 2 * len(far.rates)


def messages_a_call(line: ProgramLine, servers: int) -> float:
    """Messages that one call of one rank sends, on average over its ranks."""
    if line.kind in ACCESSES:
        return 3.0 * servers
    if Kind.BARRIER <= line.kind <= Kind.REDUCE_SCATTER:
        return _rounds(line)
    return 1.0 if "bytes" in OPERANDS[line.kind] else 0.0


def _rounds(line: ProgramLine) -> float:
    members = float(np.mean(line.application.groups(line.communicator).size(line.ranks)))
    return max(members - 1, 0) if line.kind in _TO_ALL else math.log2(max(members, 1))


def _packets(line: ProgramLine, packet: int) -> float:
    """Packets that one call of one rank sends, on average over its ranks."""
    if "bytes" not in OPERANDS[line.kind] and line.kind is not Kind.BARRIER:
        return 0.0
    size = _mean(line, "bytes") if line.kind is not Kind.BARRIER else 0.0
    if line.kind in ACCESSES:
        return 3 + size * max(_mean(line, "count"), 1.0) / packet
    if Kind.BARRIER <= line.kind <= Kind.REDUCE_SCATTER:
        return _rounds(line) * (1 + size / packet)
    return 1 + size / packet


def _mean(line: ProgramLine, name: str) -> float:
    first = line.first(name)
    return float(first) if isinstance(first, int) else float(first.mean())
