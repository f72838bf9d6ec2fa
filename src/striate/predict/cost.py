"""What the fine rung will cost, told before it is run: packets, hops and events counted from the text."""

from __future__ import annotations

import math

import numpy as np

from striate.cluster.cluster import Cluster
from striate.cluster.measures import way
from striate.workload.kinds import ACCESSES, OPERANDS, Kind
from striate.workload.walk import Line, lines
from striate.workload.workload import Workload

EVENTS_PER_SECOND = (
    12e6  # of CPU time, with matching and disks; `benchmarks/engine.py` prints the engine's own rate
)
SECONDS_A_STEP = 1e-6  # an operation of a rank that sends nothing

_TO_ALL = frozenset((Kind.ALLGATHER, Kind.ALLGATHERV, Kind.ALLTOALL, Kind.ALLTOALLV, Kind.REDUCE_SCATTER))


def fine_seconds(workload: Workload, cluster: Cluster) -> float:
    """About how much CPU time the fine rung would take; right within a small factor."""
    far = way(cluster, (0, 0), (cluster.nodes - 1, 0)) if cluster.nodes > 1 else way(cluster, (0, 0), (0, 0))
    events_a_packet = 2 * len(far.rates)
    packets = steps = 0.0
    for application in workload.applications:
        for line in lines(application):
            calls = float(line.times) * len(line.ranks)
            steps += calls
            packets += calls * _packets(line, int(cluster.settings.packet))
    return packets * events_a_packet / EVENTS_PER_SECOND + steps * SECONDS_A_STEP


def _packets(line: Line, packet: int) -> float:
    """Packets that one call of one rank sends, on average over its ranks."""
    if "bytes" not in OPERANDS[line.kind] and line.kind is not Kind.BARRIER:
        return 0.0
    size = float(np.mean(line.column("bytes"))) if line.kind is not Kind.BARRIER else 0.0
    if line.kind in ACCESSES:
        return 3 + size * max(float(np.mean(line.column("count"))), 1.0) / packet
    if Kind.BARRIER <= line.kind <= Kind.REDUCE_SCATTER:
        members = float(np.mean(line.application.groups(line.communicator).size(line.ranks)))
        rounds = max(members - 1, 0) if line.kind in _TO_ALL else math.log2(max(members, 1))
        return rounds * (1 + size / packet)
    return 1 + size / packet
