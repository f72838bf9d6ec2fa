"""What a machine tells about the memory of a run: stations on a route, servers, how fast they take and write data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster, IOServer
from striate.cluster.measures import route_measure
from striate.cluster.storage import random_access_ticks, sequential_ticks, transfer_rate
from striate.engine.file_tables import usual_method
from striate.layout.parse import parse
from striate.workload.application import Application
from striate.workload.collective_io import ALL, NODES, parse_collective

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Storage:
    """All servers together; `room` is what may wait before their disks, `keeps` what their read caches hold."""

    servers: int
    burst: bool
    merges: bool
    room: float
    kept_until_sync: float  # of written bytes: delayed write-back, or a burst buffer below its threshold
    keeps: float
    taken_per_second: float  # bytes that clients can send to all servers
    seeks: float  # seconds of an access beside its bytes
    written_per_second: float  # bytes, in sequence

    def backlog_share(self, job_bytes: float) -> float:
        """The share of written bytes that waits before the disks while clients go on writing."""
        if not self.taken_per_second:
            return 0.0
        seeks = 0.0 if self.merges else self.seeks
        seconds = seeks / max(self.servers, 1) + job_bytes / self.written_per_second
        return max(0.0, 1 - job_bytes / self.taken_per_second / seconds)


def storage_of(cluster: Cluster, ranks: int) -> Storage:
    servers = cluster.servers
    if not servers:
        return Storage(0, False, False, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    clients = min(ranks, cluster.nodes)
    route = route_measure(cluster, (0, 0), (cluster.nodes - 1, 0))
    interfaces = sum(min(float(one.nic.bandwidth), float(one.nic.link.bandwidth)) for one in servers)
    return Storage(
        servers=len(servers),
        burst=any(one.burst for one in servers),
        merges=servers[0].cache.policy not in ("none", "write-behind"),
        room=sum(_room(one) for one in servers),
        kept_until_sync=sum(one.burst.threshold if one.burst else int(one.cache.dirty) for one in servers),
        keeps=sum(one.memory for one in servers if one.cache.keeps_reads),
        taken_per_second=min(interfaces, clients * route.bytes_per_second),
        seeks=float(np.mean([_seek_seconds(one) for one in servers])),
        written_per_second=sum(transfer_rate(disk, write=True) for one in servers for disk in one.disks),
    )


def _room(server: IOServer) -> float:
    """Bytes that a server takes before its disks have them."""
    if server.burst:
        return float(server.burst.capacity)
    if server.cache.policy == "none":
        return 0.0
    return float(server.memory) or float("inf")


def _seek_seconds(server: IOServer) -> float:
    disk = server.disks[0]
    return (random_access_ticks(disk) + sequential_ticks(disk, write=True)) / 1e12


def stations_of_route(cluster: Cluster) -> int:
    """Stations that a message between distant nodes passes."""
    if cluster.nodes > 1:
        return len(route_measure(cluster, (0, 0), (cluster.nodes - 1, 0)).rates)
    return len(route_measure(cluster, (0, 0), (0, 0)).rates)


@dataclass(frozen=True, slots=True, eq=False)
class FileTraits:
    """Per file of an application: servers and strip of its layout, and how collective calls access it."""

    first: NDArray[np.int64]  # number of the first file of each row
    servers: Floats
    unit: Floats
    gathered: NDArray[np.bool_]  # collective calls may go through aggregators
    aggregators: Floats
    buffer: Floats

    @classmethod
    def of(cls, application: Application, cluster: Cluster) -> FileTraits:
        settings = cluster.settings
        usual = usual_method(cluster)
        gatherers = {ALL: application.ranks, NODES: min(application.ranks, cluster.nodes)}
        rows: list[tuple[float, ...]] = []
        for file in application.files:
            layout = parse(file.layout) if file.layout else None
            rule = usual if file.collective is None else parse_collective(file.collective)
            servers = layout.servers if layout else len(cluster.servers)
            counted = rule.aggregators_of(servers)
            rows.append(
                (
                    file.first,
                    servers,
                    getattr(layout, "unit", None) or int(settings.stripe_unit),
                    rule.method != "direct",
                    gatherers.get(counted, counted),
                    int(settings.collective_buffer) if rule.buffer is None else rule.buffer,
                )
            )
        table = np.array(rows or [(0, len(cluster.servers), 1, 0, 1, 1)], np.float64).T
        first, servers, unit, gathered, aggregators, buffer = table
        return cls(first.astype(np.int64), np.maximum(servers, 1), unit, gathered > 0, aggregators, buffer)

    def rows(self, numbers: Floats) -> NDArray[np.int64]:
        """The row of each file number."""
        found = np.searchsorted(self.first, numbers, side="right") - 1
        return np.clip(found, 0, len(self.first) - 1).astype(np.int64)
