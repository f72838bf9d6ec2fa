"""A small Lustre, played event by event: page caches of clients, RPC slots, extent locks, OSTs; and tables of runs.

It shares no code and no formula with `striate.rates`, whose fits and forecasts it judges. A collective write goes in
rounds: data is exchanged, then every aggregator writes one stripe, RPC by RPC; the next round begins when the last
write() has returned, and the call ends when everything is on the OSTs.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random

MIB, GIB = 2**20, 2**30
NODES = (1, 2, 4, 8, 16, 32, 64)
COLUMNS = ("nodes", "ranks_per_node", "stripes", "multiplier", "lock_mode", "bytes", "seconds")


@dataclass(frozen=True)
class LustreMachine:
    """Rates in bytes per second, times in seconds."""

    node_link: float
    process_link: float
    copy_rate: float  # of one process into the page cache
    client_rate: float  # of all processes of a node together
    rpcs_in_flight: int  # of one node to one OST
    dirty_bytes: int  # of one node for one OST
    round_trip: float
    ost_rate: float
    ost_latency: float  # of an RPC, beside others
    seek: float  # of the OST when the next RPC does not follow the last one in the object
    lock_call: float  # of the OST's lock service
    callback: float  # until a client has been asked for a lock and has given it up
    start: float
    round_start: float  # per doubling of ranks
    message: float  # at an aggregator, per message it gets in a round
    messages: int  # it gets at most
    spread: bool  # neighbouring aggregators on different nodes
    stripe: int
    rpc: int = 4 * MIB


@dataclass(frozen=True)
class Job:
    nodes: int
    ranks_per_node: int
    stripes: int
    multiplier: int
    lock_mode: int  # 0: extent locks as Lustre gives them; 2: lock-ahead
    size: int


@dataclass
class Target:
    """An OST: its disk, its lock service, and who holds the extent lock on the object."""

    disk_free: float = 0.0
    end: int = 0  # of the last RPC, in the object
    lock_free: float = 0.0
    holder: int = -1
    writing: int = 0  # aggregators under the holder's lock
    waiting: deque[tuple[float, int]] = field(default_factory=deque)


class Play:
    """One collective write."""

    def __init__(self, machine: LustreMachine, job: Job) -> None:
        self.machine, self.job = machine, job
        self.aggregators = min(job.stripes * job.multiplier, job.nodes * job.ranks_per_node)
        self.node = [
            i % job.nodes if machine.spread else i * job.nodes // self.aggregators
            for i in range(self.aggregators)
        ]
        self.targets = [Target() for _ in range(job.stripes)]
        self.client_free = [0.0] * job.nodes
        self.flying: dict[tuple[int, int], list[float]] = {}  # ends of RPCs of a node to an OST
        self.last_end: dict[tuple[int, int], float] = {}
        self.events: list[tuple[float, int, int]] = []  # time, aggregator, RPC of its stripe
        self.returned = 0.0

    def seconds(self) -> float:
        stripes = -(-self.job.size // self.machine.stripe)
        now, asked = self.machine.start, 0.0
        for first in range(0, stripes, self.aggregators):
            now += self._exchange(min(self.aggregators, stripes - first))
            now, asked = self._write(range(first, min(first + self.aggregators, stripes)), now, asked), now
        return max([now, *self.last_end.values()])

    def _exchange(self, stripes: int) -> float:
        job, machine = self.job, self.machine
        ranks = job.nodes * job.ranks_per_node
        on_node = [0] * job.nodes
        for i in range(stripes):
            on_node[self.node[i]] += 1
        moved = stripes * machine.stripe
        links = max(moved / job.nodes, max(on_node) * machine.stripe) / machine.node_link
        process = max(machine.stripe, moved / ranks) / machine.process_link
        calls = machine.message * min(machine.messages, ranks)
        return max(links, process) + calls + machine.round_start * math.log2(max(ranks, 2))

    def _write(self, stripes: range, now: float, asked: float) -> float:
        """Every aggregator one stripe; the time when the last write() returns."""
        self.returned = now
        for aggregator, stripe in enumerate(stripes):
            self._lock(aggregator, stripe, now, asked)
        while self.events:
            time, aggregator, rpc = heappop(self.events)
            self._send(time, aggregator, stripes[aggregator], rpc)
        return self.returned

    def _lock(self, aggregator: int, stripe: int, now: float, asked: float) -> None:
        target = self.targets[stripe % self.job.stripes]
        node = self.node[aggregator]
        if self.job.lock_mode == 2:  # asked for a round before
            target.lock_free = max(target.lock_free, asked) + self.machine.lock_call
            heappush(self.events, (max(now, target.lock_free), aggregator, 0))
        elif target.holder in (-1, node) and not target.waiting:
            target.holder = node
            target.writing += 1
            heappush(self.events, (now, aggregator, 0))
        else:
            target.waiting.append((now, aggregator))
            if not target.writing:
                self._hand_over(stripe % self.job.stripes, now)

    def _hand_over(self, ost: int, now: float) -> None:
        """The holder writes back what it has, then the next one gets the lock, with all that wait on its node."""
        target = self.targets[ost]
        asked, aggregator = target.waiting.popleft()
        clean = max(now, asked, self.last_end.get((target.holder, ost), 0.0))
        target.lock_free = max(clean, target.lock_free) + self.machine.callback + self.machine.lock_call
        target.holder = self.node[aggregator]
        together = [aggregator]
        while target.waiting and self.node[target.waiting[0][1]] == target.holder:
            together.append(target.waiting.popleft()[1])
        target.writing = len(together)
        for one in together:
            heappush(self.events, (target.lock_free, one, 0))

    def _send(self, time: float, aggregator: int, stripe: int, rpc: int) -> None:
        """One RPC's bytes into the page cache and, when there is a slot, on to the OST."""
        machine, node = self.machine, self.node[aggregator]
        ost = stripe % self.job.stripes
        flying = self.flying.setdefault((node, ost), [])
        while flying and flying[0] <= time:
            heappop(flying)
        if len(flying) * machine.rpc >= machine.dirty_bytes:
            heappush(self.events, (heappop(flying), aggregator, rpc))
            return
        self.client_free[node] = max(time, self.client_free[node]) + machine.rpc / machine.client_rate
        copied = max(time + machine.rpc / machine.copy_rate, self.client_free[node])
        busy = sorted(flying)
        slot = busy[-machine.rpcs_in_flight] if len(busy) >= machine.rpcs_in_flight else 0.0
        offset = (stripe // self.job.stripes) * machine.stripe + rpc * machine.rpc
        end = self._store(max(copied, slot), ost, offset)
        heappush(flying, end)
        self.last_end[node, ost] = max(end, self.last_end.get((node, ost), 0.0))
        if (rpc + 1) * machine.rpc < machine.stripe:
            heappush(self.events, (copied, aggregator, rpc + 1))
            return
        self.returned = max(self.returned, copied)
        target = self.targets[ost]
        if self.job.lock_mode != 2:
            target.writing -= 1
            if target.waiting and not target.writing:
                self._hand_over(ost, copied)

    def _store(self, sent: float, ost: int, offset: int) -> float:
        machine, target = self.machine, self.targets[ost]
        begin = max(target.disk_free, sent + machine.round_trip / 2)
        moved = machine.seek if offset != target.end else 0.0
        target.disk_free = begin + moved + machine.rpc / machine.ost_rate
        target.end = offset + machine.rpc
        return target.disk_free + machine.ost_latency + machine.round_trip / 2


def draw_machine(random: Random, *, flash: bool) -> LustreMachine:
    """A machine as production ones are: rates and times drawn evenly on a logarithmic scale."""

    def between(low: float, high: float) -> float:
        return math.exp(random.uniform(math.log(low), math.log(high)))

    return LustreMachine(
        node_link=between(8e9, 25e9),
        process_link=between(1.5e9, 6e9),
        copy_rate=between(0.8e9, 2.5e9),
        client_rate=between(1.5e9, 8e9),
        rpcs_in_flight=random.choice((8, 16, 32)),
        dirty_bytes=random.choice((32, 64, 128)) * MIB,
        round_trip=between(30e-6, 200e-6),
        ost_rate=between(2.5e9, 7e9) if flash else between(0.6e9, 2e9),
        ost_latency=between(0.2e-3, 1e-3) if flash else between(1e-3, 5e-3),
        seek=0.0 if flash else between(0.2e-3, 2e-3),
        lock_call=between(20e-6, 200e-6),
        callback=between(0.2e-3, 3e-3),
        start=between(0.01, 0.3),
        round_start=between(5e-6, 60e-6),
        message=between(0.5e-6, 5e-6),
        messages=random.choice((32, 128, 512)),
        spread=random.random() < 0.6,
        stripe=random.choice((4, 8, 16)) * MIB,
    )


def draw_jobs(random: Random) -> Iterator[Job]:
    """What somebody measures: all multipliers and both lock modes on 1 to 64 nodes, some of it left out."""
    ranks_per_node = random.choice((32, 64, 128))
    counts = random.choice(((12,), (8,), (20,), (4, 16), (16,)))
    most = random.choice((8, 16, 32))
    per_node, weak = random.choice((512, 1024)) * MIB, random.random() < 0.7
    kept = random.choice((1.0, 0.85, 0.7))
    for nodes in NODES:
        size = per_node * nodes if weak else 8 * GIB
        for stripes in counts:
            for multiplier in (1, 2, 4, 8, 16, 32):
                for lock_mode in (0, 2):
                    if multiplier <= most and random.random() < kept:
                        yield Job(nodes, ranks_per_node, stripes, multiplier, lock_mode, size)


def made_table(seed: int) -> list[tuple[float, ...]]:
    """Rows of COLUMNS from one machine, with noise of runs, days and stragglers; some tables repeat each run.

    Here and in the other makers of tables every row ends with the time that it has without any noise.
    """
    random = Random(seed)
    machine = draw_machine(random, flash=seed % 2 == 1)
    of_run, of_day = random.uniform(0.03, 0.12), random.uniform(0.0, 0.06)
    repeats = random.choice((1, 3, 5))
    days = {nodes: random.gauss(0, of_day) for nodes in NODES}
    rows = []
    for job in draw_jobs(random):
        exact = Play(machine, job).seconds()
        settings = (job.nodes, job.ranks_per_node, job.stripes, job.multiplier, job.lock_mode, job.size)
        for _ in range(repeats):
            slow = 1 + random.expovariate(1.5) if random.random() < 0.04 else 1.0
            noisy = exact * slow * math.exp(random.gauss(0, of_run) + days[job.nodes])
            rows.append((*settings, noisy, exact))
    return rows
