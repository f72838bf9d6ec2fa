"""A dragonfly: all routers of a group joined to each other, all groups joined to each other."""

from __future__ import annotations

import numpy as np

from striate.cluster.description.networks import DragonflyNetwork
from striate.cluster.names import Block
from striate.cluster.topology.fabric import (
    Cables,
    Fabric,
    Integers,
    cables,
    join_cables,
    no_cables,
    switches,
)
from striate.errors import ClusterError


def links_per_pair(network: DragonflyNetwork) -> int:
    """Global links between each pair of groups: the group's global ports, shared equally."""
    ports = network.routers_per_group * network.global_links_per_router
    return ports // (network.groups - 1) if network.groups > 1 else 0


def size(network: DragonflyNetwork, hosts: int) -> tuple[int, int]:
    """Routers, and cables between them; refuses groups beyond the ports and hosts beyond the routers."""
    groups, routers = network.groups, network.routers_per_group
    most = routers * network.global_links_per_router + 1
    if groups > most:
        raise ClusterError(
            f"expected at most {most} dragonfly groups, as many as the global links can connect, got {groups}",
            at="$.network.groups",
        )
    places = groups * routers * network.nodes_per_router
    if places < hosts:
        found = f"expected at most {places} nodes, as many as the dragonfly has places, got {hosts}"
        raise ClusterError(found, at="$.network.nodes_per_router")
    return groups * routers, groups * routers * (routers - 1) // 2 + links_per_pair(network) * groups * (
        groups - 1
    ) // 2


def fabric(network: DragonflyNetwork, hosts: int) -> Fabric:
    """Routers group by group."""
    routers, _ = size(network, hosts)
    return Fabric(
        switches(routers, network.router),
        join_cables(_local(network), _global(network)),
        no_cables(),
        (np.arange(hosts) // network.nodes_per_router).astype(np.int32),
        (Block("router", routers),),
    )


def _local(network: DragonflyNetwork) -> Cables:
    one, other = np.triu_indices(network.routers_per_group, 1)
    start = np.arange(network.groups)[:, None] * network.routers_per_group
    return cables((start + one).ravel(), (start + other).ravel(), network.local_link)


def _global(network: DragonflyNetwork) -> Cables:
    """Port d-1 of a group leads to the group d further on (modulo the groups); rounds repeat this."""
    groups, others = network.groups, network.groups - 1
    one, other = np.triu_indices(groups, 1)
    distance = other - one
    rounds = np.arange(links_per_pair(network))[:, None] * others
    return cables(
        _router(network, one, rounds + distance - 1),
        _router(network, other, rounds + groups - distance - 1),
        network.global_link,
    )


def _router(network: DragonflyNetwork, group: Integers, port: Integers) -> Integers:
    return np.ravel(group * network.routers_per_group + port // network.global_links_per_router)
