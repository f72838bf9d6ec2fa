"""Routes through a network: hops to everywhere, one shortest route, many pairs at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import striate._core as _core
from striate.cluster.cluster import Network
from striate.cluster.placement import Indices

Reach = tuple[Indices, Indices]
Summaries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def summarise(
    network: Network, sources: NDArray[np.integer[Any]], targets: NDArray[np.integer[Any]]
) -> Summaries:
    """Hops (-1: no route), latency in picoseconds and smallest bandwidth between pairs of components."""
    summaries: Summaries = _core.route_summary(
        network.bandwidth,
        network.edge_source,
        network.edge_target,
        network.edge_bandwidth,
        network.edge_latency,
        np.ascontiguousarray(sources, dtype=np.int32),
        np.ascontiguousarray(targets, dtype=np.int32),
    )
    return summaries


def hops(network: Network, start: int, *, backwards: bool = False) -> Indices:
    """Edges on the shortest route from `start` to each component (backwards: to `start`); -1: there is none."""
    return _search(network, start, backwards=backwards)[0]


def reached_from(network: Network, start: int) -> Reach:
    """Hops to each component, and the edge by which the shortest route from `start` arrives there."""
    return _search(network, start, backwards=False)


def shortest_route(network: Network, start: int, end: int) -> list[int]:
    """Edges of one shortest route, the earliest listed edges first; raises ValueError when there is none."""
    distance, arrived_by = _search(network, start, backwards=False)
    if distance[end] < 0:
        raise ValueError(f"no network route leads from component {start} of the cluster to component {end}")
    route: list[int] = []
    while end != start:
        route.append(int(arrived_by[end]))
        end = int(network.edge_source[route[-1]])
    return route[::-1]


def _search(network: Network, start: int, *, backwards: bool) -> Reach:
    """Breadth first, a level at a time: distance of each component, and the edge it was first reached by."""
    tails, heads = (network.edge_source, network.edge_target)[:: -1 if backwards else 1]
    order = np.argsort(tails, kind="stable")
    first = np.concatenate(([0], np.cumsum(np.bincount(tails, minlength=network.components))))
    distance = np.full(network.components, -1, np.int32)
    arrived_by = np.full(network.components, -1, np.int32)
    distance[start], level, frontier = 0, 0, np.array([start])
    while len(frontier):
        level += 1
        counts = first[frontier + 1] - first[frontier]
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        edges = order[np.repeat(first[frontier], counts) + offsets]
        edges = edges[distance[heads[edges]] < 0]
        frontier, earliest = np.unique(heads[edges], return_index=True)
        distance[frontier], arrived_by[frontier] = level, edges[earliest]
    return distance, arrived_by
