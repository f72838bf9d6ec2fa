"""What every I/O server and metadata server of a run did, for the forecast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from striate.cluster.cluster import Cluster
    from striate.engine.packets import PacketRun


@dataclass(frozen=True, slots=True)
class ServerUse:
    """One I/O server. `utilisation` is the part of the run in which its disks were busy; queues count waiting jobs."""

    name: str
    bytes_read: int  # from its disks
    bytes_written: int  # to its disks
    operations: int  # of its disks
    sequential: int  # of them: where the last one ended
    short_seeks: int
    long_seeks: int
    cache_hit_bytes: int
    cache_miss_bytes: int
    burst_bytes_written: int
    burst_bytes_read: int
    most_dirty_bytes: int  # written, and not yet on the disks
    longest_queue: int
    mean_queue: float
    busy_seconds: float
    utilisation: float
    burst_busy_seconds: float = 0.0  # of the device of its burst buffer
    burst_utilisation: float = 0.0


@dataclass(frozen=True, slots=True)
class MetadataUse:
    """One metadata server: what it answered, how long calls waited for their turn on average, and the longest queue."""

    name: str
    operations: int
    busy_seconds: float  # of each of its places, on average
    mean_wait_seconds: float
    longest_queue: int


@dataclass(frozen=True, slots=True)
class ForwarderUse:
    """One forwarder: the messages and bytes that it passed on, and the most bytes that it held at once."""

    name: str
    messages: int
    bytes: int
    most_buffered_bytes: int


def forwarder_uses(run: PacketRun, cluster: Cluster) -> tuple[ForwarderUse, ...]:
    """One row per forwarder, in the order of the cluster; none when no file was accessed."""
    return tuple(
        ForwarderUse(
            cluster.forwarders[number].name,
            messages=int(run.forwarder_messages[number]),
            bytes=int(run.forwarder_bytes[number]),
            most_buffered_bytes=int(run.forwarder_most_bytes[number]),
        )
        for number in range(len(run.forwarder_messages))
    )


def server_uses(run: PacketRun, cluster: Cluster) -> tuple[ServerUse, ...]:
    """One row per server, in the order of the cluster; none when no disk was touched."""
    if not run.disk_operations.any() and not run.burst_bytes_written.any() and not run.cache_hit_bytes.any():
        return ()
    duration = max(run.end / 1e12, 1e-12)
    return tuple(
        _server_use(run, number, server.name, duration) for number, server in enumerate(cluster.servers)
    )


def _server_use(run: PacketRun, number: int, name: str, duration: float) -> ServerUse:
    operations, sequential = int(run.disk_operations[number]), int(run.disk_sequential[number])
    short, busy = int(run.disk_near_seeks[number]), int(run.server_busy[number]) / 1e12
    burst_busy = int(run.burst_busy[number]) / 1e12
    return ServerUse(
        name,
        bytes_read=int(run.disk_bytes_read[number]),
        bytes_written=int(run.disk_bytes_written[number]),
        operations=operations,
        sequential=sequential,
        short_seeks=short,
        long_seeks=operations - sequential - short,
        cache_hit_bytes=int(run.cache_hit_bytes[number]),
        cache_miss_bytes=int(run.cache_miss_bytes[number]),
        burst_bytes_written=int(run.burst_bytes_written[number]),
        burst_bytes_read=int(run.burst_bytes_read[number]),
        most_dirty_bytes=int(run.most_dirty_bytes[number]),
        longest_queue=int(run.longest_queue[number]),
        mean_queue=float(run.queue_seconds[number]) / duration,
        busy_seconds=busy,
        utilisation=min(busy / duration, 1.0),
        burst_busy_seconds=burst_busy,
        burst_utilisation=min(burst_busy / duration, 1.0),
    )


def metadata_uses(run: PacketRun, cluster: Cluster) -> tuple[MetadataUse, ...]:
    """One row per metadata server, in the order of the cluster."""
    return tuple(
        MetadataUse(
            server.name,
            operations=int(run.metadata_operations[number]),
            busy_seconds=int(run.metadata_busy[number]) / server.concurrent / 1e12,
            mean_wait_seconds=int(run.metadata_waited[number])
            / max(int(run.metadata_operations[number]), 1)
            / 1e12,
            longest_queue=int(run.metadata_longest_queue[number]),
        )
        for number, server in enumerate(cluster.metadata)
    )
