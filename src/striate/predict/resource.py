"""The first rung: per resource the sum of its work; the largest sum is the estimate (paper 004, section 5.1).

Resources are processors (a CPU, with the protocol work of the ranks on it), servers (the protocol work of an I/O
server) and disks. Nothing waits for anything here, so the largest sum is a floor; the ceiling lets everything that
might wait do so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import striate._core as _core
from striate.cluster.cluster import Cluster, IOServer, Placement
from striate.cluster.routes import summarise
from striate.cluster.storage import random_access_ticks, sequential_ticks, transfer_rate
from striate.errors import PredictionError
from striate.interval import Interval
from striate.predict.file_layouts import layout_table
from striate.predict.forecast import Use
from striate.workload.application import Application
from striate.workload.kinds import Kind
from striate.workload.workload import Workload

Seconds = NDArray[np.float64]
NAME = "resource"
_SOCKETS_LOOKED_AT = 4096  # of a larger machine, evenly spread: routes to servers repeat


@dataclass(frozen=True, slots=True)
class Result:
    """The rung's own bounds, the load of each kind of resource, and what the user should know."""

    interval: Interval
    uses: tuple[Use, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Clocks:
    """Seconds of work per resource, and the errors that section 5.1 adds for the worst case."""

    processor: Seconds  # per CPU in use
    processor_error: Seconds  # E_overlap: CPU time that I/O calls take
    server: Seconds  # per I/O server
    disk: Seconds  # per server: the busiest of its disks
    disk_unhidden: Seconds  # the same without the writes that fit in the server's memory
    disk_error: Seconds  # E_rand_io + E_io_var
    metadata: Seconds  # per metadata server
    communicates: bool
    waits: bool  # barriers and collectives: groups of events that wait for each other


def predict_resource(workload: Workload, cluster: Cluster) -> Result:
    """Run the rung; refuses files without servers and ranks that cannot reach each other."""
    clocks = clocks_of(workload, cluster)
    low = _largest(clocks.processor, clocks.server, clocks.disk_unhidden, clocks.metadata)
    estimate = _largest(clocks.processor, clocks.server, clocks.disk, clocks.metadata)
    high = max(estimate, _ceiling(clocks))
    return Result(Interval(low, estimate, high), _uses(clocks), _notes(clocks, cluster))


def _largest(*columns: Seconds) -> float:
    return max(float(column.max(initial=0.0)) for column in columns)


def _ceiling(clocks: Clocks) -> float:
    """T_ph of section 5.1.

    With communication, processors may wait for each other one by one: the sum of all their clocks and the worst
    disk. Without, a processor waits for its I/O only: its own clock, the worst server and that server's disk.
    """
    processor = clocks.processor + clocks.processor_error
    storage = clocks.disk + clocks.disk_error
    metadata = float(clocks.metadata.sum())
    if clocks.communicates:
        return float(processor.sum() + clocks.server.sum() + storage.max(initial=0.0)) + metadata
    return float(processor.max(initial=0.0) + (clocks.server + storage).max(initial=0.0)) + metadata


def clocks_of(workload: Workload, cluster: Cluster) -> Clocks:
    """Sum the work of every resource over all applications."""
    placement = cluster.place(workload.ranks)
    cpus, cpu_of_rank = np.unique(placement.cpu, return_inverse=True)
    ways = server_ways(cluster, placement)
    work: dict[int, Seconds] = {}  # by the time at which it may start
    processor_error = np.zeros(len(cpus))
    servers = len(cluster.servers)
    server, read, written = np.zeros(servers), np.zeros(servers), np.zeros(servers)
    reads, writes = np.zeros(servers), np.zeros(servers)
    metadata = np.zeros(len(cluster.metadata))
    communicates = waits = synced = False
    start = 0
    for application in workload.applications:
        ranks = slice(start, start + application.ranks)
        start += application.ranks
        sums = sum_up(application, cluster, placement, ranks)
        mine = cpu_of_rank[ranks]
        instruction_rate = _instruction_rate(cluster, placement, ranks)
        bytes_ = sums["read_bytes"] + sums["written_bytes"]
        own = (
            sums["compute_seconds"] + sums["instructions"] / instruction_rate + sums["communication_seconds"]
        )
        moved = (sums["server_read"] + sums["server_written"])[:servers]
        own += ways.client_seconds(ranks, bytes_, sums["accesses"], moved)
        others = work.setdefault(application.start_picoseconds, np.zeros(len(cpus)))
        others += np.bincount(mine, own, len(cpus))
        processor_error += np.bincount(mine, sums["accesses"] * cluster.settings.io_cpu / 1e12, len(cpus))
        server += ways.server_seconds(ranks, bytes_, moved)
        read += sums["server_read"][:servers]
        written += sums["server_written"][:servers]
        reads += sums["server_reads"][:servers]
        writes += sums["server_writes"][:servers]
        metadata += metadata_seconds(cluster, sums)
        communicates |= bool(sums["messages"].any())
        waits |= sums["barriers"] > 0
        synced |= sums["syncs"] > 0 or cluster.settings.flush_on_close
    processor = finished(work)
    disk, unhidden, error = disk_seconds(cluster, (read, reads), (written, writes), synced=synced)
    return Clocks(processor, processor_error, server, disk, unhidden, error, metadata, communicates, waits)


def finished(work: dict[int, Seconds]) -> Seconds:
    """When each CPU is done at the earliest: some start, and all the work that may not begin before it."""
    later = done = np.zeros_like(next(iter(work.values())))
    for start in sorted(work, reverse=True):
        later = later + work[start]
        done = np.maximum(done, np.where(work[start] > 0, start / 1e12, 0.0) + later)
    return done


def sum_up(application: Application, cluster: Cluster, placement: Placement, ranks: slice) -> dict[str, Any]:
    """The core's pass over one application's text."""
    groups = [application.groups(number) for number in range(len(application.communicators))]
    interfaces = [kind.nic for kind in cluster.node_types]
    kind = cluster.node_type[placement.node[ranks]]
    slowest = np.array([min(nic.bandwidth, nic.link.bandwidth) for nic in interfaces])
    latency = np.array([nic.link.latency for nic in interfaces], np.int64)
    try:
        result: dict[str, Any] = _core.sum_up(
            application.text,
            groups,
            application.extents,
            [table.ravel() for table in application.counts],
            cluster.network,
            cluster.socket_component[placement.socket[ranks]],
            slowest[kind],
            latency[kind],
            cluster.settings.stripe_unit,
            len(cluster.servers),
            layout_table(application, len(cluster.servers)),
            bool(cluster.metadata),
            cluster.settings.free_near,
        )
    except (ValueError, OverflowError, RuntimeError) as error:
        raise PredictionError(str(error), source=application.name) from None
    return result


def _instruction_rate(cluster: Cluster, placement: Placement, ranks: slice) -> Seconds:
    rates = np.array([kind.instructions_per_second for kind in cluster.node_types])
    return np.asarray(rates[cluster.node_type[placement.node[ranks]]])


@dataclass(frozen=True, slots=True, eq=False)
class ServerWays:
    """Contention-free speed between every socket in use (or an even sample of them) and every server."""

    socket_of_rank: NDArray[np.int64]  # row of the matrices below
    seconds_per_byte: Seconds  # socket x server
    latency: Seconds

    def client_seconds(self, ranks: slice, bytes_: Seconds, accesses: Seconds, moved: Seconds) -> Seconds:
        """Protocol time of the ranks: their bytes, spread as `moved` over the servers, and the least latency a call."""
        if self.latency.shape[1] == 0:
            return np.zeros(len(bytes_))
        rows = self.socket_of_rank[ranks]
        share = moved / max(float(moved.sum()), 1.0)
        mean_per_byte, least_latency = self.seconds_per_byte @ share, self.latency.min(axis=1)
        return np.asarray(bytes_ * mean_per_byte[rows] + accesses * least_latency[rows])

    def server_seconds(self, ranks: slice, bytes_: Seconds, moved: Seconds) -> Seconds:
        """Protocol time of the servers: each byte at the speed of the way it came."""
        by_socket = np.bincount(self.socket_of_rank[ranks], bytes_, len(self.latency))
        total = by_socket.sum()
        share = by_socket / total if total else by_socket
        return np.asarray(moved * (share @ self.seconds_per_byte))


def server_ways(cluster: Cluster, placement: Placement) -> ServerWays:
    """Walk the routes from the sockets in use to the servers."""
    sockets, socket_of_rank = np.unique(placement.socket, return_inverse=True)
    if len(sockets) > _SOCKETS_LOOKED_AT:
        chosen = np.linspace(0, len(sockets) - 1, _SOCKETS_LOOKED_AT).astype(np.int64)
        socket_of_rank = np.minimum(np.searchsorted(chosen, socket_of_rank), len(chosen) - 1)
        sockets = sockets[chosen]
    servers = cluster.servers
    goals = np.array([server.component for server in servers], np.int32)
    hops, latency, bandwidth = summarise(
        cluster.network,
        np.repeat(cluster.socket_component[sockets], len(goals)),
        np.tile(goals, len(sockets)),
    )
    if (hops < 0).any():
        raise PredictionError(
            f"no way from a node to server {servers[int(np.argmax(hops < 0)) % len(goals)].name!r}"
        )
    own = np.array([min(server.nic.bandwidth, server.nic.link.bandwidth) for server in servers])
    client = np.array([min(kind.nic.bandwidth, kind.nic.link.bandwidth) for kind in cluster.node_types])
    near, far = ([kind.nic.link.latency for kind in owners] for owners in (cluster.node_types, servers))
    node_of_socket = np.repeat(np.arange(cluster.nodes), np.diff(cluster.first_socket))[sockets]
    kind = cluster.node_type[node_of_socket]
    ends = np.minimum(client[kind][:, None], own[None, :])
    links = np.array(near, np.int64)[kind][:, None] + np.array(far, np.int64)[None, :]
    shape = (len(sockets), len(goals))
    costs = np.where(hops.reshape(shape) == 0, 0.0, 1.0) if cluster.settings.free_near else 1.0
    return ServerWays(
        socket_of_rank,
        costs / np.minimum(bandwidth.reshape(shape), ends),
        costs * (latency.reshape(shape) + links) / 1e12,
    )


def disk_seconds(
    cluster: Cluster, reading: tuple[Seconds, Seconds], writing: tuple[Seconds, Seconds], *, synced: bool
) -> tuple[Seconds, Seconds, Seconds]:
    """Per server: work of its busiest disk, the part that no memory can hide, and the worst-case errors.

    E_rand_io = T_rand_seek * N_io and E_io_var = T_io_diff * N_io (section 5.1). A server's disks share its bytes
    evenly. A cache hides writes up to the server's memory unless the program syncs, a burst buffer up to its capacity
    and reads of what was written.
    """
    work, unhidden, error = (np.zeros(len(cluster.servers)) for _ in range(3))
    for number, server in enumerate(cluster.servers):
        slowest = np.zeros(3)
        for disk in server.disks:
            share = 1.0 / len(server.disks)
            read = _disk_time(disk, reading, number, share, write=False)
            written = _disk_time(disk, writing, number, share, write=True)
            held = _part(0 if synced else _hides(server), writing[0][number])
            kept = _part(min(_burst(server), writing[0][number]), reading[0][number])
            requests = (reading[1][number] + writing[1][number]) * share
            errors = (random_access_ticks(disk) + cluster.settings.io_variation) / 1e12 * requests
            slowest = np.maximum(slowest, [read + written, read * (1 - kept) + written * (1 - held), errors])
        work[number], unhidden[number], error[number] = slowest
    return work, unhidden, error


def _hides(server: IOServer) -> int:
    """Bytes of writes that need not reach the disks before the program ends."""
    memory = 0 if server.cache.policy == "none" else int(server.cache.memory or server.memory)
    return max(memory, _burst(server))


def _burst(server: IOServer) -> int:
    return 0 if server.burst is None else int(server.burst.capacity)


def _part(held: float, total: float) -> float:
    return min(1.0, held / total) if total else 0.0


def metadata_seconds(cluster: Cluster, sums: dict[str, Any]) -> Seconds:
    """Per metadata server: the calls it hears, its places sharing them evenly; file f belongs to server f."""
    work = np.zeros(len(cluster.metadata))
    for number, server in enumerate(cluster.metadata):
        mine = sums["heard_file"] % len(work) == number
        kind, calls, creates = (sums[f"heard_{name}"][mine] for name in ("kind", "calls", "creates"))
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


def _disk_time(disk: Any, load: tuple[Seconds, Seconds], number: int, share: float, *, write: bool) -> float:
    bytes_, requests = load[0][number] * share, load[1][number] * share
    return float(
        bytes_ / transfer_rate(disk, write=write) + requests * sequential_ticks(disk, write=write) / 1e12
    )


def _uses(clocks: Clocks) -> tuple[Use, ...]:
    kinds = (
        ("processor", clocks.processor),
        ("server", clocks.server),
        ("disk", clocks.disk),
        ("metadata server", clocks.metadata),
    )
    return tuple(
        Use(kind, len(column), f"{kind} {int(np.argmax(column))}", float(column.max()), float(column.mean()))
        for kind, column in kinds
        if len(column)
    )


def _notes(clocks: Clocks, cluster: Cluster) -> tuple[str, ...]:
    notes = []
    if clocks.waits:
        notes.append("groups of operations wait for each other (collectives), which this rung does not see")
    if clocks.communicates:
        notes.append("ranks talk to each other: the high end lets every processor wait for every other")
    if len(cluster.socket_component) > _SOCKETS_LOOKED_AT:
        notes.append(f"routes to the servers were walked from {_SOCKETS_LOOKED_AT} evenly spread sockets")
    return tuple(notes)


def most_requests(workload: Workload, cluster: Cluster) -> int:
    """Requests of the disk that has most, whole runs of bytes counted once."""
    placement = cluster.place(workload.ranks)
    requests, start = np.zeros(max(len(cluster.servers), 1)), 0
    for application in workload.applications:
        sums = sum_up(application, cluster, placement, slice(start, start + application.ranks))
        start += application.ranks
        requests += (sums["server_reads"] + sums["server_writes"])[: len(requests)]
    return int(requests.max())
