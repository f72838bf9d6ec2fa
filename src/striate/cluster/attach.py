"""Hangs servers and forwarders of files into a wired machine: on compute nodes, or on nodes of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from striate.cluster.cluster import Cluster, Forwarder, IOServer, MetadataServer, Nic
from striate.cluster.description.tables import (
    Description,
    ForwarderTable,
    MetadataTable,
    SeatTable,
    Selection,
)
from striate.cluster.hosts import HostGroup, inside_of
from striate.errors import ClusterError


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a server or relay sits: component, interface, memory, the compute node it shares or -1."""

    component: int
    nic: Nic
    memory: int
    node: int


def servers(description: Description, cluster: Cluster, groups: Sequence[HostGroup]) -> tuple[IOServer, ...]:
    """Every I/O server, table after table."""
    made: list[IOServer] = []
    for i, table in enumerate(description.server):
        disks = table.all_disks()
        for number, seat in enumerate(_seats(description, cluster, groups, table, f"$.server[{i}]")):
            memory = seat.memory if table.cache.memory is None else int(table.cache.memory)
            name = f"{table.name}.{number}"
            storage = (table.cache, disks, memory, seat.node, table.raid, int(table.chunk), table.burst)
            made.append(IOServer(name, seat.component, seat.nic, *storage))
    return tuple(made)


def forwarders(
    description: Description, cluster: Cluster, groups: Sequence[HostGroup]
) -> tuple[Forwarder, ...]:
    """Every forwarder, table after table; the nodes it serves are a block of those its table serves."""
    made: list[Forwarder] = []
    for i, table in enumerate(description.forwarder):
        path = f"$.forwarder[{i}]"
        nodes = selected_nodes(description, table.serves, f"{path}.serves")
        if table.count > len(nodes):
            raise ClusterError(
                "expected at most one I/O forwarder per node, "
                f"got {table.count} forwarders for {len(nodes)} nodes",
                at=f"{path}.count",
            )
        targets = _targets(description, table, path)
        blocks = np.array_split(np.array(nodes), table.count)
        for number, seat in enumerate(_seats(description, cluster, groups, table, path)):
            mine = tuple(blocks[number].tolist())
            name, gathered = f"{table.name}.{number}", int(table.aggregate)
            made.append(Forwarder(name, seat.component, seat.nic, mine, targets, gathered))
    return tuple(made)


def metadata_servers(
    description: Description, cluster: Cluster, groups: Sequence[HostGroup]
) -> tuple[MetadataServer, ...]:
    """Every metadata server, table after table."""
    return tuple(
        _metadata_server(f"{table.name}.{number}", seat, table)
        for i, table in enumerate(description.metadata)
        for number, seat in enumerate(_seats(description, cluster, groups, table, f"$.metadata[{i}]"))
    )


def _metadata_server(name: str, seat: Seat, table: MetadataTable) -> MetadataServer:
    opened = int(table.open)
    created = opened if table.create is None else int(table.create)
    return MetadataServer(
        name,
        seat.component,
        seat.nic,
        open=opened,
        create=created,
        stat=opened if table.stat is None else int(table.stat),
        delete=created if table.delete is None else int(table.delete),
        close=None if table.close is None else int(table.close),
        concurrent=table.concurrent_operations,
    )


def selected_nodes(description: Description, selection: Selection | None, path: str) -> Sequence[int]:
    """Node numbers that a selection means; refuses unknown names, missing nodes and nodes listed twice."""
    starts = np.cumsum([0] + [table.count for table in description.node]).tolist()
    if selection is None:
        return range(starts[-1])
    if isinstance(selection, str):
        for i, table in enumerate(description.node):
            if table.name == selection:
                return range(starts[i], starts[i + 1])
        known = ", ".join(table.name for table in description.node)
        raise ClusterError(f"no node is named {selection!r}; the names of nodes are {known}", at=path)
    seen: set[int] = set()
    for i, node in enumerate(selection):
        if node >= starts[-1] or node in seen:
            found = (
                f"node {node} is listed twice"
                if node in seen
                else f"expected a node number from 0 to {starts[-1] - 1}, got node {node}"
            )
            raise ClusterError(found, at=f"{path}[{i}]")
        seen.add(node)
    return selection


def _seats(
    description: Description,
    cluster: Cluster,
    groups: Sequence[HostGroup],
    table: SeatTable,
    path: str,
) -> list[Seat]:
    if table.on == "nodes":
        return _shared_seats(description, cluster, table, path)
    inside = inside_of(description, table, path)
    group = next(group for group in groups if group.name == table.name)
    base = cluster.network.components - sum(group.count * group.width for group in groups)
    start, memory = base + group.first_component, int(inside.memory) // table.per_node
    nic = table.nic or inside.nic
    return [Seat(start + i // table.per_node * group.width, nic, memory, -1) for i in range(table.count)]


def _shared_seats(description: Description, cluster: Cluster, table: SeatTable, path: str) -> list[Seat]:
    nodes = selected_nodes(description, table.nodes, f"{path}.nodes")
    if table.count > len(nodes) * table.per_node:
        raise ClusterError(
            f"expected `count` (how many to place) to be at most {len(nodes) * table.per_node} on {len(nodes)} "
            f"nodes with per_node = {table.per_node}, got {table.count}",
            at=f"{path}.count",
        )
    seats = []
    for i in range(table.count):
        node = nodes[i // table.per_node]
        kind = cluster.node_types[cluster.node_type[node]]
        last_socket = int(cluster.socket_component[cluster.first_socket[node + 1] - 1])
        seats.append(Seat(last_socket, table.nic or kind.nic, int(kind.memory) // table.per_node, node))
    return seats


def _targets(description: Description, table: ForwarderTable, path: str) -> tuple[int, ...]:
    """Numbers of the servers that a forwarder relays to."""
    starts = np.cumsum([0] + [server.count for server in description.server]).tolist()
    ranges = {server.name: range(starts[i], starts[i + 1]) for i, server in enumerate(description.server)}
    if table.to is None:
        return tuple(range(starts[-1]))
    for i, name in enumerate(table.to):
        if name not in ranges:
            raise ClusterError(f"no server is named {name!r}", at=f"{path}.to[{i}]")
    return tuple(number for name in table.to for number in ranges[name])
