"""What section 5 of paper 004 needs to know of a machine, from its description."""

from __future__ import annotations

import math

from striate.cluster.cluster import Cluster
from striate.cluster.measures import route_measure
from striate.cluster.storage import Disk, FlashDisk, SimpleDisk, random_access_ticks, transfer_rate


def random_seek_seconds(cluster: Cluster) -> float:
    """T_rand_seek: a random access beyond a sequential one, on the disk where that costs most."""
    ticks = [random_access_ticks(disk) for server in cluster.servers for disk in server.disks]
    return max(ticks, default=0) / 1e12


def job_seconds(cluster: Cluster) -> float:
    """What a job of a disk may cost beyond the transfer of its bytes: positioning, or the latency of an access."""
    return max((_job_ticks(disk) for server in cluster.servers for disk in server.disks), default=0) / 1e12


def read_ahead_seconds(cluster: Cluster) -> float:
    """What a read may cost beyond the transfer of its bytes: that of the bytes which its server reads ahead."""
    return max(
        (
            int(server.cache.read_ahead) / transfer_rate(disk, write=False)
            for server in cluster.servers
            for disk in server.disks
        ),
        default=0.0,
    )


def _job_ticks(disk: Disk) -> int:
    if isinstance(disk, FlashDisk):
        return max(disk.read_latency, disk.write_latency)
    return disk.access if isinstance(disk, SimpleDisk) else random_access_ticks(disk)


def barrier_seconds(cluster: Cluster, ranks: int) -> float:
    """A barrier of `ranks` by rounds of empty messages, there and back."""
    far = route_measure(cluster, (0, 0), (cluster.nodes - 1, 0))
    return 2 * math.ceil(math.log2(max(ranks, 1))) * far.empty_message_seconds if ranks > 1 else 0.0


def step_seconds(cluster: Cluster) -> float:
    """CPU time of one operation or message beside its own work, at most: twelve steps of three instructions."""
    return 36 / min(float(kind.instructions_per_second) for kind in cluster.node_types)


def message_seconds(cluster: Cluster, size_bytes: float) -> float:
    """T_comm: a message between neighbouring nodes that meets no other; 0 on a single node."""
    if cluster.nodes < 2:
        return 0.0
    path = route_measure(cluster, (0, 0), (1, 0))
    return path.latency_seconds + size_bytes / path.bytes_per_second


def turn_seconds(cluster: Cluster) -> float:
    """What a message may lose by taking turns: one full packet of another at every part of the longest route."""
    far = route_measure(cluster, (0, 0), (cluster.nodes - 1, 0))
    return sum(float(cluster.settings.packet) / rate for rate in far.rates)
