"""What stands behind an I/O server: its cache layer and its disks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from striate.cluster.description.quantities import Bytes, BytesPerSecond, Ticks

CachePolicy = Literal[
    "none", "piosimhd-none", "write-behind", "aggregation", "aggregation-reorder", "server-directed"
]


class Cache(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a server orders and holds requests before its disks see them (paper 001, section 3.1)."""

    policy: CachePolicy = "aggregation-reorder"
    memory: Bytes | None = None  # bytes for data in flight; None: the memory of the server's node
    concurrent_operations: Annotated[int, Meta(ge=1, le=10**6)] | None = (
        None  # None: what the disks take at once
    )
    dirty: Bytes = Bytes(
        0
    )  # written data stays in memory until a sync, or until so much is held (Linux: dirty_background_bytes)
    sync: Ticks = Ticks(0)  # of a sync beside its data: the commit of a journal
    read_ahead: Bytes = Bytes(0)
    keeps_reads: bool = False  # an LRU read cache, which the original simulator lacks
    ready: Bytes | None = None  # of memory at hand for new data; a virtual machine asks its host for more,
    fresh_rate: BytesPerSecond | None = None  # at which one CPU then fills it; None: all memory is at hand

    @property
    def holds_writes(self) -> bool:
        """Whether a write is acknowledged from memory, before a disk has seen it."""
        return self.policy not in ("none", "piosimhd-none")


class SimpleDisk(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="simple"):
    """Every access costs `access` plus size / rate."""

    rate: BytesPerSecond
    access: Ticks = Ticks(0)
    slice: Ticks = Ticks(
        0
    )  # rate x slice bytes pass at once, at `peak`, then none until the next slice: a throttle
    peak: BytesPerSecond | None = None  # None: in no time
    capacity: Bytes | None = None


class HardDisk(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="hard"):
    """A spinning disk: no seek in sequence, a track's seek nearby, an average one elsewhere (rule 12)."""

    rate: BytesPerSecond
    average_seek: Ticks
    track_seek: Ticks
    revolutions_per_minute: Annotated[float, Meta(gt=0, le=1e6)]
    near: Bytes  # closer than this to the last access costs a track seek only
    capacity: Bytes | None = None


class FlashDisk(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="flash"):
    """SSD or NVMe: `queue_depth` requests at once on `channels`, each with a latency and its share of the rate."""

    read_rate: BytesPerSecond
    write_rate: BytesPerSecond
    read_latency: Ticks
    write_latency: Ticks
    channels: Annotated[int, Meta(ge=1, le=10**6)] = 1
    queue_depth: Annotated[int, Meta(ge=1, le=10**6)] | None = None  # None: a request a channel
    capacity: Bytes | None = None


Disk = SimpleDisk | HardDisk | FlashDisk
Raid = Literal[0, 5]


class Burst(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fast storage in front of the disks: takes every write, and passes it on when more than `drain_above` is held."""

    capacity: Bytes
    disk: Disk
    drain_above: Bytes | None = None  # None: half the capacity

    @property
    def threshold(self) -> int:
        """Bytes it keeps to itself."""
        return int(self.capacity) // 2 if self.drain_above is None else int(self.drain_above)


def queue_depth(disk: Disk) -> int:
    """Requests the disk takes at once: one arm, or what flash holds."""
    if isinstance(disk, FlashDisk):
        return disk.channels if disk.queue_depth is None else disk.queue_depth
    return 1


def operations_at_once(cache: Cache, disks: Sequence[Disk]) -> int:
    """Operations that a server gives to its disks at once: as it says, or what one of them takes."""
    given = cache.concurrent_operations
    return max(queue_depth(disk) for disk in disks) if given is None else given


def capacity_bytes(disks: Sequence[Disk], raid: Raid) -> int:
    """Data that the disks of a server hold, 0 without an end: parity takes a disk, and equal parts lie on all."""
    if any(disk.capacity is None for disk in disks):
        return 0
    smallest = min(int(disk.capacity or 0) for disk in disks)
    return smallest * (len(disks) - 1 if raid == 5 else len(disks))


def random_access_ticks(disk: Disk) -> int:
    """Picoseconds of a random access beyond a sequential one: T_rand_seek of paper 004, section 5.1."""
    if isinstance(disk, HardDisk):
        half_turn = round(30 / disk.revolutions_per_minute * 1e12)
        return disk.average_seek + half_turn
    return 0


def sequential_ticks(disk: Disk, *, write: bool) -> int:
    """Picoseconds that every request costs before its bytes move, when accesses follow one another."""
    if isinstance(disk, FlashDisk):
        return (disk.write_latency if write else disk.read_latency) // disk.channels
    return disk.access if isinstance(disk, SimpleDisk) else 0


def latency_ticks(disk: Disk) -> int:
    """The most that a request which is alone waits before its bytes move."""
    if isinstance(disk, FlashDisk):
        return max(disk.read_latency, disk.write_latency)
    return disk.access if isinstance(disk, SimpleDisk) else 0


def transfer_rate(disk: Disk, *, write: bool) -> float:
    """Bytes per second of a long sequential transfer."""
    if isinstance(disk, FlashDisk):
        return disk.write_rate if write else disk.read_rate
    return disk.rate
