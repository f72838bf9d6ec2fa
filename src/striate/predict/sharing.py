"""CPUs that ranks share with each other and with processes of others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster, Placement

Floats = NDArray[np.float64]


def sharing_of_cpus(cluster: Cluster, placement: Placement) -> Floats:
    """For each rank: the processes of its node for each of its CPUs, at least 1.

    Where waiting ranks keep their CPU (`time_slice`), every rank of the node is one of them; where they do not, the
    rank itself and the background are.
    """
    cpus, placed = _cpus(cluster), np.bincount(placement.node, minlength=cluster.nodes)
    wanting = placed if cluster.settings.time_slice > 0 else np.minimum(placed, 1)
    shares = (wanting + cluster.settings.background) / cpus
    return np.asarray(np.maximum(shares, 1.0)[placement.node])


def background_slowness(cluster: Cluster, placement: Placement) -> float:
    """How much longer a computing rank takes because of the background, beyond what ranks take from each other.

    Ranks and background share CPUs fairly; the engine itself shares them among ranks. The mean over all ranks.
    """
    background = float(cluster.settings.background)
    if background == 0:
        return 1.0
    cpus, placed = _cpus(cluster), np.bincount(placement.node, minlength=cluster.nodes)
    slowness = np.maximum((placed + background) / np.maximum(placed, cpus), 1.0)
    return float(slowness[placement.node].mean())


def _cpus(cluster: Cluster) -> Floats:
    counts = np.array([kind.sockets * kind.cpus_per_socket for kind in cluster.node_types], np.float64)
    return np.asarray(counts[cluster.node_type])
