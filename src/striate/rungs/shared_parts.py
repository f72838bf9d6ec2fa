"""Network components that several processors of a stream share, and which of them each pair passes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.cluster.part_names import station_name
from striate.cluster.routes import reached_from
from striate.workload.flow_costs import SharedParts

_IDLE = 0.25  # a part that end points together cannot keep busier than this is left out
_MOST_PROCESSORS = 4096  # beyond, the routes of all pairs take too much room


def shared_parts(
    cluster: Cluster, processors: int, block_bytes: int, communication_ticks: int
) -> SharedParts | None:
    """Components and edges that blocks of at least two senders to at least two receivers pass; None: there are none.

    Processor i runs on node i. Under round-robin routing only pairs with a single shortest route count, so that no
    part is given work that another may take. Parts so fast that end points cannot keep them busy are left out, and
    analytical interfaces know no contention between them.
    """
    if any(kind.nic.kind == "analytical" for kind in cluster.node_types):
        return None
    if processors < 3 or processors > min(cluster.nodes, _MOST_PROCESSORS):
        return None
    source, target, part = _passes(cluster, processors)
    network = cluster.network
    rates = np.concatenate([np.maximum(network.bandwidth, network.local_bandwidth), network.edge_bandwidth])
    ticks = np.floor(block_bytes / rates * 1e12).astype(np.int64)
    senders, receivers = (_distinct(part, end, rates.size) for end in (source, target))
    both = np.minimum(senders, receivers)
    kept = np.flatnonzero((both >= 2) & (both * ticks > _IDLE * communication_ticks))
    if not kept.size:
        return None
    number = np.full(rates.size, -1, np.int64)
    number[kept] = np.arange(kept.size)
    chosen = number[part] >= 0
    pair = source[chosen] * processors + target[chosen]
    order = np.argsort(pair, kind="stable")
    first = np.concatenate(([0], np.cumsum(np.bincount(pair, minlength=processors**2))))
    names = tuple(station_name(cluster, 0, int(one)) for one in kept)
    return SharedParts(
        names, ticks[kept], first.astype(np.int64), number[part[chosen]][order].astype(np.uint32)
    )


def _distinct(part: NDArray[np.int64], end: NDArray[np.int64], parts: int) -> NDArray[np.int64]:
    """How many different processors stand at one end of the messages through each part."""
    pairs = np.unique(part * (end.max(initial=0) + 1) + end)
    return np.bincount(pairs // (end.max(initial=0) + 1), minlength=parts)


def _passes(
    cluster: Cluster, processors: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Every (source, target, part) in the order of routes; parts are components, then edges."""
    at = cluster.socket_component[cluster.first_socket[np.arange(processors)]].astype(np.int64)
    found = [_from(cluster, at, start) for start in range(processors)]
    sources, targets, parts = zip(*found, strict=True)
    return np.concatenate(sources), np.concatenate(targets), np.concatenate(parts)


def _from(
    cluster: Cluster, at: NDArray[np.int64], start: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The parts that blocks of one processor pass, found backwards from all receivers at once."""
    network = cluster.network
    distance, arrived_by = reached_from(network, int(at[start]))
    targets = np.flatnonzero((at != at[start]) & (distance[at] > 0))
    if cluster.settings.routing == "round-robin":
        targets = targets[_single(cluster, distance)[at[targets]]]
    steps: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    places = at[targets]
    while targets.size:
        edge = arrived_by[places].astype(np.int64)
        steps.append((targets, places))
        steps.append((targets, network.components + edge))
        places = network.edge_source[edge].astype(np.int64)
        ahead = places != at[start]
        targets, places = targets[ahead], places[ahead]
    if not steps:
        return (np.empty(0, np.int64),) * 3
    who = np.concatenate([targets for targets, _ in reversed(steps)])
    parts = np.concatenate([parts for _, parts in reversed(steps)])
    return np.full(who.size, start, np.int64), who, parts


def _single(cluster: Cluster, distance: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which components have a single shortest route from where the distances begin."""
    network = cluster.network
    nearer = (distance[network.edge_source] >= 0) & (
        distance[network.edge_target] == distance[network.edge_source] + 1
    )
    single = np.bincount(network.edge_target[nearer], minlength=network.components) <= 1
    for level in range(1, int(distance.max()) + 1):
        edges = np.flatnonzero(nearer & (distance[network.edge_target] == level))
        np.logical_and.at(single, network.edge_target[edges], single[network.edge_source[edges]])
    return np.asarray(single)
