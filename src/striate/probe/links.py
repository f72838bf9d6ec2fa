"""Links between nodes: long messages of one pair, of many, in both directions, around all nodes, from all to one.

Messages are long, so that what a switch or a traffic shaper lets pass at once does not count as the link's rate.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from striate.probe.deadline import affordable
from striate.probe.samples import Floats, Line, sturdy_line

SIZES = (256 * 1024, 1024**2, 4 * 1024**2)
ONE_PAIR, BOTH, MANY, INCAST = "link, one pair", "link, both directions", "link, many pairs", "link, incast"
RING = "link, ring of all nodes"
Flow = tuple[int, int]  # source and target


def leaders(hosts: Sequence[str]) -> list[int]:
    """The first rank of every host, in the order of the hosts' first ranks."""
    return [rank for rank, host in enumerate(hosts) if host not in hosts[:rank]]


def patterns(ranks: Sequence[int]) -> dict[str, list[Flow]]:
    """Which rank sends to which, for every pattern that so many nodes allow; `ranks` are one for each node."""
    if len(ranks) < 2:
        return {}
    found = {ONE_PAIR: [(ranks[0], ranks[1])], BOTH: [(ranks[0], ranks[1]), (ranks[1], ranks[0])]}
    if len(ranks) > 2:
        found[INCAST] = [(rank, ranks[0]) for rank in ranks[1:]]
        found[RING] = list(zip(ranks, [*ranks[1:], ranks[0]], strict=True))
    if len(ranks) > 3:
        found[MANY] = [(ranks[at], ranks[at + 1]) for at in range(0, len(ranks) - 1, 2)]
    return found


def link_lines(comm: Any, hosts: Sequence[str], seconds: float) -> list[Line]:
    """Seconds by bytes for each pattern, on rank 0; bytes are those of one flow, or all of them for incast."""
    chosen = patterns(leaders(hosts))
    lines = []
    for name, flows in chosen.items():
        share = seconds / len(chosen) / len(SIZES)
        columns = [_samples(comm, flows, size, share) for size in SIZES]
        together = len(flows) if name == INCAST else 1
        if comm.rank == 0:
            lines.append(sturdy_line(name, [size * together for size in SIZES], columns))
    return lines


def _samples(comm: Any, flows: Sequence[Flow], size: int, seconds: float) -> Floats:
    """Seconds until the last byte of all flows is there, a value for each round."""
    from mpi4py import MPI

    out = np.zeros(size, np.uint8)
    targets = [target for source, target in flows if source == comm.rank]
    sources = [source for source, target in flows if target == comm.rank]
    places = [np.zeros(size, np.uint8) for _ in sources]

    def once() -> float:
        comm.Barrier()
        before = time.perf_counter()
        waits = [comm.Irecv(place, source) for place, source in zip(places, sources, strict=True)]
        waits += [comm.Isend(out, target) for target in targets]
        MPI.Request.Waitall(waits)
        return float(comm.allreduce(time.perf_counter() - before, op=MPI.MAX))

    first = float(np.median([once() for _ in range(2)]))
    return np.array([once() for _ in range(comm.bcast(affordable(first, seconds, least=5, most=50)))])
