"""What the parts of a machine are called: components, links, interfaces, servers, forwarders, disks."""

from __future__ import annotations

from striate.cluster.cluster import Cluster


def component_name(cluster: Cluster, number: int) -> str:
    """A component of the network as the description names it."""
    names = cluster.component_names
    return str(names[number]) if names else f"component {number}"


def link_name(cluster: Cluster, number: int) -> str:
    """A directed edge of the network, by its ends."""
    source, target = (
        int(ends[number]) for ends in (cluster.network.edge_source, cluster.network.edge_target)
    )
    return f"{component_name(cluster, source)} > {component_name(cluster, target)}"


def service_name(cluster: Cluster, number: int) -> str:
    """I/O servers, metadata servers and forwarders, in the order in which their interfaces follow those of ranks."""
    for kind, count in (("server", len(cluster.servers)), ("metadata server", len(cluster.metadata))):
        if number < count:
            return f"{kind} {number}"
        number -= count
    return f"forwarder {number}"


def station_name(cluster: Cluster, ranks: int, number: int) -> str:
    """Components, edges and interfaces, as core/include/striate/network/stations.hpp orders them."""
    network = cluster.network
    if number < network.components:
        return component_name(cluster, number)
    number -= network.components
    if number < network.edges:
        return link_name(cluster, number)
    number -= network.edges
    owner = f"rank {number}" if number < ranks else service_name(cluster, number - ranks)
    return f"interface of {owner}"
