"""Two levels: leaf switches full of hosts, every leaf joined to every spine (equal-cost paths)."""

from __future__ import annotations

import numpy as np

from striate.cluster.description.networks import TwoLevelNetwork
from striate.cluster.names import Block
from striate.cluster.topology.fabric import Fabric, cables, join_components, no_cables, switches


def leaves(network: TwoLevelNetwork, hosts: int) -> int:
    """How many leaf switches the hosts need."""
    return -(-hosts // network.nodes_per_leaf)


def size(network: TwoLevelNetwork, hosts: int) -> tuple[int, int]:
    """Switches, and cables between them."""
    return leaves(network, hosts) + network.spines, leaves(network, hosts) * network.spines


def fabric(network: TwoLevelNetwork, hosts: int) -> Fabric:
    """Leaves first, then spines."""
    count = leaves(network, hosts)
    leaf, spine = np.divmod(np.arange(count * network.spines), network.spines)
    return Fabric(
        join_components(switches(count, network.leaf), switches(network.spines, network.spine)),
        cables(leaf, count + spine, network.link),
        no_cables(),
        (np.arange(hosts) // network.nodes_per_leaf).astype(np.int32),
        (Block("leaf", count), Block("spine", network.spines)),
    )
