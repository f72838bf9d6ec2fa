"""What a rung will cost, told before it is run: counted from the workload's size, corrected by what has been seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.cluster.measures import route_measure
from striate.workload.application import Application
from striate.workload.kinds import ACCESSES, KINDS, OPERANDS, POSITIONS, Kind, position
from striate.workload.operand_ranges import Floats, means_over_ranks, program_of_row, times_of_rows
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
_TELLING_SECONDS = 0.1  # below it, what a rung took says more about this moment than about this computer

_COLLECTIVE = frozenset(kind for kind in Kind if Kind.BARRIER <= kind <= Kind.REDUCE_SCATTER)
_MARKS = (int(Kind.LOOP), int(Kind.END))
_IS_ACCESS = np.array([kind in ACCESSES for kind in KINDS])
_IS_MESSAGE = np.array(["bytes" in OPERANDS[kind] and kind not in ACCESSES | _COLLECTIVE for kind in KINDS])
_BYTES_AT = np.array([POSITIONS[kind].get("bytes", 0) for kind in KINDS])
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
        rows = called_rows(application)
        calls += float(rows.calls.sum())
        messages += 3.0 * len(cluster.servers) * float(rows.calls[rows.accesses].sum())
        messages += float(rows.calls[rows.messages].sum())
        messages += sum(_calls(line) * _rounds(line) for line in lines(application, kinds=_COLLECTIVE))
    return _LEAST_SECONDS + (calls + 5 * messages) * LEG_SECONDS[rung]


def fine_seconds(workload: Workload, cluster: Cluster) -> float:
    """About how much CPU time the fine rung would take; right within a small factor."""
    packets = steps = 0.0
    packet = int(cluster.settings.packet)
    for application in workload.applications:
        rows = called_rows(application)
        steps += float(rows.calls.sum())
        packets += float((rows.calls * rows.packets(packet)).sum())
        packets += sum(
            _calls(line) * _collective_packets(line, packet) for line in lines(application, kinds=_COLLECTIVE)
        )
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


@dataclass(frozen=True, slots=True, eq=False)
class CalledRows:
    """The rows of a program table that are operations: how often all ranks together do them, and how large they are."""

    calls: Floats  # 0 for loops
    accesses: NDArray[np.bool_]  # which read or write a file
    messages: NDArray[np.bool_]  # which send or receive one message
    bytes: Floats  # on average over ranks, in the first pass
    blocks: Floats  # of accesses

    @classmethod
    def of(cls, application: Application) -> CalledRows:
        programs = application.programs
        ranks = np.bincount(programs.program_of_rank, minlength=programs.count)[program_of_row(programs)]
        calls = np.where(np.isin(programs.kind, _MARKS), 0.0, times_of_rows(programs) * ranks)
        first, mean = programs.first_operand[:-1].astype(np.int64), means_over_ranks(programs)
        accesses, messages = _IS_ACCESS[programs.kind], _IS_MESSAGE[programs.kind]
        bytes_, blocks = np.zeros((2, programs.rows))
        sized = accesses | messages
        bytes_[sized] = mean[first[sized] + _BYTES_AT[programs.kind[sized]]]
        blocks[accesses] = mean[first[accesses] + position(Kind.READ, "count")]
        return cls(calls, accesses, messages, bytes_, blocks)

    def packets(self, packet: int) -> Floats:
        """Packets that one call of one rank sends, on average over its ranks; none for collectives."""
        access = 3 + self.bytes * np.maximum(self.blocks, 1.0) / packet
        return np.where(self.accesses, access, np.where(self.messages, 1 + self.bytes / packet, 0.0))


@lru_cache(maxsize=4)
def called_rows(application: Application) -> CalledRows:
    """The rows of an application; every rung asks for them."""
    return CalledRows.of(application)


def _calls(line: ProgramLine) -> float:
    return float(line.times) * len(line.ranks)


def _rounds(line: ProgramLine) -> float:
    """Messages that one collective call of one rank sends, on average over its ranks."""
    members = float(np.mean(line.application.groups(line.communicator).size(line.ranks)))
    return max(members - 1, 0) if line.kind in _TO_ALL else math.log2(max(members, 1))


def _collective_packets(line: ProgramLine, packet: int) -> float:
    """Packets that one call of one rank sends, on average over its ranks."""
    first = 0 if line.kind is Kind.BARRIER else line.first("bytes")
    size = float(first) if isinstance(first, int) else float(first.mean())
    return _rounds(line) * (1 + size / packet)
