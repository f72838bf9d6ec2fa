"""A described machine with its storage a quarter quicker and a quarter slower: how sure a gain is."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from striate.cluster.cluster import Cluster, IOServer
from striate.cluster.quantities import BytesPerSecond, Ticks
from striate.cluster.storage import Disk

SPREAD = 1.25


def spread_of(cluster: Cluster) -> tuple[Cluster, Cluster, Cluster]:
    """The machine quicker, as it is, and slower."""
    return _scaled(cluster, SPREAD), cluster, _scaled(cluster, 1 / SPREAD)


def _scaled(cluster: Cluster, factor: float) -> Cluster:
    return replace(cluster, servers=tuple(_server(server, factor) for server in cluster.servers))


def _server(server: IOServer, factor: float) -> IOServer:
    return replace(server, disks=tuple(_disk(disk, factor) for disk in server.disks))


def _disk(disk: Disk, factor: float) -> Disk:
    """Rates times the factor, times divided by it."""
    changes: dict[str, object] = {}
    for name in disk.__struct_fields__:
        value = getattr(disk, name)
        if isinstance(value, BytesPerSecond):
            changes[name] = BytesPerSecond(value * factor)
        elif isinstance(value, Ticks):
            changes[name] = Ticks(round(value / factor))
    return msgspec.structs.replace(disk, **changes)
