"""Hosts: the compute nodes and the nodes that servers and relays have for themselves, group by group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from striate.cluster.cluster import Link
from striate.cluster.description.tables import (
    Description,
    Hub,
    Inside,
    NodeTable,
    SeatTable,
    Socket,
)
from striate.errors import ClusterError


@dataclass(frozen=True, slots=True)
class HostGroup:
    """`count` equal hosts. Components of host i of the group start at `first_component + i * width`."""

    name: str
    at_path: str  # where the description tells of them
    count: int
    sockets: int
    socket: Socket
    hub: Hub | None
    uplink: Link | None
    at: str | tuple[str, ...] | None
    first_host: int = 0
    first_component: int = 0  # counted from the first host's first component

    @property
    def width(self) -> int:
        """Components of one host: the sockets' memories, then the hub when there is one."""
        return self.sockets + (self.hub is not None)


def host_groups(description: Description) -> tuple[HostGroup, ...]:
    """All groups in order: `[[node]]` tables, then servers, forwarders and metadata servers apart."""
    groups = [_compute(table, f"$.node[{i}]") for i, table in enumerate(description.node)]
    for path, table in tables_with_seats(description):
        if table.on == "apart":
            groups.append(_apart(description, table, path))
    return _numbered(groups)


def tables_with_seats(description: Description) -> Iterator[tuple[str, SeatTable]]:
    """Path and table of every `[[server]]`, then `[[forwarder]]`, then `[[metadata]]`."""
    for i, server in enumerate(description.server):
        yield f"$.server[{i}]", server
    for i, forwarder in enumerate(description.forwarder):
        yield f"$.forwarder[{i}]", forwarder
    for i, metadata in enumerate(description.metadata):
        yield f"$.metadata[{i}]", metadata


def inside_of(description: Description, table: SeatTable, path: str) -> Inside:
    """The inside of the node a server or relay has for itself; refuses none, two, or an unknown name."""
    if (table.like is None) == (table.node is None):
        raise ClusterError(
            "expected either `like` (the name of a node) or `node` (a table) to describe a dedicated node, got "
            + ("neither" if table.node is None else "both"),
            at=f"{path}.like",
        )
    if table.node is not None:
        return table.node
    for node in description.node:
        if node.name == table.like:
            return Inside(
                memory=node.memory, nic=node.nic, socket=node.socket, hub=node.hub, uplink=node.uplink
            )
    known = ", ".join(node.name for node in description.node)
    raise ClusterError(f"no node is named {table.like!r}; the names of nodes are {known}", at=f"{path}.like")


def _compute(table: NodeTable, path: str) -> HostGroup:
    if table.sockets > 1 and table.hub is None:
        raise ClusterError(
            f"a node with {table.sockets} sockets needs a `hub` that joins the sockets", at=f"{path}.hub"
        )
    return HostGroup(
        table.name, path, table.count, table.sockets, table.socket, table.hub, table.uplink, table.at
    )


def _apart(description: Description, table: SeatTable, path: str) -> HostGroup:
    inside = inside_of(description, table, path)
    where = f"{path}.node" if table.node is not None else path
    count = -(-table.count // table.per_node)
    return HostGroup(table.name, where, count, 1, inside.socket, inside.hub, inside.uplink, table.at)


def _numbered(groups: list[HostGroup]) -> tuple[HostGroup, ...]:
    numbered, host, component = [], 0, 0
    for group in groups:
        numbered.append(replace(group, first_host=host, first_component=component))
        host, component = host + group.count, component + group.count * group.width
    return tuple(numbered)
