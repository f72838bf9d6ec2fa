"""An I/O server: a disk job of every packet that arrives, and of every `io_request` bytes it has to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from parity.disk_twin import Job, Queue
from parity.io_scenario import Extent
from parity.supply_twin import Flow, FlowTwin, ignore

REQUEST, ENTRY, ACKNOWLEDGEMENT = 20, 8, 15  # bytes


@dataclass(frozen=True)
class Share:
    """What one access wants of one server: extents inside that server's own file."""

    server: int
    extents: tuple[Extent, ...]

    @property
    def size(self) -> int:
        return sum(size for _, size in self.extents)

    @property
    def request_bytes(self) -> int:
        return REQUEST + ENTRY * len(self.extents)

    def pieces(self, begin: int, size: int) -> Iterator[Extent]:
        """Where the bytes [begin, begin + size) of the data message lie, neighbours joined."""
        found: list[Extent] = []
        for offset, length in self.extents:
            low, high = max(begin, 0), min(begin + size, length)
            if low < high:
                if found and sum(found[-1]) == offset + low:
                    offset, low, high = found[-1][0], 0, found[-1][1] + high - low
                    found.pop()
                found.append((offset + low, high - low))
            begin -= length
        return iter(found)


def on_server(offset: int, unit: int, servers: int, server: int) -> int:
    """How many of the bytes [0, offset) of a striped file lie on the server."""
    rounds, rest = divmod(offset, unit * servers)
    return rounds * unit + min(max(rest - server * unit, 0), unit)


def shares(extents: tuple[Extent, ...], unit: int, servers: int) -> list[Share]:
    """One share per server concerned, in order of the servers."""

    def held(server: int) -> Iterator[Extent]:
        for offset, size in extents:
            first, end = (on_server(at, unit, servers, server) for at in (offset, offset + size))
            if end > first:
                yield first, end - first

    every = (Share(server, tuple(held(server))) for server in range(servers))
    return [share for share in every if share.extents]


class Server:
    """Receives requests and data, queues disk jobs, answers."""

    def __init__(self, twin: FlowTwin, number: int, policy: str, io_request: int) -> None:
        self.twin, self.number, self.policy, self.io_request = twin, number, policy, io_request
        self.queue = Queue(twin, policy, io_request)
        if policy in ("none", "piosimhd-none"):
            interface = twin.network(number, number)[-1]
            twin.closed[interface] = lambda: self.queue.busy and bool(self.queue.waiting)
            self.queue.on_change.append(lambda: twin.serve(interface))

    def acknowledge(self, client: int, on_delivered: Callable) -> None:
        self.twin.send(self.number, client, ACKNOWLEDGEMENT, on_delivered=on_delivered)

    def data_arrives(self, share: Share, begin: int, size: int, acknowledge: Callable) -> None:
        """One packet of a write; the last one is acknowledged, without a cache when it is on disk."""
        last = begin + size == share.size
        jobs = [Job(True, *piece) for piece in share.pieces(begin, size)]
        if last and self.policy == "piosimhd-none":
            jobs[-1].on_start = acknowledge
        if last and self.policy == "none":
            jobs[-1].on_done = acknowledge
        for job in jobs:
            self.queue.submit(job)
        if last and self.policy not in ("none", "piosimhd-none"):
            acknowledge()

    def read(self, client: int, share: Share, on_delivered: Callable) -> None:
        """Reads the share request by request; what has been read is sent while the next is read."""
        flow = self.twin.send(self.number, client, share.size, on_delivered=on_delivered, ready=0)
        chunks = [
            (offset + begin, min(self.io_request, size - begin))
            for offset, size in share.extents
            for begin in range(0, size, self.io_request)
        ]
        if len(share.extents) > 1:
            for chunk in chunks:
                self.queue.submit(self.read_job(flow, chunk, ignore))
        else:
            self.read_next(flow, iter(chunks))

    def read_next(self, flow: Flow, chunks: Iterator[Extent]) -> None:
        if chunk := next(chunks, None):
            self.queue.submit(self.read_job(flow, chunk, lambda: self.read_next(flow, chunks)))

    def read_job(self, flow: Flow, chunk: Extent, then: Callable) -> Job:
        def read() -> None:
            self.twin.supply(flow, chunk[1])
            then()

        return Job(False, *chunk, on_done=read)

    def flush(self, client: int, on_delivered: Callable) -> None:
        if self.queue.idle:
            return self.acknowledge(client, on_delivered)

        def when_idle() -> None:
            if self.queue.idle:
                self.queue.on_change.remove(when_idle)
                self.acknowledge(client, on_delivered)

        return self.queue.on_change.append(when_idle)
