"""The machines a change is tried on: the described one, and with storage a quarter quicker and slower; times there."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from striate.cluster.cluster import Cluster, IOServer
from striate.cluster.description.quantities import BytesPerSecond, Ticks
from striate.cluster.storage import Disk
from striate.rungs.answer import UnfitError
from striate.rungs.cost import fine_seconds
from striate.rungs.fine import predict_fine
from striate.rungs.resource import predict_resource
from striate.workload.workload import Workload

SPREAD = 1.25
MOST_FINE_SECONDS = 20.0  # of CPU time


def seconds_on(workload: Workload, machine: Cluster) -> float:
    """The estimate for a workload that was checked: by the fine rung where it can be afforded."""
    if fine_seconds(workload, machine) <= MOST_FINE_SECONDS:
        try:
            return predict_fine(workload, machine).interval.estimate
        except UnfitError:
            pass
    return predict_resource(workload, machine).interval.estimate


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
