"""A slow, readable model of the Westmere cluster on the packet twin: processes, shared CPUs, steps, messages."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from parity.packet_twin import Component, Twin
from striate.collectives import SEND, CollectiveSchedule

INSTRUCTIONS_PER_NANOSECOND = 2.66
STEP_INSTRUCTIONS = 3  # the least a step costs
EDGES = {"GIGEPVS": 75_392_614, "GIGE_117MBps": 117_000_000}


@dataclass(frozen=True)
class Model:
    """What a scenario says of the machine. Ranks go round the nodes, then round the sockets of each."""

    nodes: int
    processes: int
    sockets: int = 2
    edge: str = "GIGEPVS"
    granularity: int = 102_400
    eager_bytes: int = 102_400

    def place(self, rank: int) -> tuple[int, int]:
        return rank % self.nodes, rank // self.nodes % self.sockets

    @property
    def cpus(self) -> int:
        """Of a node: as many on each socket as the fullest one has processes."""
        per_node = -(-self.processes // self.nodes)
        return -(-per_node // self.sockets) * self.sockets


class Network:
    """Paths through interface, socket memory, QPI, switch and back; every link is one component each way."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.parts: dict[tuple, Component] = {}

    def part(self, *key, bandwidth: int, latency: int = 0, local: int = 0) -> Component:
        if key not in self.parts:
            self.parts[key] = Component(str(key), bandwidth, latency, local)
        return self.parts[key]

    def way_up(self, rank: int, direction: str) -> list[Component]:
        node, socket = self.model.place(rank)
        return [
            self.part("interface", rank, bandwidth=42_949_672_960),
            self.part("process", direction, rank, bandwidth=3_964_665_856, latency=79),
            self.part("memory", node, socket, bandwidth=3_961_520_128, local=4_777_312_256),
            self.part("socket", direction, node, socket, bandwidth=3_593_469_952, latency=38),
            self.part("qpi", node, bandwidth=11_391_729_664),
            self.part("node", direction, node, bandwidth=EDGES[self.model.edge], latency=19_982),
        ]

    def path(self, source: int, target: int) -> list[Component]:
        up, down = self.way_up(source, "up"), self.way_up(target, "down")[::-1]
        (node, socket), (other, place) = self.model.place(source), self.model.place(target)
        if node != other:
            return [*up, self.part("switch", bandwidth=48_000_000_000), *down]
        if socket != place:
            return up[:5] + down[2:]
        return up[:3] + down[4:]


@dataclass
class Processors:
    """The CPUs of a node: its jobs share them equally."""

    twin: Twin
    cpus: int
    jobs: list = field(default_factory=list)  # [instructions left, what follows]
    since: int = 0
    alarms: int = 0

    @property
    def rate(self) -> float:
        return INSTRUCTIONS_PER_NANOSECOND * min(1.0, self.cpus / len(self.jobs))

    def add(self, instructions: int, then: Callable[[], None]) -> None:
        self.advance()
        self.jobs.append([float(instructions), then])
        self.set_alarm()

    def advance(self) -> None:
        for job in self.jobs:
            job[0] -= (self.twin.now - self.since) * self.rate
        self.since = self.twin.now

    def set_alarm(self) -> None:
        self.alarms += 1
        number = self.alarms
        if self.jobs:
            least = max(0.0, min(left for left, _ in self.jobs))
            self.twin.after(int(least / self.rate + 1), lambda: self.ring(number))

    def ring(self, number: int) -> None:
        if number != self.alarms:
            return  # a job came since; its alarm counts
        self.advance()
        done = [then for left, then in self.jobs if left <= 1e-9]
        self.jobs = [job for job in self.jobs if job[0] > 1e-9]
        self.set_alarm()
        for then in done:
            then()


@dataclass(frozen=True)
class Post:
    peer: int
    tag: object
    payload: int


@dataclass(frozen=True)
class Expect:
    peer: int
    tag: object


# A step: instructions, then what starts together - messages, receives, or programs of their own.
Step = tuple[int, list]
Program = Iterator[Step]


class Machine:
    """Runs one program per rank; `ends` tells when each was through."""

    def __init__(self, model: Model, twin: Callable[..., Twin] = Twin) -> None:
        self.model = model
        self.twin = twin(Network(model).path, model.granularity)
        self.processors = [Processors(self.twin, model.cpus) for _ in range(model.nodes)]
        self.waiting: dict[tuple, deque] = defaultdict(deque)
        self.arrived: dict[tuple, int] = defaultdict(int)
        self.ends: dict[int, int] = {}

    def run(self, programs: dict[int, Program]) -> int:
        """The nanosecond at which nothing is left to happen."""
        for rank, program in programs.items():
            self.advance(rank, program, lambda rank=rank: self.ends.update({rank: self.twin.now}))
        end = self.twin.run()
        assert set(self.ends) == set(programs), "some ranks wait for ever"
        return end

    def advance(self, rank: int, program: Program, then: Callable[[], None]) -> None:
        step = next(program, None)
        if step is None:
            then()
            return
        instructions, actions = step
        node = self.model.place(rank)[0]
        self.processors[node].add(
            max(STEP_INSTRUCTIONS, instructions), lambda: self.start(rank, program, actions, then)
        )

    def start(self, rank: int, program: Program, actions: list, then: Callable[[], None]) -> None:
        left = [len(actions)]

        def done() -> None:
            left[0] -= 1
            if left[0] == 0:
                self.advance(rank, program, then)

        if not actions:
            self.advance(rank, program, then)
        for action in actions:
            match action:
                case Post(peer, tag, payload):
                    key = (rank, peer, tag)
                    self.twin.start_message(rank, peer, payload, done, lambda key=key: self.deliver(key))
                case Expect(peer, tag):
                    self.expect((peer, rank, tag), done)
                case _:
                    self.advance(rank, action, done)

    def expect(self, key: tuple, done: Callable[[], None]) -> None:
        if self.arrived[key]:
            self.arrived[key] -= 1
            done()
        else:
            self.waiting[key].append(done)

    def deliver(self, key: tuple) -> None:
        if self.waiting[key]:
            self.waiting[key].popleft()()
        else:
            self.arrived[key] += 1


def steps_of(schedule: CollectiveSchedule, rank: int) -> Program:
    """One rank of a schedule as a program."""
    first = schedule.first_step[rank]
    for number, step in enumerate(schedule.steps(rank)):
        actions = [
            Post(peer, tag, size) if kind == SEND else Expect(peer, tag) for kind, peer, size, tag in step
        ]
        yield int(schedule.instructions[first + number]), actions


def send(model: Model, peer: int, size: int) -> Program:
    """A point-to-point send: at once, or after the receiver has answered a request."""
    if size > model.eager_bytes:
        yield 0, [Post(peer, "request", 8), Expect(peer, "answer")]
    yield 0, [Post(peer, "data", size + 8)]


def recv(model: Model, peer: int, size: int) -> Program:
    if size > model.eager_bytes:
        yield 0, [Expect(peer, "request")]
        yield 0, [Post(peer, "answer", 100), Expect(peer, "data")]
    else:
        yield 0, [Expect(peer, "data")]
        yield 0, []


def sendrecv(model: Model, target: int, source: int, size: int) -> Program:
    yield 0, [send(model, target, size), recv(model, source, size)]
