"""A fourth judge of fits: a closed queueing network of RPCs, solved by mean value analysis.

It shares nothing with the formula nor with the other judges. Aggregators give stripes to the client of their node,
which sends them as RPCs; each client has a limited number in flight to each OST. They queue for the client, its link,
the server (OSS) and the OST (Schweitzer's approximation of mean value analysis: Lazowska et al., Quantitative System
Performance, 1984, 6.4). What the literature reports of production systems and the other judges leave out:

* writers of one shared file wait for its lock inside their node's client, the longer the more of them there are;
* an OST gets faster with the RPCs it may reorder and slower beyond a knee (the shape of every obdfilter-survey);
* an extent lock is granted as far as no other lock is in the way, so a client keeps it for several of its stripes while
  few clients write to the object; a move waits until its holder has flushed, by RPCs that are seldom full;
* requests ahead of time (lock-ahead) are work for the server's lock service, which all OSTs of a server share;
* one of the OSTs of a file may be slower than the others for as long as the table takes, and waits for stragglers grow
  with the number of those that are waited for.
"""

import math
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from random import Random

import numpy as np

MIB = 2**20
NODES = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class ClosedMachine:
    """Rates in bytes per second, times in seconds."""

    rpc: int
    stripe: int
    copy: float  # of one process into its node's page cache
    client: float  # of a node's client, one writer at a time
    shared_file: float  # share by which each further writer of a node slows its client
    link: float
    bisection: float  # of all nodes that take part, per node
    latency: float  # of an RPC, unloaded
    rpcs: int  # in flight from a client to an OST
    server: float
    osts_per_server: int
    ost: float
    ramp: float  # RPCs at an OST that reach half of its rate
    knee: float  # RPCs beyond which it gets slower again
    fall: float  # exponent of that
    callback: float
    kept: float  # stripes for which a client keeps a lock beside one other client
    unfilled: float  # share of the RPCs of a flush that are sent before they are full
    ahead: float  # of the lock service, per request
    slow_ost: float  # time of the slowest OST of a file against the others
    wait: float  # share of a round by which stragglers delay it, per doubling of the aggregators
    exchange: float  # seconds of a message in the exchange
    overlap: float  # share of the exchange behind which nothing is written
    open: float
    spread: bool


@dataclass(frozen=True)
class ClosedJob:
    nodes: int
    ranks_per_node: int
    stripes: int
    multiplier: int
    lock_mode: int
    bytes: int

    @property
    def aggregators(self) -> int:
        return min(self.stripes * self.multiplier, self.nodes * self.ranks_per_node)

    def clients_of_an_ost(self, *, spread: bool) -> int:
        node = [
            i % self.nodes if spread else i * self.nodes // self.aggregators for i in range(self.aggregators)
        ]
        return max(
            len({node[i] for i in range(ost, self.aggregators, self.stripes)}) for ost in range(self.used)
        )

    @property
    def used(self) -> int:
        """OSTs that are written to."""
        return min(self.stripes, self.aggregators)


def seconds(machine: ClosedMachine, job: ClosedJob) -> float:
    """The time of a collective write: opened, exchanged in rounds, and written by RPCs that circulate."""
    count = job.aggregators
    rounds = job.bytes / (count * machine.stripe)
    ranks = job.nodes * job.ranks_per_node
    moved = job.bytes / job.nodes / min(machine.link, machine.bisection)
    moved += rounds * machine.exchange * math.log2(ranks) ** 2
    written = job.bytes / _throughput(machine, job) * machine.slow_ost
    late = 1 + machine.wait * math.log2(count)
    both = max(moved, written) + machine.overlap * min(moved, written)
    return machine.open * math.log2(2 * job.nodes) + late * both


def _throughput(machine: ClosedMachine, job: ClosedJob) -> float:
    """Bytes per second of RPCs that circulate among writers, clients, links, servers and OSTs."""
    count, clients = job.aggregators, job.clients_of_an_ost(spread=machine.spread)
    busy = min(job.nodes, count)
    here = count / busy  # writers on a node
    flying = min(machine.rpcs * clients, math.ceil(count / job.used) * machine.stripe // machine.rpc)
    moves = 0.0  # of the lock, per stripe
    if clients > 1 and job.lock_mode != 2:
        moves = 1 / max(machine.kept / (clients - 1), 1.0)
        flying = max(flying / clients**moves, 1.0)  # while one holds the lock, the others wait
    rpcs = machine.stripe / machine.rpc
    flush = machine.unfilled * moves * machine.latency
    lock = moves * (machine.callback + flush) / rpcs
    service = machine.ahead / rpcs if job.lock_mode == 2 else 0.0
    servers = math.ceil(job.used / machine.osts_per_server)
    population = flying * job.used
    inside = machine.rpc / machine.client * (1 + machine.shared_file * (here - 1))
    demands = np.array(
        [  # seconds of one RPC at each kind of station, and how many there are
            (machine.rpc / machine.copy, count),
            (inside, busy),
            (machine.rpc / machine.link, busy),
            (machine.rpc / machine.server + service, servers),
            (machine.rpc / machine.ost + lock, job.used),
        ]
    )
    rate = _mean_value(demands, population, machine.latency)
    for _ in range(3):  # the OST's rate is that of the RPCs it has
        there = max(1.0, rate * demands[4, 0] / job.used, min(flying, population / job.used))
        speed = there / (there + machine.ramp) / (1 + (there / machine.knee) ** machine.fall)
        demands[4, 0] = machine.rpc / machine.ost / speed + lock
        rate = _mean_value(demands, population, machine.latency)
    return rate * machine.rpc


def _mean_value(demands: np.ndarray, population: float, think: float) -> float:
    """RPCs per second of a closed network whose kinds of stations share their visits evenly."""
    each = demands[:, 0] / demands[:, 1]  # demand per station and RPC
    queue = np.full(len(each), population / demands[:, 1].sum())
    rate = 0.0
    for _ in range(400):
        response = each * (1 + queue * (population - 1) / population) * demands[:, 1]
        rate = population / (think + response.sum())
        new = rate * response / demands[:, 1]
        if np.abs(new - queue).max() < 1e-9 * population:
            break
        queue = new
    return rate


def draw_closed_machine(random: Random, *, flash: bool) -> ClosedMachine:
    def between(low: float, high: float) -> float:
        return low * (high / low) ** random.random()

    rpc = random.choice((1, 4, 4)) * MIB
    return ClosedMachine(
        rpc=rpc,
        stripe=max(rpc, random.choice((1, 4, 16)) * MIB),
        copy=between(0.5e9, 3e9),
        client=between(2e9, 15e9),
        shared_file=between(0.001, 0.05),
        link=between(10e9, 50e9),
        bisection=between(4e9, 25e9),
        latency=between(0.2e-3, 4e-3),
        rpcs=random.choice((8, 8, 16, 64)),
        server=between(5e9, 25e9),
        osts_per_server=random.choice((1, 2, 4)),
        ost=between(3e9, 12e9) if flash else between(0.5e9, 4e9),
        ramp=between(0.5, 6) if flash else between(0.2, 2),
        knee=between(128, 2048) if flash else between(16, 256),
        fall=0.3 + 0.9 * random.random(),
        callback=between(0.2e-3, 5e-3),
        kept=between(1, 16),
        unfilled=random.random() * 2,
        ahead=between(0.01e-3, 0.5e-3),
        slow_ost=1 + 0.3 * random.random() ** 3,
        wait=between(0.001, 0.03),
        exchange=between(2e-6, 2e-5),
        overlap=random.random(),
        open=between(0.01, 0.3),
        spread=random.random() < 0.6,
    )


def draw_closed_jobs(random: Random) -> Iterator[ClosedJob]:
    """One benchmark on up to 64 nodes: weak or strong scaling, multipliers that the ranks allow, some rows missing."""
    ranks, stripes = random.choice((24, 64, 128)), random.choice((4, 12, 12, 24, 48))
    per_node, weak = random.choice((1, 4, 16)) * 2**30, random.random() < 0.7
    most, left_out = random.choice((8, 32, 32)), random.choice((0.0, 0.0, 0.2))
    for nodes in NODES:
        for multiplier in (1, 2, 4, 8, 16, 32):
            if multiplier > most or stripes * multiplier > nodes * ranks:
                continue
            for mode in (0, 2):
                if random.random() >= left_out:
                    yield ClosedJob(
                        nodes, ranks, stripes, multiplier, mode, per_node * (nodes if weak else 16)
                    )


def made_closed(seed: int) -> list[tuple[float, ...]]:
    """Rows of a table: every run of its own, on a file system that other jobs load more on some days."""
    random = Random(f"closed {seed}")
    machine = draw_closed_machine(random, flash=seed % 2 == 1)
    runs, day, run = random.choice((1, 3, 5)), 0.05 * random.random(), 0.02 + 0.08 * random.random()
    loads: dict[int, float] = {}
    rows = []
    for job in draw_closed_jobs(random):
        load = loads.setdefault(job.nodes, abs(random.gauss(0, day)))
        exact = seconds(machine, job)
        for _ in range(runs):
            noise = load + random.gauss(0, run) + 0.5 * run * random.expovariate(1)
            rows.append((*astuple(job), exact * math.exp(noise), exact))
    return rows
