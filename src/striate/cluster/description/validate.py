"""Mistakes that no type can see: names given twice, explicit ranks nowhere, a machine larger than memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from striate.cluster.cluster import Settings
from striate.cluster.description.networks import GraphNetwork
from striate.cluster.description.tables import Description, SeatTable, ServerTable
from striate.cluster.hosts import HostGroup, tables_with_seats
from striate.errors import ClusterError
from striate.units import about_size

LARGEST_GRAPH_BYTES = 2 * 1024**3
BYTES_PER_COMPONENT, BYTES_PER_EDGE, BYTES_PER_SERVER = 17, 24, 400
MOST_CPUS = 2**31 - 1


def check_tables(description: Description) -> None:
    """Refuse names given twice, settings of nothing, and keys that do not go together."""
    _check_names(description)
    _check_copies(description.settings)
    for path, table in tables_with_seats(description):
        _check_where(table, path)
        if isinstance(table, ServerTable):
            _check_storage(table, int(description.settings.packet), path)


def check_hosts(description: Description, groups: Sequence[HostGroup]) -> None:
    """Refuse hosts that no link joins to the network."""
    network = description.network
    if network is None and sum(group.count for group in groups) > 1:
        raise ClusterError(
            "missing key `network`: a machine of more than one node needs a network", at="$.network"
        )
    for group in groups:
        if group.at is not None and not isinstance(network, GraphNetwork):
            raise ClusterError(
                'the key `at` can be used with the network topology "graph" only',
                at=f"{group.at_path.removesuffix('.node')}.at",
            )
        needs_uplink = network is not None and (group.at is not None or not isinstance(network, GraphNetwork))
        if needs_uplink and group.uplink is None:
            raise ClusterError(
                "missing key `uplink`: the link that joins the node to the network",
                at=f"{group.at_path}.uplink",
            )


def check_size(description: Description, groups: Sequence[HostGroup], switches: int, cables: int) -> None:
    """Refuse a machine whose columns would not fit in memory, with the estimate and its largest part."""
    parts = [(switches * BYTES_PER_COMPONENT + 2 * cables * BYTES_PER_EDGE, "$.network")]
    for group in groups:
        per_host = group.width * BYTES_PER_COMPONENT + 2 * (group.sockets + 1) * BYTES_PER_EDGE
        parts.append((group.count * per_host, f"{group.at_path.removesuffix('.node')}.count"))
    for path, table in tables_with_seats(description):
        parts.append((table.count * BYTES_PER_SERVER, f"{path}.count"))
        if isinstance(table, ServerTable):
            parts.append((table.disks * BYTES_PER_SERVER, f"{path}.disks"))
    estimate = sum(size for size, _ in parts)
    if estimate > LARGEST_GRAPH_BYTES:
        found = (
            f"expected a machine that would take at most {about_size(LARGEST_GRAPH_BYTES)} of memory, "
            f"got about {about_size(estimate)}"
        )
        raise ClusterError(found, at=max(parts)[1])
    cpus = sum(table.count * table.sockets * table.cpus_per_socket for table in description.node)
    if cpus > MOST_CPUS:
        raise ClusterError(
            f"expected at most {MOST_CPUS} CPUs in all nodes of the cluster, got {cpus}", at="$.node"
        )


def check_placement(description: Description) -> None:
    """Refuse explicit ranks on nodes or sockets that do not exist, and ranks that nobody asked for."""
    kind, ranks = description.placement.kind, description.placement.ranks
    if (kind == "explicit") != bool(ranks):
        wanted = "a list of [node, socket]" if kind == "explicit" else f'no ranks with kind = "{kind}"'
        raise ClusterError(f"expected {wanted}, got {len(ranks)} ranks", at="$.placement.ranks")
    if not ranks:
        return
    sockets = np.repeat(
        [table.sockets for table in description.node], [table.count for table in description.node]
    )
    for rank, (node, socket) in enumerate(ranks):
        if node >= len(sockets):
            raise ClusterError(
                f"expected a node number from 0 to {len(sockets) - 1}, got node {node}",
                at=f"$.placement.ranks[{rank}][0]",
            )
        if socket >= sockets[node]:
            found = f"node {node} has {sockets[node]} sockets, got socket {socket}"
            raise ClusterError(found, at=f"$.placement.ranks[{rank}][1]")


def _check_names(description: Description) -> None:
    named = [(table.name, f"$.node[{i}].name") for i, table in enumerate(description.node)]
    named += [(table.name, f"{path}.name") for path, table in tables_with_seats(description)]
    _refuse_twice(named)
    if isinstance(description.network, GraphNetwork):
        parts = description.network.component
        _refuse_twice((part.name, f"$.network.component[{i}].name") for i, part in enumerate(parts))
        groups = {name for name, _ in named}
        for i, part in enumerate(parts):
            if part.name.rpartition(".")[0] in groups:
                raise ClusterError(
                    f"expected a name of a network component that no node can have, got {part.name!r}",
                    at=f"$.network.component[{i}].name",
                )


def _refuse_twice(named: Iterable[tuple[str, str]]) -> None:
    seen: dict[str, str] = {}
    for name, path in named:
        if name in seen:
            raise ClusterError(f"the name {name!r} is taken by {seen[name]}", at=path)
        seen[name] = path


def _check_copies(settings: Settings) -> None:
    """Refuse a rate for buffers in a cache where that of other buffers is missing."""
    for key in ("write_copy", "read_copy"):
        if getattr(settings, f"{key}_cached") is not None and getattr(settings, key) is None:
            found = f"missing key `{key}`: the rate for buffers that are in no cache"
            raise ClusterError(found, at=f"$.settings.{key}")


def _check_where(table: SeatTable, path: str) -> None:
    foreign = ("like", "node", "at") if table.on == "nodes" else ("nodes",)
    for key in foreign:
        if getattr(table, key) is not None:
            raise ClusterError(
                f'the key `{key}` cannot be combined with on = "{table.on}" (where the server or forwarder runs)',
                at=f"{path}.{key}",
            )


def _check_storage(table: ServerTable, packet: int, path: str) -> None:
    """Refuse impossible arrays, a cache that contradicts itself, a burst buffer that fills up without draining."""
    disks = table.kinds_of_disks()  # not all of them: their number has not been checked yet
    if not disks:
        raise ClusterError("expected at least one disk", at=f"{path}.disk")
    if table.raid == 5 and (count := len(disks) * table.disks) < 3:
        raise ClusterError(f"expected 3 disks or more for RAID 5, got {count}", at=f"{path}.raid")
    if any(disk.capacity == 0 for disk in disks):
        raise ClusterError("expected a disk capacity of at least 1 B, got 0", at=f"{path}.disk.capacity")
    if len({disk.capacity is None for disk in disks}) > 1:
        raise ClusterError(
            "expected a capacity for every disk of the server or for no disk, got it for some disks only",
            at=f"{path}.disk",
        )
    if int(table.cache.dirty) and not table.cache.holds_writes and table.burst is None:
        found = f'policy = "{table.cache.policy}" keeps no written data in memory'
        raise ClusterError(f"expected no `dirty`: {found}", at=f"{path}.cache.dirty")
    if (table.cache.ready is None) != (table.cache.fresh_rate is None):
        raise ClusterError(
            "expected both keys `ready` (bytes of memory at hand for new data) and `fresh_rate` (rate of further "
            "memory), or neither of them, got only one of the two",
            at=f"{path}.cache",
        )
    burst = table.burst
    if burst is not None and burst.threshold + packet > burst.capacity:
        key = "capacity" if burst.drain_above is None else "drain_above"
        found = f"expected room for {about_size(burst.threshold)} and a packet of {about_size(packet)}"
        raise ClusterError(f"{found}, got {about_size(burst.capacity)}", at=f"{path}.burst.{key}")
