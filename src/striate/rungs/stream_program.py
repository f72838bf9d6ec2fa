"""Streams of work-flow graphs as programs of ranks, so that the packet-level rung plays them.

Every processor is a rank that takes blocks as they come and computes; every disk is a rank beside it that reads block
after block and sends each to those who use it. Blocks for the own processor are only announced. Where a group writes,
processors compute block after block and send each to its disk's rank, which writes it when all of it has come.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import msgspec
import numpy as np

from striate.cluster.build import build
from striate.cluster.cluster import Cluster, IOServer, Settings
from striate.cluster.description.quantities import Bytes, Instructions, PieceBytes
from striate.cluster.storage import Cache, Disk
from striate.errors import ClusterError
from striate.rungs.answer import UnfitError
from striate.rungs.program_columns import StreamColumns
from striate.workload.application import Application, File
from striate.workload.flow_costs import FlowCosts
from striate.workload.flows import Flows
from striate.workload.kinds import ANY, BLOCKING, NO_EXTENTS, OPERANDS, Kind
from striate.workload.workload import Workload

_ANNOUNCED_BYTES = 1
_FREE_CALLS = Instructions(1e18)  # a call of a few dozen instructions takes no picosecond
_FILE_BYTES = 1 << 40  # a file stays on one disk: its stripe is never used up


def wide_enough(flows: Flows, cluster: Cluster) -> Cluster:
    """The machine with a node for every processor: where there are fewer, its first kind of node is repeated.

    Switches stay as they are described. Raises UnfitError when the description does not allow more nodes.
    """
    missing = flows.processors - cluster.nodes
    if missing <= 0:
        return cluster
    description = cluster.description
    if description is None:
        raise UnfitError(_too_few(flows, cluster, "it was not built from a description"), source=flows.name)
    first = msgspec.structs.replace(description.node[0], count=description.node[0].count + missing)
    nodes = (first, *description.node[1:])
    try:
        return build(msgspec.structs.replace(description, node=nodes))
    except ClusterError as error:
        raise UnfitError(_too_few(flows, cluster, error.message), source=flows.name) from None


def _too_few(flows: Flows, cluster: Cluster, why: str) -> str:
    wanted = f"the stream has {flows.processors} processors, and {cluster.name} {cluster.nodes} nodes"
    return f"{wanted}; it cannot have more: {why}"


def disk_places(flows: Flows, cluster: Cluster) -> list[tuple[IOServer, Disk]]:
    """The server and the disk that each disk of the stream is like.

    The disks of a processor are those of the servers on its node; a node without a server takes one after the other.
    """
    on: dict[int, list[tuple[IOServer, Disk]]] = {}
    for server in cluster.servers:
        if server.raid:
            found = (
                f"expected disks that a stream accesses one by one, got RAID {server.raid} of {server.name}"
            )
            raise UnfitError(found, source=cluster.name)
        on.setdefault(server.node, []).extend((server, disk) for disk in server.disks)
    places = []
    for disk in range(flows.processors * flows.disks_per_processor):
        node, number = divmod(disk, flows.disks_per_processor)
        server = cluster.servers[node % len(cluster.servers)]
        own = on.get(node) or [(server, one) for one in server.disks]
        places.append(own[number % len(own)])
    return places


def stream_machine(flows: Flows, cluster: Cluster) -> Cluster:
    """The machine with a server for every disk of the stream, on its processor's node.

    The time of a read covers its transfer into the memory of the processor, and all costs are times: moves inside a
    node and the instructions of calls take none. Disks are the processors' own: caches, burst buffers, forwarders,
    windows, locks and other users of the CPUs do not come between them.
    """
    servers = []
    for disk, (like, own) in enumerate(disk_places(flows, cluster)):
        node = disk // flows.disks_per_processor
        component = int(cluster.socket_component[cluster.first_socket[node]])
        one = replace(like, name=f"disk{disk}", component=component, node=node, disks=(own,))
        servers.append(replace(one, cache=Cache(policy="none"), burst=None))
    described = cluster.settings
    settings = Settings(
        packet=described.packet,
        routing=described.routing,
        protocol=described.protocol,
        io_overlap=described.io_overlap,
        io_cpu=described.io_cpu,
        stripe_unit=PieceBytes(_FILE_BYTES),
        free_near=True,
        eager=Bytes(max(int(described.eager), 64 * flows.block_bytes)),  # a block goes when it is read
        io_request=PieceBytes(max(int(described.io_request), flows.block_bytes)),
    )
    places = [(processor, 0) for processor in range(flows.processors)]
    places += [(server.node, 0) for server in servers]
    return replace(
        cluster,
        servers=tuple(servers),
        forwarders=(),
        metadata=(),
        settings=settings,
        node_types=tuple(
            msgspec.structs.replace(kind, instructions_per_second=_FREE_CALLS) for kind in cluster.node_types
        ),
        placement="explicit",
        explicit_placement=tuple(places),
        description=None,
    )


def stream_workload(flows: Flows, costs: FlowCosts) -> Workload:
    """One rank per processor, then one per disk; file d lies on disk d."""
    graphs = _Graphs(flows, costs)
    disks = flows.processors * flows.disks_per_processor
    programs = StreamColumns()
    for processor in range(flows.processors):
        graphs.write_processor(processor, programs)
        programs.end_program()
    for disk in range(disks):
        graphs.write_disk(disk, programs)
        programs.end_program()
    files = (File("disk{}" if disks > 1 else "disk", 0, disks),)
    return Workload((Application(flows.name, programs.table(), files=files),))


class _Graphs:
    """The stream's graphs, and what each rank does about them."""

    def __init__(self, flows: Flows, costs: FlowCosts) -> None:
        self.flows, self.costs = flows, costs
        columns = flows.graph_columns(costs)
        self.bytes: list[int] = flows.graph_bytes(columns, costs).tolist()
        self.columns: dict[str, Any] = {  # lists, which are quicker to walk than arrays
            field.name: getattr(columns, field.name).tolist() for field in fields(columns)
        }
        self.disks = flows.processors * flows.disks_per_processor
        self.order: list[int] = np.random.default_rng(0).permutation(flows.graphs).tolist()
        self.protocol = 0 if costs.links else costs.communication
        self.uses = self._uses()
        self.made = [self._made(group) for group in range(flows.groups)]

    def _uses(self) -> list[list[list[int]]]:
        """By group and processor: the picoseconds of every block that it computes on."""
        per = self.flows.disks_per_processor
        uses: list[list[list[int]]] = []
        for group in range(self.flows.groups):
            uses.append([[] for _ in range(self.flows.processors)])
            for disk in range(self.disks):
                for graph in self._of(group, disk):
                    if self.columns["write"][graph]:
                        continue
                    work = self.columns["compute_ticks"][graph]
                    if self.columns["local"][graph]:
                        uses[-1][disk // per].append(work)
                    for to in self._receivers(graph):
                        uses[-1][to].append(work + self.protocol)
        return uses

    def _made(self, group: int) -> list[list[tuple[int, int]]]:
        """By processor: graph and disk of every block that it computes to be written, the disks' first ones first."""
        made: list[list[tuple[int, int]]] = [[] for _ in range(self.flows.processors)]
        places = [(place, disk) for disk in range(self.disks) for place in range(len(self._of(group, disk)))]
        for place, disk in sorted(places):
            graph = self._of(group, disk)[place]
            if self.columns["write"][graph]:
                for processor in self._makers(graph, disk):
                    made[processor].append((graph, disk))
        return made

    def _makers(self, graph: int, disk: int) -> list[int]:
        own = [disk // self.flows.disks_per_processor] if self.columns["local"][graph] else []
        return [*self._receivers(graph), *own]

    def _of(self, group: int, disk: int) -> range:
        at = group * self.disks + disk
        return range(self.columns["first"][at], self.columns["first"][at + 1])

    def _receivers(self, graph: int) -> list[int]:
        first = self.columns["first_receiver"]
        receivers: list[int] = self.columns["receiver"][first[graph] : first[graph + 1]]
        return receivers

    def write_processor(self, rank: int, programs: StreamColumns) -> None:
        for group in range(self.flows.groups):
            if group:
                _add_barrier(programs)
            for work in self.uses[group][rank]:
                programs.add(Kind.RECV, ANY, ANY, 0, BLOCKING)
                if work:
                    programs.add(Kind.COMPUTE, work, 0)
            self._write_made(rank, self.made[group][rank], programs)

    def _write_made(self, rank: int, made: list[tuple[int, int]], programs: StreamColumns) -> None:
        """Compute and send; all sends are awaited at the end."""
        for request, (graph, disk) in enumerate(made):
            near = disk // self.flows.disks_per_processor == rank
            work = self.columns["compute_ticks"][graph] + (0 if near else self.protocol)
            if work:
                programs.add(Kind.COMPUTE, work, 0)
            size = _ANNOUNCED_BYTES if near else self.bytes[graph]
            programs.add(Kind.SEND, self.flows.processors + disk, 0, size, request)
        _add_waits(programs, range(len(made)))

    def _write_written(self, group: int, disk: int, programs: StreamColumns, offset: int) -> int:
        """Receive a block from all who make it, and write it; where the bytes end."""
        own, writing = disk // self.flows.disks_per_processor, -1
        for graph in self._of(group, disk):
            for maker in self._makers(graph, disk):
                programs.add(Kind.RECV, maker, ANY, 0, BLOCKING)
                if maker != own and self.protocol:
                    programs.add(Kind.COMPUTE, self.protocol, 0)
            size = self.bytes[graph]
            at = offset if self.flows.sequential else self.order[graph] * 4 * self.flows.block_bytes
            request = 1 - writing if writing >= 0 else 0
            programs.add(Kind.WRITE, disk, at, size, 1, 0, NO_EXTENTS, request)
            offset += size
            if not self.costs.overlap:
                programs.add(Kind.WAIT, request)
                continue
            if writing >= 0:
                programs.add(Kind.WAIT, writing)
            writing = request
        if writing >= 0:
            programs.add(Kind.WAIT, writing)
        return offset

    def write_disk(self, disk: int, programs: StreamColumns) -> None:
        """With overlap the next block is asked for before the last one has come, so that the disk never waits."""
        offset = requests = 0
        ahead = 1 if self.costs.overlap else 0
        for group in range(self.flows.groups):
            if group:
                _add_barrier(programs)
            if any(self.columns["write"][graph] for graph in self._of(group, disk)):
                offset = self._write_written(group, disk, programs, offset)
                continue
            asked: list[tuple[int, int, int]] = []  # graph, bytes, request
            sent: list[range] = []
            for graph in [*self._of(group, disk), *([-1] * ahead)]:
                if graph >= 0:
                    size = self.bytes[graph]
                    at = offset if self.flows.sequential else self.order[graph] * 4 * self.flows.block_bytes
                    programs.add(Kind.READ, disk, at, size, 1, 0, NO_EXTENTS, requests)
                    offset += size
                    asked.append((graph, size, requests))
                    requests += 1
                    if len(asked) <= ahead:
                        continue
                if not asked:
                    continue
                came, size, request = asked.pop(0)
                programs.add(Kind.WAIT, request)
                sends = self._write_sends(
                    came, disk // self.flows.disks_per_processor, size, requests, programs
                )
                requests = sends.stop
                sent.append(sends)
                if len(sent) > (self.costs.blocks_ahead if self.costs.overlap else 0):
                    _add_waits(programs, sent.pop(0))
            for sends in sent:
                _add_waits(programs, sends)

    def _write_sends(self, graph: int, own: int, size: int, requests: int, programs: StreamColumns) -> range:
        """Sends a block to all who use it; the numbers of the requests."""
        first = requests
        for to in self._receivers(graph):
            if self.protocol:
                programs.add(Kind.COMPUTE, self.protocol, 0)
            programs.add(Kind.SEND, to, 0, size, requests)
            requests += 1
        if self.columns["local"][graph]:
            programs.add(Kind.SEND, own, 0, _ANNOUNCED_BYTES, requests)
            requests += 1
        return range(first, requests)


def _add_waits(programs: StreamColumns, requests: range) -> None:
    for request in requests:
        programs.add(Kind.WAIT, request)


def _add_barrier(programs: StreamColumns) -> None:
    programs.add(
        Kind.BARRIER, *(BLOCKING for _ in OPERANDS[Kind.BARRIER])
    )  # every operand of it means "none" so
