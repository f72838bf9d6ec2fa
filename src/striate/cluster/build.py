"""From a description to a `Cluster`: check it, wire its network, hang up its servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType

import numpy as np

from striate.cluster.attach import forwarders, metadata_servers, servers
from striate.cluster.cluster import Cluster, Network, NodeType
from striate.cluster.description.measured import check_measured
from striate.cluster.description.networks import GraphNetwork, NetworkTable
from striate.cluster.description.tables import Description, NodeTable
from striate.cluster.description.validate import check_hosts, check_placement, check_size, check_tables
from striate.cluster.hosts import HostGroup, host_groups
from striate.cluster.topology import dragonfly, fat_tree, graph, star, torus, two_level
from striate.cluster.topology.fabric import Fabric
from striate.cluster.wiring import component_names, socket_components, top_components, wire
from striate.errors import ClusterError

_TOPOLOGIES: dict[str, ModuleType] = {
    "StarNetwork": star,
    "TwoLevelNetwork": two_level,
    "FatTreeNetwork": fat_tree,
    "TorusNetwork": torus,
    "DragonflyNetwork": dragonfly,
}


def build(description: Description) -> Cluster:
    """The machine described; raises ClusterError with the path of what cannot be built."""
    check_tables(description)
    groups = host_groups(description)
    check_hosts(description, groups)
    check_size(description, groups, 0, 0)
    check_size(description, groups, *_fabric_size(description.network, groups))
    check_placement(description)
    check_measured(description)
    fabric = _fabric(description.network, groups)
    network = wire(fabric, groups)
    if isinstance(description.network, GraphNetwork):
        _refuse_islands(network, groups)
    bare = _without_servers(description, groups, network)
    return replace(
        bare,
        servers=servers(description, bare, groups),
        forwarders=forwarders(description, bare, groups),
        metadata=metadata_servers(description, bare, groups),
        component_names=component_names(fabric, groups),
    )


def _fabric_size(network: NetworkTable | None, groups: Sequence[HostGroup]) -> tuple[int, int]:
    if network is None or isinstance(network, GraphNetwork):
        return graph.size(network or GraphNetwork())
    switches, cables = _TOPOLOGIES[type(network).__name__].size(network, _hosts(groups))
    return switches, cables


def _fabric(network: NetworkTable | None, groups: Sequence[HostGroup]) -> Fabric:
    if network is None or isinstance(network, GraphNetwork):
        return graph.fabric(network or GraphNetwork(), groups)
    fabric = _TOPOLOGIES[type(network).__name__].fabric(network, _hosts(groups))
    assert isinstance(fabric, Fabric)
    return fabric


def _hosts(groups: Sequence[HostGroup]) -> int:
    return sum(group.count for group in groups)


def _refuse_islands(network: Network, groups: Sequence[HostGroup]) -> None:
    from striate.cluster.routes import hops

    base = network.components - sum(group.count * group.width for group in groups)
    tops = np.concatenate([top_components(group, base) for group in groups])
    names = [f"{group.name}.{i}" for group in groups for i in range(group.count)]
    for backwards, verb in ((False, "reach"), (True, "be reached by")):
        lost = np.flatnonzero(hops(network, int(tops[0]), backwards=backwards)[tops] < 0)
        if len(lost):
            raise ClusterError(
                "the edges of the network do not connect all nodes: "
                f"{names[0]} cannot {verb} {names[lost[0]]}",
                at="$.network.edge",
            )


def _without_servers(description: Description, groups: Sequence[HostGroup], network: Network) -> Cluster:
    base = network.components - sum(group.count * group.width for group in groups)
    compute = groups[: len(description.node)]
    counts = [group.count for group in compute]
    sockets = np.repeat([group.sockets for group in compute], counts)
    return Cluster(
        name=description.name,
        source=description.source,
        node_types=tuple(_node_type(table) for table in description.node),
        node_type=np.repeat(np.arange(len(compute), dtype=np.int32), counts),
        first_socket=np.concatenate(([0], np.cumsum(sockets))).astype(np.int32),
        socket_component=np.concatenate([socket_components(group, base).ravel() for group in compute]),
        network=network,
        settings=description.settings,
        placement=description.placement.kind,
        explicit_placement=description.placement.ranks,
        description=description,
    )


def _node_type(table: NodeTable) -> NodeType:
    return NodeType(
        table.name,
        table.sockets,
        table.cpus_per_socket,
        table.instructions_per_second,
        table.memory,
        table.nic,
    )
