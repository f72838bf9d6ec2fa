"""A second small Lustre, by averages of rounds instead of events: other locks, other limits, other noise.

It judges `striate.rates` beside `lustre_events` and shares nothing with either. An OST is as fast as its queue is deep
until too many writers disorder it, clients saturate with the processes that share them, servers hold several OSTs,
locks are passed on in random order with a write-back before each, and a round lasts as long as its slowest OST.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from statistics import median

MIB, GIB = 2**20, 2**30
NODES = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class RoundMachine:
    """Rates in bytes per second, times in seconds."""

    buffer: int  # bytes of one aggregator per round
    copy_rate: float  # of one process that has its node for itself
    client_rate: float  # that many processes of a node reach together
    client_half: float  # processes that reach half of it
    link: float  # of a node, for the exchange
    taper: float  # exponent below 1: links of many nodes carry less than their sum
    ost_rate: float
    ost_half: float  # writers at which an OST reaches half of it
    ost_crowd: float  # writers at which an OST falls to half of it again
    ost_fall: float  # how steeply
    osts_per_server: int
    server_rate: float
    one_stream: float  # of one client to one OST
    revoke: float  # until a lock has been given up
    flushed: float  # share of a buffer that its old holder writes back while the new one waits
    together: bool  # aggregators fill node after node
    lock_ahead: float  # per request, at the OST
    refused: float  # share of the requests ahead that wait as usual
    open: float
    barrier: float
    per_peer: float
    unequal: float  # spread of the logarithm of an OST's speed


@dataclass(frozen=True)
class RoundJob:
    nodes: int
    ranks_per_node: int
    stripes: int
    multiplier: int
    lock_mode: int
    size: int


def seconds(machine: RoundMachine, job: RoundJob, slowest: float) -> float:
    """Exchange and write of one round, times the rounds; `slowest`: of the OSTs of this file against the mean."""
    ranks = job.nodes * job.ranks_per_node
    writers = min(job.stripes * job.multiplier, ranks)
    on_node = math.ceil(writers / job.nodes)
    moved = min(writers * machine.buffer, job.size)
    rounds = job.size / moved
    bare = moved / writers
    link = machine.link * job.nodes**machine.taper
    exchange = moved / link + machine.barrier * math.log2(ranks + 1) + machine.per_peer * math.sqrt(ranks)
    process = bare / machine.copy_rate
    client_rate = machine.client_rate * on_node / (on_node + machine.client_half)
    client = bare * on_node / min(client_rate, machine.copy_rate * on_node)
    return machine.open + rounds * (
        exchange + max(process, client, _stored(machine, job, writers, bare) * slowest)
    )


def _stored(machine: RoundMachine, job: RoundJob, writers: int, bare: float) -> float:
    """Seconds of one round at an OST."""
    here = max(writers / job.stripes, 1.0)
    of_nodes = min(job.nodes, writers) / job.stripes if machine.together else min(job.nodes, here)
    clients = max(of_nodes, 1.0)
    depth = here if job.lock_mode == 2 else max(here / clients, 1.0)
    rate = machine.ost_rate * depth / (depth + machine.ost_half)
    rate /= 1 + (here / machine.ost_crowd) ** machine.ost_fall
    share = min(machine.osts_per_server, job.stripes)
    rate = min(rate, machine.server_rate / share, machine.one_stream * clients)
    written = bare * here / rate
    passed = here * (1 - 1 / clients)  # in random order
    wait = passed * (machine.revoke + machine.flushed * bare / machine.one_stream)
    if job.lock_mode == 2:
        return written + machine.lock_ahead * here + machine.refused * wait
    return written + wait


def draw_round_machine(random: Random, *, flash: bool) -> RoundMachine:
    def between(low: float, high: float) -> float:
        return math.exp(random.uniform(math.log(low), math.log(high)))

    ost = between(2e9, 8e9) if flash else between(0.5e9, 2.5e9)
    return RoundMachine(
        buffer=random.choice((1, 4, 16)) * MIB,
        copy_rate=between(0.6e9, 3e9),
        client_rate=between(2e9, 12e9),
        client_half=between(0.5, 4),
        link=between(5e9, 25e9),
        taper=random.uniform(0.75, 1.0),
        ost_rate=ost,
        ost_half=between(0.1, 1.5),
        ost_crowd=between(8, 200),
        ost_fall=random.uniform(0.5, 1.5),
        osts_per_server=random.choice((1, 2, 4)),
        server_rate=ost * between(0.8, 4),
        one_stream=between(0.7e9, 3e9),
        revoke=between(0.1e-3, 3e-3),
        flushed=random.uniform(0.1, 1.0),
        together=random.random() < 0.4,
        lock_ahead=between(10e-6, 500e-6),
        refused=random.choice((0.0, 0.02, 0.1)),
        open=between(0.01, 1.0),
        barrier=between(5e-6, 100e-6),
        per_peer=between(0.5e-6, 10e-6),
        unequal=random.uniform(0.0, 0.15),
    )


def made_rounds(seed: int) -> list[tuple[float, ...]]:
    """Rows of a table: benchmarks one after another beside a load that drifts, medians of few runs."""
    random = Random(1_000_003 + seed)
    machine = draw_round_machine(random, flash=seed % 2 == 1)
    ranks_per_node, stripes = random.choice((16, 64, 128)), random.choice((4, 8, 12, 20, 24))
    most, per_node = random.choice((8, 16, 32)), random.choice((512, 2048, 8192)) * MIB
    weak, runs = random.random() < 0.7, random.choice((1, 3, 5))
    load, keeps, tail = 0.0, random.uniform(0.0, 0.9), random.uniform(0.02, 0.08)
    rows = []
    for nodes in NODES:
        for multiplier in (1, 2, 4, 8, 16, 32):
            for lock_mode in (0, 2):
                load = keeps * load + random.gauss(0, 0.03)
                if multiplier > most or multiplier * stripes > 2 * nodes * ranks_per_node:
                    continue
                job = RoundJob(
                    nodes, ranks_per_node, stripes, multiplier, lock_mode, per_node * (nodes if weak else 8)
                )
                slow = _slowest(Random(seed), machine, stripes)
                for _ in range(runs):
                    slowest = max(math.exp(random.gauss(0, machine.unequal)) for _ in range(stripes))
                    noise = math.exp(abs(load) + tail * random.gammavariate(0.7, 1.0))
                    rows.append(
                        (
                            nodes,
                            ranks_per_node,
                            stripes,
                            multiplier,
                            lock_mode,
                            job.size,
                            seconds(machine, job, slowest) * noise,
                            seconds(machine, job, slow),
                        )
                    )
    return rows


def _slowest(random: Random, machine: RoundMachine, stripes: int) -> float:
    """How slow the slowest OST is in the median of many runs."""
    return median(max(math.exp(random.gauss(0, machine.unequal)) for _ in range(stripes)) for _ in range(201))
