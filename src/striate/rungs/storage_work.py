"""Seconds of work that files bring to disks and metadata servers (paper 004, section 5.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from striate._core import Ledger
from striate.cluster.cluster import Cluster, IOServer
from striate.cluster.storage import (
    Disk,
    operations_at_once,
    random_access_ticks,
    sequential_ticks,
    transfer_rate,
)
from striate.workload.kinds import Kind

Seconds = NDArray[np.float64]


def disk_seconds(
    cluster: Cluster, reading: tuple[Seconds, Seconds], writing: tuple[Seconds, Seconds]
) -> tuple[Seconds, Seconds]:
    """Per server: work of its busiest disk, and the worst-case errors.

    E_rand_io = T_rand_seek * N_io and E_io_var = T_io_diff * N_io (section 5.1). A server's disks share its bytes
    evenly.
    """
    work, error = np.zeros((2, len(cluster.servers)))
    for number, server in enumerate(cluster.servers):
        share = 1.0 / len(server.disks)
        for disk in {id(disk): disk for disk in server.disks}.values():  # equal ones work as long
            read = _disk_time(disk, reading, number, share, write=False)
            written = _disk_time(disk, writing, number, share, write=True)
            requests = (reading[1][number] + writing[1][number]) * share
            errors = (random_access_ticks(disk) + cluster.settings.io_variation) / 1e12 * requests
            work[number] = max(work[number], read + written)
            error[number] = max(error[number], errors)
    return work, error


def unhidden_seconds(cluster: Cluster, load: Seconds) -> Seconds:
    """Per server: what its disks must do whatever memory hides, when all of them work all the time.

    `load` has rows: bytes read, requests, bytes written, requests. A cache hides writes up to the server's memory, for
    nobody knows here which writes a sync follows; a burst buffer hides them up to its capacity. Both may serve reads of
    what was written, and a cache that keeps what was read serves it again. Without a cache no disk job is larger than a
    packet, so that so many of them pay the disks' latency.
    """
    seconds = np.zeros(len(cluster.servers))
    for number, server in enumerate(cluster.servers):
        read, _, written, _ = load[:, number]
        cached = server.cache.holds_writes or server.burst is not None
        sure_read = 0.0 if server.cache.keeps_reads or (cached and written) else read
        sure_written = max(written - _hides(server, cluster), 0.0)
        reading = sum(transfer_rate(disk, write=False) for disk in server.disks)
        writing = sum(transfer_rate(disk, write=True) for disk in server.disks)
        latency = 0.0 if cached else _latency_bytes(server) * sure_written / int(cluster.settings.packet)
        seconds[number] = sure_read / reading + (sure_written + latency) / writing
    return seconds


def _latency_bytes(server: IOServer) -> float:
    """Bytes that the disk with the least of them could write during the latency of one write."""
    return min(
        sequential_ticks(disk, write=True) / 1e12 * transfer_rate(disk, write=True) for disk in server.disks
    )


def _hides(server: IOServer, cluster: Cluster) -> int:
    """Bytes of writes that need not be on the disks when the program ends."""
    if server.cache.holds_writes:
        return max(int(server.cache.memory or server.memory), _burst(server))
    if server.cache.policy == "none":
        return _burst(server)
    at_once = operations_at_once(server.cache, server.disks)  # begun, and acknowledged already
    return max(at_once * int(cluster.settings.packet), _burst(server))


def _burst(server: IOServer) -> int:
    return 0 if server.burst is None else int(server.burst.capacity)


def metadata_seconds(cluster: Cluster, sums: Ledger) -> Seconds:
    """Per metadata server: the calls it hears, its places sharing them evenly; file f belongs to server f."""
    work = np.zeros(len(cluster.metadata))
    for number, server in enumerate(cluster.metadata):
        mine = sums.heard_file % len(work) == number
        kind, calls, creates = sums.heard_kind[mine], sums.heard_calls[mine], sums.heard_creates[mine]
        costs = {
            Kind.OPEN: server.open,
            Kind.STAT: server.stat,
            Kind.ERASE: server.delete,
            Kind.CLOSE: server.close,
        }
        ticks = sum(float(calls[kind == one].sum()) * (cost or 0) for one, cost in costs.items())
        ticks += float(creates.sum()) * (server.create - server.open)
        work[number] = ticks / server.concurrent / 1e12
    return work


def _disk_time(disk: Disk, load: tuple[Seconds, Seconds], number: int, share: float, *, write: bool) -> float:
    bytes_, requests = load[0][number] * share, load[1][number] * share
    return float(
        bytes_ / transfer_rate(disk, write=write) + requests * sequential_ticks(disk, write=write) / 1e12
    )
