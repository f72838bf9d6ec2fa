"""The packet engine from Python: schedules of messages, and programs of ranks, timed on a cluster's network."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate import _core
from striate.cluster.cluster import Cluster
from striate.cluster.placement import Placement
from striate.collectives.columns import CollectiveBook
from striate.engine.file_servers import file_servers
from striate.engine.interfaces import joined, rank_interfaces, service_interfaces
from striate.engine.oversubscription import (
    background_slowness,
    compute_lags,
    cpus_to_share,
    message_waits,
    waiting_slowness,
)
from striate.engine.recording import Recording
from striate.errors import DiskFullError, PredictionError
from striate.units import about_size
from striate.workload.application import Application
from striate.workload.kinds import Kind
from striate.workload.slowed import slowed
from striate.workload.walk import lines

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """A schedule: step i waits for its dependencies, then `delay` picoseconds, then sends `bytes` of payload.

    `dependency[first_dependency[i]:first_dependency[i + 1]]` are the steps it waits for, until they are delivered or,
    where `dependency_sent`, until they are sent. A negative source sends nothing and only joins.
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    bytes: Int64s
    delay: Int64s
    first_dependency: Int64s
    dependency: NDArray[np.int32]
    dependency_sent: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class PacketRun:
    """What a run took; times in picoseconds. Stations: components, edges, interfaces, links out, links in."""

    rank_end: Int64s
    node_busy: Int64s
    station_busy: Int64s
    station_packets: Int64s
    station_bytes: Int64s
    station_waited: NDArray[np.float64]  # seconds that packets have waited there, all together
    messages: int
    events: int
    skipped: int
    end: int
    disk_operations: Int64s  # this and the rest: per I/O server
    disk_sequential: Int64s
    disk_near_seeks: Int64s
    disk_bytes_read: Int64s
    disk_bytes_written: Int64s
    cache_hit_bytes: Int64s
    cache_miss_bytes: Int64s
    server_busy: Int64s  # with at least one operation on its disks
    longest_queue: Int64s
    queue_seconds: NDArray[np.float64]  # length of the queue, summed over time
    most_held_bytes: Int64s  # written, and not yet on the disks
    burst_bytes_written: Int64s
    burst_bytes_read: Int64s
    metadata_operations: Int64s  # this and the next: per metadata server
    metadata_busy: Int64s
    metadata_waited: Int64s
    metadata_longest_queue: Int64s
    disk_log: dict[str, NDArray[Any]]  # one row a job of a disk, where asked for
    recording: Recording | None = None  # where a timeline was asked for


def run_application(
    application: Application,
    cluster: Cluster,
    placement: Placement,
    *,
    collectives: CollectiveBook,
    compat_clock: bool = False,
    heap_ties: bool = False,
    warp: bool = True,
    flows: bool = False,
    log_disks: bool = False,
    rank_start: Int64s | None = None,
    timeline_bytes: int = 0,
) -> PacketRun:
    """Play `application` packet by packet, or with `flows` as fluids that share the network fairly.

    `compat_clock` counts whole nanoseconds, truncated; `heap_ties` leaves events of equal time in the order of a binary
    heap that looks at times alone. Both are habits of paper 001's simulator, for comparison with it.
    Rank r begins at `rank_start[r]` picoseconds. With `timeline_bytes` above 0 the run writes down what happens when,
    as long as there is room; `log_disks` keeps every job of the disks. Raises DiskFullError when a server has no room,
    PredictionError on a deadlock, on messages nobody receives, and on what the engine cannot play.
    """
    positional, named = engine_input(application, cluster, placement, collectives, log_disks=log_disks)
    try:
        columns: dict[str, Any] = _core.run_programs(
            *positional,
            **named,
            compat_clock=compat_clock,
            heap_ties=heap_ties,
            warp=warp,
            flows=flows,
            rank_start=rank_start,
            timeline_bytes=timeline_bytes,
            rank_wait=message_waits(cluster, placement),
            rank_lag=compute_lags(
                cluster, placement, flushed=bool((application.programs.kind == Kind.SYNC).any())
            ),
            longest_lag=int(cluster.settings.longest_lag),
        )
    except _core.ServerFullError as error:
        raise _disk_full(str(error), application, cluster) from None
    except (_core.DeadlockError, _core.UnreceivedError, ValueError, RuntimeError, OverflowError) as error:
        raise PredictionError(_with_operations(str(error), application), at=application.name) from None
    recorded = columns.pop("recording", None)
    return PacketRun(**columns, recording=Recording(**recorded) if recorded else None)


def _disk_full(numbers: str, application: Application, cluster: Cluster) -> DiskFullError:
    server, capacity, file, end = (int(number) for number in numbers.split())
    grown = f"file {application.file_name(file)!r:.60} grows to {about_size(end)} there"
    name = cluster.servers[server].name
    return DiskFullError(f"disk full: {name} holds {about_size(capacity)}, and {grown}", at=application.name)


def _with_operations(message: str, application: Application) -> str:
    """The message with operations, as a rank counts them, in place of rows of the program table."""
    if "row " not in message:
        return message
    by_row = {line.row: f"operation {line.index} ({line.kind.label})" for line in lines(application)}
    return re.sub(r"\brow (\d+)", lambda found: by_row.get(int(found[1]), found[0]), message)


def engine_input(
    application: Application,
    cluster: Cluster,
    placement: Placement,
    collectives: CollectiveBook,
    *,
    log_disks: bool = False,
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What every engine of the core takes of programs on a machine: arguments in order, and by name."""
    slowness = background_slowness(cluster, placement) * waiting_slowness(cluster, placement)
    groups = [application.groups(number) for number in range(len(application.communicators))]
    interfaces = joined(rank_interfaces(cluster, placement), service_interfaces(cluster))
    files = file_servers(cluster, application, placement, log=log_disks) if cluster.servers else None
    named = _node_columns(cluster, placement, slowness) | {
        "eager_bytes": int(cluster.settings.eager),
        "packet_bytes": int(cluster.settings.packet),
        "round_robin": cluster.settings.routing == "round-robin",
        "free_near": cluster.settings.free_near,
        "files": files,
        "extents": application.extents,
    }
    return (slowed(application.programs, slowness), groups, cluster.network, interfaces, collectives), named


def _node_columns(cluster: Cluster, placement: Placement, slowness: float) -> dict[str, Any]:
    """Where each rank runs, and what each node has; all work takes `slowness` times as long."""
    speed = np.array([kind.instructions_per_second for kind in cluster.node_types], np.float64)
    return {
        "rank_node": placement.node.astype(np.int32, copy=False),
        "node_cpus": cpus_to_share(cluster, placement),
        "node_speed": speed[cluster.node_type] / slowness,
    }
