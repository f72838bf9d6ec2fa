"""What follows from a description: times and rates between processes, and sums over the machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from striate.cluster.cluster import Cluster, NodeType
from striate.cluster.hosts import HostGroup, host_groups
from striate.cluster.routes import shortest_route
from striate.cluster.storage import transfer_rate

EMPTY_MESSAGE_BYTES = 48  # 8 B that MPI sends along and 40 B of TCP and IP headers


@dataclass(frozen=True, slots=True)
class RouteMeasure:
    """From one process to another: the rates it passes in turn, bytes per second, and its latency."""

    rates: tuple[float, ...]
    latency_seconds: float

    @property
    def bytes_per_second(self) -> float:
        """The rate of a long message: that of the slowest part."""
        return min(self.rates)

    @property
    def empty_message_seconds(self) -> float:
        """An empty message, every part passing its 48 B of headers before the next; no CPU time."""
        return self.latency_seconds + sum(EMPTY_MESSAGE_BYTES / rate for rate in self.rates)


def route_measure(cluster: Cluster, start: tuple[int, int], end: tuple[int, int]) -> RouteMeasure:
    """The route between processes on two sockets, each given as (node, socket of the node)."""
    first, last = _node_type(cluster, start[0]), _node_type(cluster, end[0])
    begin, finish = _memory(cluster, start), _memory(cluster, end)
    network = cluster.network
    rates, latency = (
        [float(first.nic.bandwidth), float(first.nic.link.bandwidth)],
        int(first.nic.link.latency),
    )
    rates.append(float(network.local_bandwidth[begin] if begin == finish else network.bandwidth[begin]))
    for edge in shortest_route(network, begin, finish):
        rates += [float(network.edge_bandwidth[edge]), float(network.bandwidth[network.edge_target[edge]])]
        latency += int(network.edge_latency[edge])
    rates += [float(last.nic.link.bandwidth), float(last.nic.bandwidth)]
    return RouteMeasure(tuple(rates), (latency + int(last.nic.link.latency)) / 1e12)


def route_measures(cluster: Cluster) -> dict[str, RouteMeasure]:
    """The routes worth knowing that this machine has: within a socket, a node, and between nodes."""
    found = {"same socket": route_measure(cluster, (0, 0), (0, 0))}
    if cluster.node_types[cluster.node_type[0]].sockets > 1:
        found["two sockets"] = route_measure(cluster, (0, 0), (0, 1))
    if cluster.nodes > 1:
        found["neighbour nodes"] = route_measure(cluster, (0, 0), (1, 0))
    if cluster.nodes > 2:
        found["first to last node"] = route_measure(cluster, (0, 0), (cluster.nodes - 1, 0))
    return found


def memory_bytes(cluster: Cluster) -> int:
    """Memory of all compute nodes."""
    counts = np.bincount(cluster.node_type, minlength=len(cluster.node_types)).tolist()
    return sum(count * int(kind.memory) for count, kind in zip(counts, cluster.node_types, strict=True))


def disk_bytes_per_second(cluster: Cluster, *, write: bool) -> float:
    """All disks in long sequential transfers together."""
    return sum(transfer_rate(disk, write=write) for server in cluster.servers for disk in server.disks)


def node_uplinks_bytes_per_second(cluster: Cluster) -> float:
    """What all compute nodes together can send into the network, when the machine has a description."""
    groups = host_groups(cluster.description) if cluster.description else ()
    return sum(_uplinks(group, group.count) for group in groups if group.at_path.startswith("$.node"))


def server_uplinks_bytes_per_second(cluster: Cluster) -> float:
    """What all nodes with I/O servers can take from the network, when the machine has a description."""
    groups = host_groups(cluster.description) if cluster.description else ()
    shared = sorted({server.node for server in cluster.servers if server.node >= 0})
    per_type = np.bincount(cluster.node_type[shared], minlength=len(cluster.node_types)).tolist()
    total = sum(_uplinks(group, count) for group, count in zip(groups, per_type, strict=False))
    return total + sum(
        _uplinks(group, group.count) for group in groups if group.at_path.startswith("$.server")
    )


def _uplinks(group: HostGroup, count: int) -> float:
    return count * float(group.uplink.bandwidth) if group.uplink else 0.0


def _node_type(cluster: Cluster, node: int) -> NodeType:
    return cluster.node_types[int(cluster.node_type[node])]


def _memory(cluster: Cluster, place: tuple[int, int]) -> int:
    return int(cluster.socket_component[cluster.first_socket[place[0]] + place[1]])
