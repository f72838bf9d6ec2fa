"""Links between nodes: long messages of one pair, of many, in both directions, around all nodes, from all to one.

Messages are long, so that what a switch or a traffic shaper lets pass at once does not count as the link's rate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from striate.interval import Interval
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
    """Seconds by bytes for each pattern, on rank 0; bytes are those of one flow, or all of them for incast.

    Patterns take turns, as the calls of a program do: the same one again and again finds its connections just used.
    """
    chosen = patterns(leaders(hosts))
    turns = {size: _rounds(comm, chosen, size, seconds / len(SIZES)) for size in SIZES} if chosen else {}
    if comm.rank:
        return []
    lines = []
    for name, flows in chosen.items():
        together = len(flows) if name == INCAST else 1
        lines.append(
            of_single_calls(name, [size * together for size in SIZES], [turns[size][name] for size in SIZES])
        )
    return lines


def of_single_calls(name: str, sizes: Sequence[int], rounds: Sequence[Floats]) -> Line:
    """The line, its rate between the 10th and 90th percentile of single calls of the largest size.

    Not of medians over a stretch of time: a program exchanges long messages once or a few times between other things,
    and both directions of a link get in each other's way more in one exchange than in the next.
    """
    line = sturdy_line(name, sizes, rounds)
    estimate = _beyond_bursts(line, sizes, rounds)
    calls = sizes[-1] / np.maximum(rounds[-1] - line.startup.estimate, sizes[-1] / (2 * estimate))
    low, high = np.percentile(calls, [10, 90])
    return replace(line, rate=Interval(min(float(low), estimate), estimate, max(float(high), estimate)))


def _beyond_bursts(line: Line, sizes: Sequence[int], rounds: Sequence[Floats]) -> float:
    """The rate; behind a token bucket, whose burst lets short messages pass sooner, that of the last bytes.

    There no latency is left, as a line through the sizes would begin below zero, and the bytes by which the longest
    message exceeds the next one take longer than the line says.
    """
    rate = line.rate.estimate
    more = float(np.median(rounds[-1]) - np.median(rounds[-2]))
    if line.startup.estimate > 0 or more <= 0:
        return rate
    return min(rate, (sizes[-1] - sizes[-2]) / more)


def _rounds(comm: Any, chosen: Mapping[str, Sequence[Flow]], size: int, seconds: float) -> dict[str, Floats]:
    """Seconds of every pattern, a value for each round; a round has every pattern once, in any order."""
    exchanges = [_exchange(comm, flows, size) for flows in chosen.values()]
    once = [[exchange() for exchange in exchanges] for _ in range(2)]
    count = comm.bcast(affordable(min(map(sum, once)), seconds, least=8, most=50))
    orders = np.random.default_rng(size)  # the same on every rank
    found = np.zeros((count, len(exchanges)))
    for row in found:
        for number in orders.permutation(len(exchanges)):
            row[number] = exchanges[number]()
    return dict(zip(chosen, found.T, strict=True))


def _exchange(comm: Any, flows: Sequence[Flow], size: int) -> Callable[[], float]:
    """A call that sends all flows at once and returns the seconds until the last byte of them is there."""
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

    return once
