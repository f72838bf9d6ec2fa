"""The slow readable twin of the first rung: every rank unfolded, every byte put on its server, one by one.

Paper 004, section 5.1: T^R is the sum of the work of resource R. Collectives are counted message by message of their
schedules.
"""

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field

from striate.cluster import Cluster
from striate.collectives import RECV, SEND, plan
from striate.collectives.book import HEADER_BYTES
from striate.collectives.shapes import split
from striate.layout.parse import parse
from striate.workload import Workload
from striate.workload.application import Application
from striate.workload.kinds import ANY, COLLECTIVES, VARYING, Kind
from striate.workload.transforms.unfold import unfold

PS = 10**12


@dataclass
class Totals:
    processor: Counter = field(default_factory=Counter)  # CPU -> seconds
    processor_error: Counter = field(default_factory=Counter)
    moved: list[Counter] = field(default_factory=list)  # per application: server -> bytes
    by_socket: list[Counter] = field(default_factory=list)  # per application: socket -> bytes asked for
    bytes: dict[bool, Counter] = field(
        default_factory=lambda: {False: Counter(), True: Counter()}
    )  # by write
    requests: dict[bool, Counter] = field(default_factory=lambda: {False: Counter(), True: Counter()})
    communicates: bool = False
    waits: bool = False


class SlowLedger:
    """Sums for one workload on one cluster."""

    def __init__(self, workload: Workload, cluster: Cluster) -> None:
        self.cluster = cluster
        self.placement = cluster.place(workload.ranks)
        self.totals = Totals()
        first = 0
        for application in workload.applications:
            self.totals.moved.append(Counter())
            self.totals.by_socket.append(Counter())
            self.asked: list[tuple[int, int]] = []  # rank and bytes of every access of this application
            self.calls, self.listed = defaultdict(list), defaultdict(Counter)
            for rank in range(application.ranks):
                self.run(application, rank, first)
            self.charge_listed(application, first)
            self.charge_accesses()
            first += application.ranks

    def run(self, application: Application, rank: int, first: int) -> None:
        for step in unfold(application, rank):
            if step.kind is Kind.COMPUTE:
                rate = self.node_type(first + rank).instructions_per_second
                self.charge(first + rank, step.operands["picoseconds"] / PS)
                self.charge(first + rank, step.operands["instructions"] / rate)
            elif step.kind in (Kind.SEND, Kind.RECV, Kind.SENDRECV):
                self.message(application, rank, first, step)
            elif step.kind in (Kind.READ, Kind.WRITE, Kind.READ_ALL, Kind.WRITE_ALL):
                self.access(application, first + rank, step)
            elif step.kind in COLLECTIVES:
                self.collective(application, rank, first, step)

    def charge(self, rank: int, seconds: float) -> None:
        self.totals.processor[int(self.placement.cpu[rank])] += seconds

    def node_type(self, rank: int):
        return self.cluster.node_types[self.cluster.node_type[self.placement.node[rank]]]

    # Messages.

    def message(self, application, rank, first, step) -> None:
        said = step.operands
        ends = {
            Kind.SEND: [(said.get("peer"), said.get("bytes"), False)],
            Kind.RECV: [(said.get("peer"), said.get("bytes"), True)],
            Kind.SENDRECV: [
                (said.get("peer"), said.get("bytes"), False),
                (said.get("source"), said.get("source_bytes"), True),
            ],
        }[step.kind]
        for peer, bytes_, received in ends:
            members = group_of(application, step.communicator, rank)
            other = rank if peer == ANY else members[peer]
            bandwidth, latency = self.way(first + rank, first + other)
            ticks = nearest(bytes_ / bandwidth * 1e12) + (latency if received else 0)
            self.charge(first + rank, ticks / PS)
            self.totals.communicates = True

    def way(self, one: int, other: int) -> tuple[float, int]:
        """Contention-free bandwidth and latency between two ranks."""
        nics = [self.node_type(rank).nic for rank in (one, other)]
        start, goal = (
            int(self.cluster.socket_component[self.placement.socket[rank]]) for rank in (one, other)
        )
        bandwidth, latency = route(self.cluster, start, goal)
        ends = [min(nic.bandwidth, nic.link.bandwidth) for nic in nics]
        return min(bandwidth, *ends), latency + sum(nic.link.latency for nic in nics)

    def collective(self, application, rank, first, step) -> None:
        if step.kind in (Kind.READ_ALL, Kind.WRITE_ALL):
            return
        members = group_of(application, step.communicator, rank)
        self.totals.waits = True
        self.totals.communicates |= len(members) > 1
        place, said = members.index(rank), step.operands
        beside = members[(place + 1) % len(members)]
        sizes = said.get("bytes", 0)
        if step.kind in VARYING:
            self.calls[step.communicator, rank].append(step)
            sizes = self.sizes(application, rank, step, members)
            if sizes is None:
                return  # not all members have come yet: the last one charges all
            for position, member in enumerate(members):
                self.listed[step.communicator, member] += played(step, len(members), position, sizes)
            return
        self.exchange(first, rank, beside, played(step, len(members), place, sizes))

    def sizes(self, application, rank, step, members):
        """What each member says in the same call, once the last of them has come."""
        number = len(self.calls[step.communicator, rank]) - 1
        rows = [self.calls[step.communicator, member] for member in members]
        if any(len(row) <= number for row in rows):
            return None
        said = [row[number].operands for row in rows]
        if step.kind is Kind.ALLTOALLV:
            return [
                list(application.counts[one["counts"]][member][: len(members)])
                for one, member in zip(said, members, strict=True)
            ]
        if step.kind is Kind.REDUCE_SCATTER:
            return split(said[0]["bytes"], len(members)).tolist()
        return [one["bytes"] for one in said]

    def charge_listed(self, application, first) -> None:
        """Calls whose sizes vary by rank, all those of one communicator together."""
        for (communicator, rank), sums in self.listed.items():
            members = group_of(application, communicator, rank)
            beside = members[(members.index(rank) + 1) % len(members)]
            self.exchange(first, rank, beside, sums)

    def exchange(self, first, rank, beside, sums) -> None:
        bandwidth, latency = self.way(first + rank, first + beside)
        ticks = nearest(sums["sent"] / bandwidth * 1e12) + nearest(sums["received"] / bandwidth * 1e12)
        self.charge(first + rank, (ticks + sums["messages"] * latency) / PS)
        self.charge(first + rank, sums["instructions"] / self.node_type(first + rank).instructions_per_second)

    # Files.

    def access(self, application: Application, rank: int, step) -> None:
        write = step.kind in (Kind.WRITE, Kind.WRITE_ALL)
        total = 0
        for offset, length in runs_of(application, step.operands):
            ends: dict[int, int] = {}  # per server, of the bytes of this run so far
            for byte in range(offset, offset + length):
                server, physical = self.place(application, step.operands["file"], byte)
                self.totals.bytes[write][server] += 1
                self.totals.moved[-1][server] += 1
                self.totals.requests[write][server] += ends.get(server) != physical
                ends[server] = physical + 1
            total += length
        self.totals.by_socket[-1][int(self.placement.socket[rank])] += total
        self.totals.processor_error[int(self.placement.cpu[rank])] += self.cluster.settings.io_cpu / PS
        self.asked.append((rank, total))

    def place(self, application: Application, number: int, byte: int) -> tuple[int, int]:
        """Server and position of a byte; file f begins on server f."""
        servers, unit = len(self.cluster.servers), self.cluster.settings.stripe_unit
        layout = next(
            file.layout for file in application.files if file.first <= number < file.first + file.count
        )
        if layout is None:
            server, physical = byte // unit % servers, byte // (unit * servers) * unit + byte % unit
        else:
            server, physical = (int(value) for value in parse(layout).locate(byte))
        return (server + number) % servers, physical

    def charge_accesses(self) -> None:
        """The bytes of a rank go to the servers in the shares of the whole application."""
        moved = self.totals.moved[-1]
        for rank, total in self.asked:
            ways = [self.server_way(rank, server) for server in range(len(self.cluster.servers))]
            per_byte = sum(moved[server] / way[0] for server, way in enumerate(ways)) / max(
                sum(moved.values()), 1
            )
            self.charge(rank, total * per_byte + min(latency for _, latency in ways) / PS)

    def server_way(self, rank: int, server: int) -> tuple[float, int]:
        there, nic = self.cluster.servers[server], self.node_type(rank).nic
        start = int(self.cluster.socket_component[self.placement.socket[rank]])
        bandwidth, latency = route(self.cluster, start, there.component)
        ends = min(nic.bandwidth, nic.link.bandwidth, there.nic.bandwidth, there.nic.link.bandwidth)
        return min(bandwidth, ends), latency + there.nic.link.latency + self.node_type(rank).nic.link.latency


def played(step, size: int, position: int, sizes) -> Counter:
    """What one member of a group of `size` sends, receives and computes, message by message of the schedule."""
    schedule = plan(step.kind.label, size, sizes, root=step.operands.get("root", 0)).with_header(HEADER_BYTES)
    sums = Counter()
    for actions in schedule.steps(position):
        for action, _, size_bytes, _ in actions:
            sums["sent" if action == SEND else "received"] += size_bytes
            sums["messages"] += action == RECV
    mine = slice(schedule.first_step[position], schedule.first_step[position + 1])
    sums["instructions"] = int(schedule.instructions[mine].sum())
    return sums


def nearest(ticks: float) -> int:
    """The nearest whole picosecond, halves away from zero."""
    return int(ticks + 0.5)


def group_of(application: Application, communicator: int, rank: int) -> list[int]:
    color = application.communicators[communicator].color
    if color is None:
        return list(range(application.ranks))
    return [other for other in range(application.ranks) if color[other] == color[rank]]


def runs_of(application: Application, said: dict[str, int]) -> list[tuple[int, int]]:
    if said["extents"] >= 0:
        runs = application.extents[said["extents"]]
        pairs = zip(runs.offsets.tolist(), runs.sizes.tolist(), strict=True)
        return [(said["offset"] + offset, size) for offset, size in pairs]
    return [(said["offset"] + i * said["stride"], said["bytes"]) for i in range(said["count"])]


def route(cluster: Cluster, start: int, goal: int) -> tuple[float, int]:
    """Smallest bandwidth and summed latency along the shortest path, by breadth-first search."""
    network = cluster.network
    came: dict[int, int | None] = {start: None}
    queue = deque([start])
    while queue and goal not in came:
        at = queue.popleft()
        for edge in range(network.edges):
            target = int(network.edge_target[edge])
            if network.edge_source[edge] == at and target not in came:
                came[target] = edge
                queue.append(target)
    bandwidth, latency, at = float(network.bandwidth[goal]), 0, goal
    while came[at] is not None:
        edge = came[at]
        at = int(network.edge_source[edge])
        bandwidth = min(bandwidth, float(network.edge_bandwidth[edge]), float(network.bandwidth[at]))
        latency += int(network.edge_latency[edge])
    return bandwidth, latency
