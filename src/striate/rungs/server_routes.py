"""How fast and how far the I/O servers are from the sockets that a program runs on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.cluster.placement import Placement
from striate.cluster.routes import summarise
from striate.errors import PredictionError

Seconds = NDArray[np.float64]
Amounts = NDArray[np.int64]  # bytes or counts
SOCKETS_LOOKED_AT = 4096  # of a larger machine, evenly spread: routes to servers repeat


@dataclass(frozen=True, slots=True, eq=False)
class ServerRoutes:
    """Contention-free speed between every socket in use (or an even sample of them) and every server."""

    socket_of_rank: NDArray[np.int64]  # row of the matrices below
    seconds_per_byte: Seconds  # socket x server
    latency: Seconds

    def client_seconds(self, ranks: slice, bytes_: Amounts, accesses: Amounts, moved: Amounts) -> Seconds:
        """Protocol time of the ranks: their bytes, spread as `moved` over the servers, and the least latency a call."""
        if self.latency.shape[1] == 0:
            return np.zeros(len(bytes_))
        rows = self.socket_of_rank[ranks]
        share = moved / max(float(moved.sum()), 1.0)
        mean_per_byte, least_latency = self.seconds_per_byte @ share, self.latency.min(axis=1)
        return np.asarray(bytes_ * mean_per_byte[rows] + accesses * least_latency[rows])

    def server_seconds(self, ranks: slice, bytes_: Amounts, moved: Amounts) -> Seconds:
        """Protocol time of the servers: each byte at the speed of its route."""
        by_socket = np.bincount(self.socket_of_rank[ranks], bytes_, len(self.latency))
        total = by_socket.sum()
        share = by_socket / total if total else by_socket
        return np.asarray(moved * (share @ self.seconds_per_byte))


def server_routes_of(cluster: Cluster, placement: Placement) -> ServerRoutes:
    """Walk the routes from the sockets in use to the servers."""
    sockets, socket_of_rank = np.unique(placement.socket, return_inverse=True)
    if len(sockets) > SOCKETS_LOOKED_AT:
        chosen = np.linspace(0, len(sockets) - 1, SOCKETS_LOOKED_AT).astype(np.int64)
        socket_of_rank = np.minimum(np.searchsorted(chosen, socket_of_rank), len(chosen) - 1)
        sockets = sockets[chosen]
    servers = cluster.servers
    goals = np.array([server.component for server in servers], np.int32)
    hops, latency, bandwidth = summarise(
        cluster.network,
        np.repeat(cluster.socket_component[sockets], len(goals)),
        np.tile(goals, len(sockets)),
    )
    if (hops < 0).any():
        raise PredictionError(
            "no network route leads from a node to server "
            f"{servers[int(np.argmax(hops < 0)) % len(goals)].name!r}"
        )
    own = np.array([min(server.nic.bandwidth, server.nic.link.bandwidth) for server in servers])
    client = np.array([min(kind.nic.bandwidth, kind.nic.link.bandwidth) for kind in cluster.node_types])
    near, far = ([kind.nic.link.latency for kind in owners] for owners in (cluster.node_types, servers))
    node_of_socket = np.repeat(np.arange(cluster.nodes), np.diff(cluster.first_socket))[sockets]
    kind = cluster.node_type[node_of_socket]
    ends = np.minimum(client[kind][:, None], own[None, :])
    links = np.array(near, np.int64)[kind][:, None] + np.array(far, np.int64)[None, :]
    shape = (len(sockets), len(goals))
    costs = np.where(hops.reshape(shape) == 0, 0.0, 1.0) if cluster.settings.free_near else 1.0
    return ServerRoutes(
        socket_of_rank,
        costs / np.minimum(bandwidth.reshape(shape), ends),
        costs * (latency.reshape(shape) + links) / 1e12,
    )
