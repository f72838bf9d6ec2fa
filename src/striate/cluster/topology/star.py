"""A star: one switch, every host on it."""

from __future__ import annotations

import numpy as np

from striate.cluster.description.networks import StarNetwork
from striate.cluster.names import Block
from striate.cluster.topology.fabric import Fabric, no_cables, switches


def size(network: StarNetwork, hosts: int) -> tuple[int, int]:
    """Switches, and cables between them."""
    return 1, 0


def fabric(network: StarNetwork, hosts: int) -> Fabric:
    """One switch, named "switch"."""
    names = (Block("switch", 1, numbered=False),)
    return Fabric(switches(1, network.switch), no_cables(), no_cables(), np.zeros(hosts, np.int32), names)
