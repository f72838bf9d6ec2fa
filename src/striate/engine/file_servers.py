"""The I/O servers of a cluster as columns: their caches, their disks, and how an application uses them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import THREAD_IDLE_SECONDS, Cluster
from striate.cluster.placement import Placement
from striate.cluster.storage import (
    Burst,
    CachePolicy,
    Disk,
    FlashDisk,
    HardDisk,
    SimpleDisk,
    capacity_bytes,
    operations_at_once,
    queue_depth,
)
from striate.engine.file_layouts import LayoutTable, layout_table
from striate.engine.file_tables import (
    CollectiveTable,
    Forwarding,
    MetadataColumns,
    collective_table,
    forwarding,
    metadata_columns,
)
from striate.workload.application import Application

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]

POLICIES = get_args(CachePolicy)  # numbered as core/include/striate/storage/server_queue.hpp lists them
DISK_KINDS = (SimpleDisk, HardDisk, FlashDisk)  # as core/include/striate/storage/disk.hpp does


@dataclass(frozen=True, slots=True, eq=False)
class FileServers:
    """One row per server, then one row per disk; times in picoseconds, 0 bytes of memory: no end."""

    policy: NDArray[np.uint8]
    memory: Int64s
    concurrent: Int64s
    dirty: Int64s
    sync: Int64s  # picoseconds of a flush beside its data
    kept_reads: Int64s
    read_ahead: Int64s
    first_disk: Int64s
    disk_kind: NDArray[np.uint8]
    read_rate: Floats
    write_rate: Floats
    read_latency: Int64s
    write_latency: Int64s
    average_seek: Int64s
    track_seek: Int64s
    turns: Floats
    near: Int64s
    channels: Int64s
    queue_depth: Int64s
    slice: Int64s  # 0: not throttled in slices
    peak_rate: Floats  # 0: no end
    raid: Int64s
    chunk: Int64s
    capacity: Int64s  # 0: no end
    burst_disk: Int64s  # row of the disk that holds its burst buffer, -1: it has none
    burst_capacity: Int64s
    burst_drain_above: Int64s
    io_request: int
    stripe_unit: int
    flush_on_close: bool
    sync_alone: bool
    write_window: int
    read_window: int
    lock_move: int  # picoseconds; 0: no extent locks
    inode_lock: bool
    write_copy: float  # bytes per second; 0: copies take no time
    read_copy: float
    piece_cpu: int  # picoseconds of a rank for a byte run of a collective access by aggregators
    exchange_copy: float  # bytes per second of an aggregator; 0: copies take no time
    io_thread: int  # picoseconds until a thread for non-blocking accesses has begun
    thread_idle: int  # picoseconds without work until it ends
    open_by_all: bool
    size_update: int  # picoseconds; 0: sizes need no requests of their own
    layouts: LayoutTable  # of the files that do not have the default stripe
    collective: CollectiveTable
    metadata: MetadataColumns
    forwarding: Forwarding


def file_servers(cluster: Cluster, application: Application, placement: Placement) -> FileServers:
    """The columns of `cluster.servers`, and how `application` uses them."""
    servers = cluster.servers
    own = [disk for server in servers for disk in server.disks]
    bursts = [server.burst for server in servers]
    disks = [*own, *(burst.disk for burst in bursts if burst)]
    return FileServers(
        policy=np.array([POLICIES.index(server.cache.policy) for server in servers], np.uint8),
        memory=_column([server.memory for server in servers]),
        concurrent=_column([operations_at_once(one.cache, one.disks) for one in servers]),
        dirty=_column([int(server.cache.dirty) for server in servers]),
        sync=_column([int(server.cache.sync) for server in servers]),
        kept_reads=_column([server.memory if server.cache.keeps_reads else 0 for server in servers]),
        read_ahead=_column([int(server.cache.read_ahead) for server in servers]),
        first_disk=np.cumsum([0, *(len(server.disks) for server in servers)], dtype=np.int64),
        disk_kind=np.array([DISK_KINDS.index(type(disk)) for disk in disks], np.uint8),
        **_disk_columns(disks),
        raid=_column([server.raid for server in servers]),
        chunk=_column([server.chunk for server in servers]),
        capacity=_column([capacity_bytes(server.disks, server.raid) for server in servers]),
        burst_disk=_burst_rows(bursts, len(own)),
        burst_capacity=_column([int(burst.capacity) if burst else 0 for burst in bursts]),
        burst_drain_above=_column([burst.threshold if burst else 0 for burst in bursts]),
        io_request=int(cluster.settings.io_request),
        stripe_unit=int(cluster.settings.stripe_unit),
        flush_on_close=cluster.settings.flush_on_close,
        sync_alone=cluster.settings.sync_alone,
        write_window=int(cluster.settings.write_window),
        read_window=int(cluster.settings.read_window),
        lock_move=int(cluster.settings.lock_move),
        inode_lock=cluster.settings.inode_lock,
        write_copy=float(cluster.settings.write_copy or 0),
        read_copy=float(cluster.settings.read_copy or 0),
        piece_cpu=int(cluster.settings.piece_cpu),
        exchange_copy=float(cluster.settings.exchange_copy or 0),
        io_thread=int(cluster.settings.io_thread),
        thread_idle=round(THREAD_IDLE_SECONDS * 1e12),
        open_by_all=cluster.settings.open_by == "all",
        size_update=int(cluster.settings.size_update),
        layouts=layout_table(application, cluster),
        collective=collective_table(application, cluster),
        metadata=metadata_columns(cluster),
        forwarding=forwarding(cluster, placement),
    )


def _burst_rows(bursts: Sequence[Burst | None], first: int) -> Int64s:
    has = np.array([burst is not None for burst in bursts], np.int64)
    return np.where(has > 0, first + np.cumsum(has) - 1, -1).astype(np.int64)


_WHOLE = (
    *("read_latency", "write_latency", "average_seek", "track_seek"),
    *("near", "channels", "queue_depth", "slice"),
)
_REAL = ("read_rate", "write_rate", "turns", "peak_rate")


def _column(values: Sequence[int]) -> Int64s:
    return np.array(values, np.int64)


def _disk_columns(disks: Sequence[Disk]) -> dict[str, Any]:
    kinds = {id(disk): disk for disk in disks}  # thousands of servers share a few disks
    place = {one: number for number, one in enumerate(kinds)}
    of = np.array([place[id(disk)] for disk in disks], np.intp)
    rows = [_disk_row(disk) for disk in kinds.values()]
    whole = {name: np.array([row[name] for row in rows], np.int64)[of] for name in _WHOLE}
    return whole | {name: np.array([row[name] for row in rows], np.float64)[of] for name in _REAL}


def _disk_row(disk: Disk) -> dict[str, float]:
    """A disk's row; what its kind does not know is zero, or one where zero means nothing."""
    row: dict[str, float] = dict.fromkeys((*_WHOLE, "peak_rate"), 0)
    row |= {"channels": 1, "queue_depth": 1, "turns": 1.0}
    if isinstance(disk, FlashDisk):
        rates = {"read_rate": disk.read_rate, "write_rate": disk.write_rate}
        delays = {"read_latency": disk.read_latency, "write_latency": disk.write_latency}
        return row | rates | delays | {"channels": disk.channels, "queue_depth": queue_depth(disk)}
    row |= {"read_rate": disk.rate, "write_rate": disk.rate}
    if isinstance(disk, SimpleDisk):
        peak = 0.0 if disk.peak is None else float(disk.peak)
        throttle = {"slice": disk.slice, "peak_rate": peak}
        return row | {"read_latency": disk.access, "write_latency": disk.access} | throttle
    seeks = {"average_seek": disk.average_seek, "track_seek": disk.track_seek, "near": disk.near}
    return row | seeks | {"turns": disk.revolutions_per_minute}
