"""w from a cluster: how much of a transfer occupies the component that all of them share most."""

from __future__ import annotations

import numpy as np

from striate.cluster.cluster import Cluster
from striate.cluster.routes import shortest_route
from striate.queueing.curves import Floats, Integers

_PAIRS = 128  # messages that are routed; of more ranks every so-and-so-many-th


def contention_of(cluster: Cluster, ranks: int, wire: float) -> tuple[float, float]:
    """w for messages between neighbouring ranks, and for messages across the machine, the larger last.

    `wire` is the rate of a message that is alone, in bytes per second.

    All ranks send one message each. The busiest edge or component that several of them pass then takes p w times as
    long as one message takes on its own interface: w = (share of the messages that pass) * wire / bandwidth.
    """
    sockets = cluster.socket_component[cluster.place(ranks).socket].astype(np.int64)
    near, far = (_busiest(cluster, sockets, step, wire) for step in (1, max(1, ranks // 2)))
    return min(near, far), max(near, far)


def _busiest(cluster: Cluster, sockets: Integers, step: int, wire: float) -> float:
    chosen = np.unique(np.linspace(0, sockets.size - 1, min(sockets.size, _PAIRS)).astype(np.int64))
    network = cluster.network
    edges, components = np.zeros(network.edge_bandwidth.size), np.zeros(network.bandwidth.size)
    for source in chosen:
        start, end = int(sockets[source]), int(sockets[(source + step) % sockets.size])
        if start == end:
            continue
        components[start] += 1
        for edge in shortest_route(network, start, end):
            edges[edge] += 1
            components[network.edge_target[edge]] += 1
    loads = (_load(edges, network.edge_bandwidth, wire), _load(components, network.bandwidth, wire))
    return min(1.0, max(loads) / chosen.size)


def _load(passing: Floats, bandwidth: Floats, wire: float) -> float:
    """Messages times the length of one, on the busiest part that at least two pass."""
    shared = passing > 1
    return float((passing[shared] * wire / bandwidth[shared]).max(initial=0.0))
