"""A rough clock for the time in which ranks run: it decides who is first, the played run decides how long it took."""

from __future__ import annotations

import math
from dataclasses import dataclass

from striate.cluster.cluster import Cluster
from striate.rungs.fine import play
from striate.workload import operations
from striate.workload.workload import Workload

SMALL, LARGE = 8, 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class TimeEstimate:
    """Seconds that messages and files take when nobody else is there, as the packet engine plays them."""

    latency: float = 1e-6
    per_byte: float = 1e-9
    file_latency: float = 1e-4
    per_file_byte: float = 1e-8
    call: float = 1e-8

    @classmethod
    def of(cls, cluster: Cluster, ranks: int) -> TimeEstimate:
        """Play two messages between the first and the last rank, and two writes."""
        if ranks < 2:
            message = (cls().latency, cls().per_byte)
        else:
            message = _line(*(_played(cluster, ranks, _message(size)) for size in (SMALL, LARGE)))
        if not cluster.servers:
            return cls(*message)
        return cls(*message, *_line(*(_played(cluster, ranks, _write(size)) for size in (SMALL, LARGE))))

    def message(self, size: int) -> float:
        return self.latency + size * self.per_byte

    def access(self, size: int) -> float:
        return self.file_latency + size * self.per_file_byte

    def collective(self, kind: str, members: int, size: int) -> float:
        """Seconds from the last member's coming; `size` is what a member gives."""
        if members < 2:
            return self.call
        rounds = math.ceil(math.log2(members))
        if kind in ("alltoall", "alltoallv", "allgather", "allgatherv"):
            return rounds * self.latency + (members - 1) * size * self.per_byte
        return rounds * self.message(size)


def _line(small: float, large: float) -> tuple[float, float]:
    """Latency, and seconds per byte."""
    return small, max(0.0, large - small) / (LARGE - SMALL)


def _played(cluster: Cluster, ranks: int, program: object) -> float:
    made = Workload.from_program(program, ranks, name="estimate")  # type: ignore[arg-type]
    return int(play(made, cluster).rank_end.max()) / 1e12


def _message(size: int) -> object:
    def program(rank: int, ranks: int) -> object:
        if rank == 0:
            yield operations.send(ranks - 1, size)
        elif rank == ranks - 1:
            yield operations.recv(0, size)

    return program


def _write(size: int) -> object:
    def program(rank: int, ranks: int) -> object:
        if rank == 0:
            yield operations.write("estimate", size=size)

    return program
