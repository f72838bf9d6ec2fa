"""A third judge of fits: every aggregator is a stream, and streams share clients and OSTs fairly (max-min).

Nothing of it comes from the formula, nor from the other two judges. A round is an exchange and a write. In the write
every aggregator has a rate: the fair share of its own limit, its node's client and its OST (Bertsekas and Gallager,
Data Networks, 6.5.2, progressive filling), with OSTs of unequal speed; the slowest stream ends the round. Clients get
faster with their first streams and slower with many; disks seek between clients, flash wants a deep queue. Extent
locks take time of the OST. Tables have holes, some few rows, and the load of other jobs differs from day to day.
"""

import math
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from random import Random
from statistics import median

import numpy as np

MIB = 2**20


@dataclass(frozen=True)
class SharesMachine:
    """Rates in bytes per second, times in seconds."""

    stripe: int
    stripes_per_round: int
    stream: float  # of one aggregator
    client: float
    client_ramp: float  # streams at which a client reaches 63 % of its rate
    client_crowd: float  # share of its rate that a client loses per stream beyond 16
    memory: float  # of a node, all ranks that pack together
    link: float
    message: float
    ost: float
    seek: float  # share by which a second client slows an OST, with the square root of the others
    depth: float  # RPCs in flight at which an OST reaches half of its rate
    rpcs: int
    unequal: float  # spread of the OSTs' rates
    callback: float
    ahead: float
    overlap: float  # share of exchanges that writes hide
    straggle: float  # share of a round, per natural logarithm of the aggregators
    open: float
    by_turns: bool  # neighbouring aggregators on different nodes


@dataclass(frozen=True)
class SharesJob:
    nodes: int
    ranks_per_node: int
    stripes: int
    multiplier: int
    lock_mode: int
    bytes: int

    @property
    def aggregators(self) -> int:
        return min(self.stripes * self.multiplier, self.nodes * self.ranks_per_node)


def seconds(machine: SharesMachine, job: SharesJob, speeds: np.ndarray) -> float:
    """The time of a write; `speeds`: of its OSTs against the mean."""
    count, buffer = job.aggregators, machine.stripe * machine.stripes_per_round
    stream = np.arange(count)
    node = stream % job.nodes if machine.by_turns else stream * job.nodes // count
    target = stream % job.stripes
    busy = min(job.nodes, count)
    exchange = buffer * count * (
        1 / (busy * machine.link) + 1 / (job.nodes * machine.memory)
    ) + machine.message * min(job.nodes * job.ranks_per_node, 2 * buffer // MIB + job.nodes)
    write = _write(machine, job, node, target, speeds, buffer)
    late = 1 + machine.straggle * math.log(count)
    both = machine.overlap * max(exchange, write) + (1 - machine.overlap) * (exchange + write)
    rounds = job.bytes / (count * buffer)
    return machine.open * (1 + 0.1 * math.log2(job.nodes * job.ranks_per_node)) + rounds * late * both


def _write(machine, job, node, target, speeds, buffer) -> float:
    on_node = np.bincount(node, minlength=job.nodes)
    client = machine.client * (1 - np.exp(-on_node / machine.client_ramp))
    client = client / (1 + machine.client_crowd * np.maximum(on_node - 16, 0))
    writers = np.bincount(target, minlength=job.stripes)
    clients = np.array([len(np.unique(node[target == one])) for one in range(job.stripes)])
    depth = np.minimum(writers, machine.rpcs * clients)
    ost = machine.ost * speeds * depth / (depth + machine.depth)
    ost = ost / (1 + machine.seek * np.sqrt(np.maximum(clients - 1, 0)))
    if job.lock_mode == 2:
        held = machine.ahead * (1 + writers / 64)
    else:
        other = 1 - 1 / np.maximum(clients, 1)  # that the stripe before was another client's
        held = machine.callback * other * (1 + np.sqrt(clients) / 8)
    ost = 1 / (1 / ost + held / machine.stripe)
    return float((buffer / fair_rates(machine.stream, [(client, node), (ost, target)], len(node))).max())


def fair_rates(most: float, parts, count: int) -> np.ndarray:
    """Max-min fair rates: all streams grow together until a part is full; its streams stay, the others grow on."""
    rate, growing = np.zeros(count), np.ones(count, bool)
    left = [limit.astype(float).copy() for limit, _ in parts]
    while growing.any():
        crowds = [np.bincount(of[growing], minlength=len(limit)) for limit, of in parts]
        room = [
            np.where(n > 0, free / np.maximum(n, 1), np.inf) for free, n in zip(left, crowds, strict=True)
        ]
        step = min(*(one.min() for one in room), most - rate[growing].min())
        rate[growing] += step
        left = [free - step * n for free, n in zip(left, crowds, strict=True)]
        stay = growing & (rate >= most * (1 - 1e-12))
        for one, (_, of) in zip(room, parts, strict=True):
            stay |= growing & (one[of] <= step * (1 + 1e-9))
        growing &= ~stay
    return rate


def draw_shares_machine(random: Random, *, flash: bool) -> SharesMachine:
    def between(low: float, high: float) -> float:
        return low * (high / low) ** random.random()

    return SharesMachine(
        stripe=random.choice((1, 4, 8, 16)) * MIB,
        stripes_per_round=random.choice((1, 1, 4)),
        stream=between(0.4e9, 3e9),
        client=between(2e9, 20e9),
        client_ramp=between(0.5, 6),
        client_crowd=between(0.001, 0.02),
        memory=between(20e9, 150e9),
        link=between(8e9, 80e9),
        message=between(1e-6, 1e-5),
        ost=between(3e9, 16e9) if flash else between(0.4e9, 3e9),
        seek=between(0.001, 0.02) if flash else between(0.03, 0.3),
        depth=between(0.5, 8) if flash else between(0.05, 0.5),
        rpcs=random.choice((8, 16, 64)),
        unequal=between(0.01, 0.12),
        callback=between(0.2e-3, 6e-3),
        ahead=between(0.02e-3, 1e-3),
        overlap=random.random(),
        straggle=between(0.002, 0.05),
        open=between(0.02, 0.6),
        by_turns=random.random() < 0.6,
    )


def draw_shares_jobs(random: Random) -> Iterator[SharesJob]:
    ranks, weak = random.choice((32, 64, 128)), random.random() < 0.6
    counts = random.choice(((1, 2, 4, 8), (1, 2, 4, 8), (2, 4, 8), (1, 4, 8), (1, 8)))
    whole = random.choice((8, 32, 128)) * 2**30
    stripes = random.choice((4, 8, 16, 32, 64, 72))
    grow = random.random() < 0.3
    left_out = random.choice((0.0, 0.1, 0.35))
    for nodes in (*counts, 16, 32, 64):
        wide = min(stripes, max(4, nodes)) if grow else stripes
        moved = whole * nodes // 8 if weak else whole
        for multiplier in (1, 2, 4, 8, 16, 32):
            if wide * multiplier > nodes * ranks:
                continue
            for mode in (0, 2):
                if random.random() >= left_out:
                    yield SharesJob(nodes, ranks, wide, multiplier, mode, moved)


def made_shares(seed: int) -> list[tuple[float, ...]]:
    """Rows of a table: medians of 1, 3 or 5 runs, each number of nodes on a day of its own."""
    random = Random(f"shares {seed}")
    machine = draw_shares_machine(random, flash=random.random() < 0.5)
    runs, day, run = random.choice((1, 3, 5)), 0.02 + 0.06 * random.random(), 0.02 + 0.1 * random.random()
    days: dict[int, float] = {}
    rows = []
    for job in draw_shares_jobs(random):
        load = days.setdefault(job.nodes, math.exp(abs(random.gauss(0, day))))
        times = []
        for _ in range(runs):
            speeds = np.exp([random.gauss(0, machine.unequal) for _ in range(job.stripes)])
            noise = math.exp(random.gauss(0, run)) * (1.5 if random.random() < 0.02 else 1.0)
            times.append(seconds(machine, job, speeds) * load * noise)
        rows.append((*astuple(job), sorted(times)[runs // 2], _usual(Random(seed), machine, job)))
    return rows


def _usual(random: Random, machine: SharesMachine, job: SharesJob) -> float:
    """The median over OSTs of several speeds."""
    draws = ([random.gauss(0, machine.unequal) for _ in range(job.stripes)] for _ in range(21))
    return median(seconds(machine, job, np.exp(draw)) for draw in draws)
