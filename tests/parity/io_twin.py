"""A slow, readable simulator of parallel I/O: what the clients do, on servers, queues, disks and the packet twin.

A write is a request, the data and an acknowledgement; a read is a request and the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from parity.io_scenario import Access, Close, IoScenario, Open
from parity.server_twin import REQUEST, Server, Share, shares
from parity.supply_twin import FlowTwin, ignore
from parity.westmere import Westmere

STEP = 2  # nanoseconds of CPU a step of a command costs
COLLECTIVE = 20  # bytes before the data of a collective message
OPEN_BYTES = 32  # what the first rank tells the others about a file

Wait = Callable[[Callable], None]  # starts something and calls back when it is done
Steps = Iterator[list[Wait]]  # one step of a command: all that it waits for


class Meeting:
    """A barrier that costs nothing: the last to arrive goes on first, then the others as they came."""

    def __init__(self, ranks: int) -> None:
        self.ranks, self.arrived = ranks, []

    def wait(self, then: Callable) -> None:
        self.arrived.append(then)
        if len(self.arrived) == self.ranks:
            self.arrived, (*earlier, last) = [], self.arrived
            for go_on in (last, *earlier):
                go_on()


class Gathering(Meeting):
    """A meeting before a collective access: who has waited takes a step more, to wake up."""

    def __init__(self, ranks: int, twin: FlowTwin) -> None:
        super().__init__(ranks)
        self.twin = twin

    def wait(self, then: Callable) -> None:
        self.arrived.append(then)
        if len(self.arrived) == self.ranks:
            self.arrived, (*earlier, last) = [], self.arrived
            for go_on in earlier:
                self.twin.after(STEP, go_on)
            last()


class IoTwin:
    """Runs a scenario; afterwards `ended` has the end of each rank and `servers` the state of the disks."""

    def __init__(self, scenario: IoScenario, twin: type[FlowTwin] = FlowTwin) -> None:
        self.scenario = scenario
        cluster = Westmere(
            scenario.nodes, scenario.ranks, scenario.servers_on_nodes, scenario.servers_apart, scenario.edge
        )
        self.twin = twin(cluster.path, scenario.packet)
        self.servers = [
            Server(self.twin, scenario.ranks + number, scenario.cache, scenario.io_request)
            for number in range(scenario.servers)
        ]
        self.meeting = Meeting(scenario.ranks)
        self.gathering = Gathering(scenario.ranks, self.twin)
        self.expected: dict[tuple, Callable] = {}
        self.early: set[tuple] = set()
        self.ended: dict[int, int] = {}

    def run(self) -> int:
        """Nanoseconds until the last event, written-back data included."""
        for rank in range(self.scenario.ranks):
            self.advance(rank, self.steps(rank))
        return self.twin.run()

    def advance(self, rank: int, steps: Steps) -> None:
        waits = next(steps, None)
        if waits is None:
            self.ended[rank] = self.twin.now
        else:
            self.twin.after(STEP, lambda: self.perform(rank, steps, waits))

    def perform(self, rank: int, steps: Steps, waits: list[Wait]) -> None:
        left = [len(waits)]

        def one_done() -> None:
            left[0] -= 1
            if left[0] == 0:
                self.advance(rank, steps)

        for start in waits:
            start(one_done)
        if not waits:
            self.advance(rank, steps)

    def steps(self, rank: int) -> Steps:
        for number, operation in enumerate(self.scenario.programs[rank]):
            match operation:
                case Open():
                    yield from self.open(rank, number)
                case Access():
                    yield from self.access(rank, operation)
                case Close(flush):
                    yield from self.close(rank, flush)

    def message(self, source: int, target: int, tag: object, size: int) -> Wait:
        """Done when the last packet is on its way; the target's `receipt` of the same tag hears of the arrival."""
        key = (source, target, tag)
        return lambda done: self.twin.send(source, target, size, done, lambda: self.arrives(key)) and None

    def arrives(self, key: tuple) -> None:
        if then := self.expected.pop(key, None):
            then()
        else:
            self.early.add(key)

    def receipt(self, source: int, target: int, tag: object) -> Wait:
        key = (source, target, tag)

        def wait(done: Callable) -> None:
            if key in self.early:
                self.early.remove(key)
                done()
            else:
                self.expected[key] = done

        return wait

    def open(self, rank: int, number: int) -> Steps:
        """The ranks meet; the first spreads a few bytes: a scatter down a binomial tree, then a ring.

        So they go on at different times, and who comes first at a server decides its seeks.
        """
        yield [self.meeting.wait]
        yield []
        ranks = self.scenario.ranks
        part = -(-OPEN_BYTES // ranks)
        if rank:
            parent = rank & (rank - 1)
            ready = self.message(rank, parent, (number, "ready"), COLLECTIVE)
            yield [ready, self.receipt(parent, rank, (number, "part"))]
        for child, below in reversed(children(rank, ranks)):
            yield [self.receipt(child, rank, (number, "ready"))]
            yield [self.message(rank, child, (number, "part"), part * below + COLLECTIVE)]
        yield []
        for turn in range(ranks - 1):
            right, left = (rank + 1) % ranks, (rank - 1) % ranks
            onward = self.message(rank, right, (number, turn), part + COLLECTIVE)
            yield [onward, self.receipt(left, rank, (number, turn))]

    def access(self, rank: int, access: Access) -> Steps:
        wanted = shares(access.extents, self.scenario.stripe_unit, self.scenario.servers)
        if access.collective:
            yield [self.gathering.wait]
        yield from (self.write if access.write else self.read)(rank, wanted)

    def write(self, rank: int, wanted: list[Share]) -> Steps:
        asked = self.begun_at(wanted, rank + 1)
        yield [lambda done, share=share: self.request(rank, share, done, ignore) for share in asked]
        waits: list[Wait] = []
        for share in self.begun_at(wanted, rank // 2 + 1):
            answered = Later()
            waits += [lambda done, share=share, a=answered: self.data(rank, share, done, a), answered.wait]
        yield waits
        yield []

    def begun_at(self, wanted: list[Share], first: int) -> list[Share]:
        """Clients begin with different servers: with requests each with another, with data in pairs.

        Those of the original all take the order of a hash table, whose places were found from its times.
        """
        if not self.twin.spreads_clients:
            places = 16 if len(wanted) <= 12 else 32
            return sorted(wanted, key=lambda share: (5 + 11 * share.server) % places)
        first = first % max(len(wanted), 1)
        return wanted[first:] + wanted[:first]

    def request(self, rank: int, share: Share, on_sent: Callable, on_delivered: Callable) -> None:
        target = self.servers[share.server].number
        self.twin.send(rank, target, share.request_bytes, on_sent, on_delivered)

    def data(self, rank: int, share: Share, on_sent: Callable, answered: Later) -> None:
        server = self.servers[share.server]

        def arrives(begin: int, size: int) -> None:
            server.data_arrives(share, begin, size, lambda: server.acknowledge(rank, answered.come))

        self.twin.send(rank, server.number, share.size, on_sent, on_packet=arrives)

    def read(self, rank: int, wanted: list[Share]) -> Steps:
        def ask(share: Share) -> Wait:
            server = self.servers[share.server]
            return lambda done: self.request(rank, share, ignore, lambda: server.read(rank, share, done))

        yield [ask(share) for share in self.begun_at(wanted, rank + 1)]

    def close(self, rank: int, flush: bool) -> Steps:
        """Costs a step; with a flush the first rank has every server write all it holds, and the others wait."""
        yield []
        if flush:
            if rank == 0:
                yield [self.flush(rank, server) for server in self.servers]
            yield [self.meeting.wait]

    def flush(self, rank: int, server: Server) -> Wait:
        return lambda done: (
            self.twin.send(rank, server.number, REQUEST, on_delivered=lambda: server.flush(rank, done))
            and None
        )


class Later:
    """Something that comes once, waited for before or after."""

    def __init__(self) -> None:
        self.came, self.then = False, ignore

    def come(self) -> None:
        self.came = True
        self.then()

    def wait(self, then: Callable) -> None:
        self.then = then
        if self.came:
            then()


def children(rank: int, ranks: int) -> list[tuple[int, int]]:
    """The children of a rank in a binomial tree and the size of their subtrees, smallest first."""
    found = []
    step = 1
    while step < ranks and not rank & step:
        if rank + step < ranks:
            found.append((rank + step, min(step, ranks - rank - step)))
        step *= 2
    return found
