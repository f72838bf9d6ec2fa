"""A torus of any dimensions (or a mesh): routers in a grid, neighbours joined, ends joined to beginnings."""

from __future__ import annotations

import math

import numpy as np

from striate.cluster.description.networks import TorusNetwork
from striate.cluster.names import Block
from striate.cluster.topology.fabric import Fabric, cables, join_cables, no_cables, switches
from striate.errors import ClusterError


def size(network: TorusNetwork, hosts: int) -> tuple[int, int]:
    """Routers, and cables between them at most; refuses hosts that do not fill the grid exactly."""
    routers = math.prod(network.dimensions)
    if routers * network.nodes_per_router != hosts:
        grid = " x ".join(map(str, network.dimensions))
        room = routers * network.nodes_per_router
        places = f"{grid} routers with {network.nodes_per_router} nodes each"
        raise ClusterError(f"expected {room} nodes ({places}), got {hosts}", at="$.network.dimensions")
    return routers, routers * len(network.dimensions)


def fabric(network: TorusNetwork, hosts: int) -> Fabric:
    """Routers in C order: the last dimension counts fastest."""
    routers, _ = size(network, hosts)
    grid = np.arange(routers, dtype=np.int32).reshape(network.dimensions)
    parts = [no_cables()]
    for axis, length in enumerate(network.dimensions):
        # Two routers in a ring have one cable, not two: a wrap needs three.
        steps = length if network.wrap and length > 2 else length - 1
        source = np.take(grid, np.arange(steps), axis=axis)
        target = np.take(np.roll(grid, -1, axis=axis), np.arange(steps), axis=axis)
        parts.append(cables(source.ravel(), target.ravel(), network.link))
    attach = (np.arange(hosts) // network.nodes_per_router).astype(np.int32)
    return Fabric(
        switches(routers, network.router),
        join_cables(*parts),
        no_cables(),
        attach,
        (Block("router", routers),),
    )
