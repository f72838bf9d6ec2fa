"""The k-ary fat tree: equal switches of k ports, full bisection, (k/2)^2 equal-cost paths between pods."""

from __future__ import annotations

import numpy as np

from striate.cluster.description.networks import FatTreeNetwork
from striate.cluster.names import Block
from striate.cluster.topology.fabric import Fabric, cables, join_cables, no_cables, switches
from striate.errors import ClusterError


def arity(network: FatTreeNetwork, hosts: int) -> int:
    """The number of ports k; refuses hosts beyond the k^3/4 places."""
    if network.arity is None:
        smallest = max(2, round((4 * hosts) ** (1 / 3)) // 2 * 2 - 2)
        return next(k for k in range(smallest, smallest + 8, 2) if places(k) >= hosts)
    if places(network.arity) < hosts:
        room = f"as many as a fat tree of arity {network.arity} has places"
        found = f"expected at most {places(network.arity)} nodes, {room}, got {hosts}"
        raise ClusterError(found, at="$.network.arity")
    return network.arity


def places(k: int) -> int:
    """How many hosts a k-ary fat tree holds."""
    return k**3 // 4


def size(network: FatTreeNetwork, hosts: int) -> tuple[int, int]:
    """Switches, and cables between them."""
    k = arity(network, hosts)
    return 5 * k * k // 4, k**3 // 2


def fabric(network: FatTreeNetwork, hosts: int) -> Fabric:
    """Edge switches first, pod by pod, then aggregation switches, then cores."""
    k = arity(network, hosts)
    half, tier = k // 2, k * k // 2
    pod, within = np.divmod(np.arange(k * half * half), half * half)
    one, other = np.divmod(within, half)
    edge, aggregation = pod * half + one, tier + pod * half + other
    # Aggregation switch j of every pod reaches cores j*k/2 .. j*k/2 + k/2 - 1: a path between pods per core.
    upper, core = tier + pod * half + one, 2 * tier + one * half + other
    return Fabric(
        switches(5 * k * k // 4, network.switch),
        join_cables(cables(edge, aggregation, network.link), cables(upper, core, network.link)),
        no_cables(),
        (np.arange(hosts) // half).astype(np.int32),
        (Block("edge", tier), Block("aggregation", tier), Block("core", half * half)),
    )
