"""Where each rank runs: round robin over nodes, sockets and cores; block by block; or as told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from striate.errors import ClusterError

if TYPE_CHECKING:
    from striate.cluster.cluster import Cluster

Indices = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """Node, socket and CPU of every rank (columns over ranks); CPUs are numbered over the whole machine."""

    node: Indices
    socket: Indices  # index into Cluster.socket_component
    cpu: Indices

    @property
    def ranks(self) -> int:
        return len(self.node)


def place(cluster: Cluster, ranks: int) -> Placement:
    """Node, socket and CPU of each of `ranks` processes; where there are more ranks than CPUs, they share time.

    "round-robin" deals ranks to the nodes in turn, on a node to its sockets in turn, then to the next core:
    five ranks on two nodes of two sockets give ((0,4),(2)), ((1),(3)) as in paper 001. Nodes whose CPUs are
    all taken are passed over until every CPU of the machine has a rank; further ranks go round again. "block" fills a
    node before the next; with more ranks than CPUs, neighbours share a CPU, as launchers place them (`-ppn`).

    Raises ClusterError for less than one rank, and when an explicit placement names fewer ranks.
    """
    if ranks < 1:
        raise ClusterError(f"expected at least one rank to place, got {ranks}")
    if cluster.placement == "explicit":
        return _place_as_told(cluster, ranks)
    if cluster.placement == "round-robin":
        return _on_cpus(cluster, np.resize(_deal_round(cluster, min(ranks, cluster.cpus)), ranks))
    shared = np.arange(ranks, dtype=np.int64) * min(ranks, cluster.cpus) // ranks
    return _on_cpus(cluster, shared.astype(np.int32))


def first_cpu(cluster: Cluster) -> Indices:
    """Number of the first CPU of each node, and one past the last CPU of the machine."""
    per_type = np.array([kind.sockets * kind.cpus_per_socket for kind in cluster.node_types])
    return np.concatenate(([0], np.cumsum(per_type[cluster.node_type]))).astype(np.int32)


def _deal_round(cluster: Cluster, wanted: int) -> Indices:
    """The first `wanted` CPUs in dealing order: all first turns node by node, then all second ones."""
    starts = first_cpu(cluster)
    turns = np.diff(starts)  # how many ranks each node takes
    if turns.min() == turns.max():
        rank = np.arange(wanted, dtype=np.int32)
        turn, node = np.divmod(rank, np.int32(cluster.nodes))
    else:
        turn, node = _uneven_turns(turns, wanted)
    per_type = np.array([[kind.sockets, kind.cpus_per_socket] for kind in cluster.node_types], np.int32)
    sockets, cores = per_type[cluster.node_type[node]].T
    core, socket = np.divmod(turn, sockets)
    cpus: Indices = (starts[node] + socket * cores + core).astype(np.int32, copy=False)
    return cpus


def _uneven_turns(turns: Indices, wanted: int) -> tuple[Indices, Indices]:
    """Turn and node of the first `wanted` deals when nodes take different numbers of ranks."""
    node = np.repeat(np.arange(len(turns), dtype=np.int32), turns)
    turn = np.arange(len(node), dtype=np.int32) - np.repeat(np.cumsum(turns) - turns, turns).astype(np.int32)
    order = np.argsort(turn, kind="stable")[:wanted]
    return turn[order], node[order]


def _on_cpus(cluster: Cluster, cpus: Indices) -> Placement:
    starts = first_cpu(cluster)
    node_of_cpu = np.repeat(np.arange(cluster.nodes, dtype=np.int32), np.diff(starts))
    node = node_of_cpu[cpus]
    cores = np.array([kind.cpus_per_socket for kind in cluster.node_types], np.int32)[cluster.node_type]
    socket = cluster.first_socket[node] + (cpus - starts[node]) // cores[node]
    return Placement(node, socket.astype(np.int32), cpus.astype(np.int32))


def _place_as_told(cluster: Cluster, ranks: int) -> Placement:
    told = len(cluster.explicit_placement)
    if told < ranks:
        raise ClusterError(
            f"expected an explicit placement of all {ranks} ranks of the program, "
            f"got a placement of {told} ranks",
            at="$.placement.ranks",
        )
    node, within = np.ascontiguousarray(np.array(cluster.explicit_placement[:ranks], np.int32).T)
    socket = cluster.first_socket[node] + within
    cores = np.array([kind.cpus_per_socket for kind in cluster.node_types], np.int32)[cluster.node_type[node]]
    cpu = first_cpu(cluster)[node] + within * cores + _how_many_before(socket) % cores
    return Placement(node, socket.astype(np.int32), cpu.astype(np.int32))


def _how_many_before(values: Indices) -> Indices:
    """For each entry, how many equal entries stand before it."""
    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    starts = np.flatnonzero(np.concatenate(([True], sorted_values[1:] != sorted_values[:-1])))
    lengths = np.diff(np.append(starts, len(values)))
    before = np.empty(len(values), np.int32)
    before[order] = np.arange(len(values)) - np.repeat(starts, lengths)
    return before
