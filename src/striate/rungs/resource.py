"""The first rung: per resource the sum of its work; the largest sum is the estimate (paper 004, section 5.1).

Resources are processors (a CPU, with the protocol work of the ranks on it), servers (the protocol work of an I/O
server) and disks. The lower bound is what no run can beat (`floor.py`); the ceiling lets everything that might wait do
so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate._core import Ledger
from striate.cluster.cluster import Cluster
from striate.cluster.placement import Placement
from striate.collectives.choice import Choice
from striate.engine.file_tables import uses_aggregators
from striate.interval import Interval
from striate.rungs.answer import Use, Verdict, uses_of
from striate.rungs.floor import Floor
from striate.rungs.ledger import sum_up
from striate.rungs.machine_parts import refuse_parts, unmodelled_parts
from striate.rungs.server_routes import SOCKETS_LOOKED_AT, server_routes_of
from striate.rungs.storage_work import disk_seconds, metadata_seconds, unhidden_seconds
from striate.workload.application import Application
from striate.workload.workload import Workload

Seconds = NDArray[np.float64]
NAME = "resource"


@dataclass(frozen=True, slots=True, eq=False)
class Clocks:
    """Seconds of work per resource, and the errors that section 5.1 adds for the worst case."""

    processor: Seconds  # per CPU in use
    processor_error: Seconds  # E_overlap: CPU time that I/O calls take
    server: Seconds  # per I/O server
    disk: Seconds  # per server: the busiest of its disks
    disk_unhidden: Seconds  # the same without what the server's memory may hide
    disk_error: Seconds  # E_rand_io + E_io_var
    metadata: Seconds  # per metadata server
    floor: float  # what CPUs, interfaces and links need at least, until the last of them is done
    communicates: bool
    waits: bool  # barriers and collectives: groups of events that wait for each other


def predict_resource(workload: Workload, cluster: Cluster, choice: Choice | None = None) -> Verdict:
    """Run the rung; refuses machines with parts that it does not model, and ranks without a route."""
    refuse_parts(workload, unmodelled_parts(workload, cluster))
    clocks = clocks_of(workload, cluster, choice)
    low = max(clocks.floor, _largest(clocks.disk_unhidden, clocks.metadata))
    estimate = max(low, _largest(clocks.processor, clocks.server, clocks.disk, clocks.metadata))
    high = max(estimate, _ceiling(clocks))
    aggregated = any(uses_aggregators(application, cluster) for application in workload.applications)
    return Verdict(
        Interval(low, estimate, high), _uses(clocks), _notes(clocks, cluster, aggregated=aggregated)
    )


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


def clocks_of(workload: Workload, cluster: Cluster, choice: Choice | None = None) -> Clocks:
    """Sum the work of every resource over all applications; `choice` picks the algorithms of collectives."""
    placement = cluster.place(workload.ranks)
    floor = Floor(cluster, placement)
    least, least_of_nodes = 0.0, dict[int, Seconds]()
    cpus, cpu_of_rank = np.unique(placement.cpu, return_inverse=True)
    routes = server_routes_of(cluster, placement)
    work: dict[int, Seconds] = {}  # by the time at which it may start
    processor_error = np.zeros(len(cpus))
    servers = len(cluster.servers)
    server, read, reads, written, writes = np.zeros((5, servers))
    sure_load = np.zeros((4, servers))
    metadata = np.zeros(len(cluster.metadata))
    communicates = waits = False
    start = 0
    for application in workload.applications:
        ranks = slice(start, start + application.ranks)
        start += application.ranks
        sums = sum_up(application, cluster, placement, ranks, choice)
        sure = _independent(application, cluster, placement, ranks, choice) or sums
        computing = floor.computing(sure, ranks)
        begin = application.start_picoseconds
        least = max(least, begin / 1e12 + float(floor.rank_seconds(sure, computing, ranks).max()))
        nodes = least_of_nodes.setdefault(begin, np.zeros(cluster.nodes))
        nodes += floor.node_seconds(computing, sure.computes, ranks)
        mine = cpu_of_rank[ranks]
        instruction_rate = _instruction_rate(cluster, placement, ranks)
        bytes_ = sums.read_bytes + sums.written_bytes
        own = sums.compute_seconds + sums.instructions / instruction_rate + sums.communication_seconds
        moved = (sums.server_read + sums.server_written)[:servers]
        own += routes.client_seconds(ranks, bytes_, sums.accesses, moved)
        others = work.setdefault(application.start_picoseconds, np.zeros(len(cpus)))
        others += np.bincount(mine, own, len(cpus))
        processor_error += np.bincount(mine, sums.accesses * cluster.settings.io_cpu / 1e12, len(cpus))
        server += routes.server_seconds(ranks, bytes_, moved)
        for load, one in zip((read, reads, written, writes), _server_load(sums, servers), strict=True):
            load += one
        for load, one in zip(sure_load, _server_load(sure, servers), strict=True):
            load += one
        metadata += metadata_seconds(cluster, sums)
        communicates |= bool(sums.exchanges.any())
        waits |= sums.barriers > 0
    processor = finished(work)
    disk, error = disk_seconds(cluster, (read, reads), (written, writes))
    unhidden = unhidden_seconds(cluster, sure_load)
    least = max(least, _largest(finished(least_of_nodes), floor.server_seconds(*_moved(sure_load))))
    return Clocks(
        processor, processor_error, server, disk, unhidden, error, metadata, least, communicates, waits
    )


def _server_load(sums: Ledger, servers: int) -> tuple[NDArray[np.int64], ...]:
    """Bytes read, requests, bytes written, requests; per server."""
    columns = (sums.server_read, sums.server_reads, sums.server_written, sums.server_writes)
    return tuple(column[:servers] for column in columns)


def _moved(load: Seconds) -> tuple[Seconds, Seconds, Seconds]:
    """Bytes read, bytes written, and all requests."""
    read, reads, written, writes = load
    return read, written, reads + writes


def _independent(
    application: Application,
    cluster: Cluster,
    placement: Placement,
    ranks: slice,
    choice: Choice | None,
) -> Ledger | None:
    """Sums without collective access, where aggregators may move its bytes and fetch what several want once."""
    if not uses_aggregators(application, cluster):
        return None
    return sum_up(application, cluster, placement, ranks, choice, independent_only=True)


def finished(work: dict[int, Seconds]) -> Seconds:
    """When each CPU is done at the earliest: some start, and all the work that may not begin before it."""
    later = done = np.zeros_like(next(iter(work.values())))
    for start in sorted(work, reverse=True):
        later = later + work[start]
        done = np.maximum(done, np.where(work[start] > 0, start / 1e12, 0.0) + later)
    return done


def _instruction_rate(cluster: Cluster, placement: Placement, ranks: slice) -> Seconds:
    rates = np.array([kind.instructions_per_second for kind in cluster.node_types])
    return np.asarray(rates[cluster.node_type[placement.node[ranks]]])


def _uses(clocks: Clocks) -> tuple[Use, ...]:
    return uses_of(
        ("processor", clocks.processor),
        ("server", clocks.server),
        ("disk", clocks.disk),
        ("metadata server", clocks.metadata),
    )


def _notes(clocks: Clocks, cluster: Cluster, *, aggregated: bool) -> tuple[str, ...]:
    notes = []
    if aggregated:
        notes.append(
            "collective access through aggregators is charged as direct access, and left out of the lower bound"
        )
    if clocks.waits:
        notes.append("groups of operations wait for each other (collectives), which this rung does not model")
    if clocks.communicates:
        notes.append("ranks communicate: the upper bound assumes that every processor waits for every other")
    if len(cluster.socket_component) > SOCKETS_LOOKED_AT:
        notes.append(f"routes to the servers were computed from {SOCKETS_LOOKED_AT} evenly spread sockets")
    return tuple(notes)


def most_requests(workload: Workload, cluster: Cluster) -> int:
    """Requests of the disk that has most, whole runs of bytes counted once."""
    placement = cluster.place(workload.ranks)
    requests, start = np.zeros(max(len(cluster.servers), 1)), 0
    for application in workload.applications:
        sums = sum_up(application, cluster, placement, slice(start, start + application.ranks))
        start += application.ranks
        requests += (sums.server_reads + sums.server_writes)[: len(requests)]
    return int(requests.max())
