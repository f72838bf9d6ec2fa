"""What the operations of a program hold while they are in flight: the core's objects, routes, jobs of disks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.collectives.calls import Chooser, is_placed
from striate.collectives.choice import Choice
from striate.collectives.registry import VIRTUAL, tally
from striate.collectives.schedule import ScheduleError
from striate.rungs.memory.machine import FileTraits
from striate.rungs.memory.operands import AverageRows
from striate.workload.application import Application
from striate.workload.kinds import ACCESSES, REMOTE_ACCESSES, Kind

Floats = NDArray[np.float64]

# Bytes of the core's objects, with what the heap and pools that grow add: measured by `verification/memory.py`.
CALL = 115.0  # of a rank on a file (file_service.hpp)
PART = 270.0  # its share of one server, and the message that is in flight for it
RUN = 18.0  # a byte run of a part
RELAY = 250.0  # of a part of a write that goes through a forwarder (file_wire.hpp)
LATER = 16.0  # a byte run of a window to come
JOB = 140.0  # before the disks of a server (server_queue.hpp)
SENT_OR_RECEIVED = 80.0  # by a program (point_to_point.hpp)
MESSAGE = 45.0  # in flight (traffic.hpp)
REACHED = 40.0  # an access to another rank's memory, until its epoch ends (remote_memory.hpp)
POSTED = 24.0  # a receive without its message, or the other way round (matching.hpp)
TASK = 90.0  # of a collective call
JOINED, JOINED_RUN = 130.0, 24.0  # a member of a collective access that waits for the others
GATHERED_RUN = 75.0  # of a member of a collective access through aggregators: its plan (two_phase.hpp)
EXCHANGE = 110.0  # between a member and an aggregator, both ends
MOST_SIBLINGS = 32  # streams of one pair, where messages go by turns over equal routes


@dataclass(frozen=True, slots=True, eq=False)
class RowCosts:
    """Per row, for one rank and one time."""

    taken: Floats  # bytes while it is in flight
    routes: Floats  # used at once
    messages: Floats
    parts: Floats  # servers asked, of an access
    written: Floats  # bytes
    read: Floats
    jobs: Floats  # of disks


def row_costs(application: Application, cluster: Cluster, choice: Choice, average: AverageRows) -> RowCosts:
    costs = RowCosts(*(np.zeros(application.programs.rows) for _ in range(7)))
    _point_to_point(costs, cluster, average)
    _one_sided(costs, average)
    _collectives(costs, application, choice, average)
    if cluster.servers:
        _accesses(costs, application, cluster, average)
    return costs


def _point_to_point(costs: RowCosts, cluster: Cluster, average: AverageRows) -> None:
    for kind in (Kind.SEND, Kind.SSEND, Kind.SENDRECV):
        rows = average.rows(kind)
        long = average.column(rows, kind, "bytes") > int(cluster.settings.eager)
        both = kind is Kind.SENDRECV
        costs.taken[rows] = SENT_OR_RECEIVED + MESSAGE + both * (SENT_OR_RECEIVED + POSTED)
        costs.routes[rows] = 1 + long
        costs.messages[rows] = 1 + 2 * long
    rows = average.rows(Kind.RECV)
    costs.taken[rows] = SENT_OR_RECEIVED + POSTED


def _one_sided(costs: RowCosts, average: AverageRows) -> None:
    """Data and an acknowledgement, or a request and data; a lock is asked for, granted and given back."""
    rows = average.rows(*REMOTE_ACCESSES, Kind.LOCK, Kind.UNLOCK)
    costs.taken[rows] = REACHED + MESSAGE
    costs.routes[rows] = 1.0
    costs.messages[rows] = 2.0


def _collectives(costs: RowCosts, application: Application, choice: Choice, average: AverageRows) -> None:
    chooser = Chooser(application, choice)
    members = group_sizes(application)
    for kind in (kind for kind in Kind if Kind.BARRIER <= kind <= Kind.REDUCE_SCATTER):
        rows = average.rows(kind)
        costs.taken[rows] = TASK + 2 * SENT_OR_RECEIVED + POSTED + MESSAGE
        costs.routes[rows] = 1.0
        algorithm = average.column(rows, kind, "algorithm")
        size = np.zeros(len(rows)) if kind is Kind.BARRIER else average.column(rows, kind, "bytes")
        if kind in (Kind.ALLTOALLV, Kind.REDUCE_SCATTER):
            size = size / np.maximum(members[application.programs.communicator[rows]], 1)
        for at, row in enumerate(rows.tolist()):
            group = round(members[application.programs.communicator[row]])
            name = chooser.name(kind, group, size[at], int(algorithm[at]))
            costs.messages[row] = sent_messages(kind.label, group, round(size[at]), name)


@lru_cache(maxsize=4096)
def sent_messages(kind: str, members: int, size: int, name: str) -> float:
    """Of one member, on average."""
    if name == VIRTUAL or members < 2 or is_placed(Kind[kind.upper()], name):
        return 0.0
    try:
        return float(tally(kind, members, size, name=name).sent_messages.mean())
    except ScheduleError:
        return 0.0  # the engine refuses it by name


def _accesses(costs: RowCosts, application: Application, cluster: Cluster, average: AverageRows) -> None:
    rows = average.rows(*sorted(ACCESSES))
    if not len(rows):
        return
    column = {
        name: average.column(rows, Kind.READ, name)
        for name in ("file", "offset", "bytes", "count", "stride", "extents")
    }
    kind = average.programs.kind[rows]
    writes = np.isin(kind, (Kind.WRITE, Kind.WRITE_ALL))
    traits = FileTraits.of(application, cluster)
    file = traits.rows(column["file"])
    unit, servers = traits.unit[file], traits.servers[file]
    listed = column["extents"] >= 0
    runs = np.where(listed, _listed_runs(application, column["extents"]), np.maximum(column["count"], 1))
    total = np.where(listed, column["bytes"], column["bytes"] * runs)
    runs = np.where(~listed & (column["stride"] == column["bytes"]), 1.0, runs)
    window = np.where(writes, int(cluster.settings.write_window), int(cluster.settings.read_window))
    share = np.where(window > 0, np.minimum(1.0, np.maximum(window, 1) / np.maximum(total, 1)), 1.0)
    later = np.where(window > 0, LATER * runs, 0.0)
    size = total / np.maximum(runs, 1)
    aligned = _aligned(average, rows, unit) & (size % unit == 0)
    strips = np.maximum(1.0, np.where(aligned, size / unit, 1 + (size - 1) / unit))
    per_run = np.minimum(servers, strips)
    pieces = runs * per_run
    same_servers = ~listed & (runs > 1) & (column["stride"] % (unit * servers) == 0)
    parts = np.where(same_servers, per_run, np.minimum(servers, pieces))
    pieces_now = np.maximum(pieces * share, 1)
    parts_now = np.minimum(parts, pieces_now)
    packet = float(cluster.settings.packet)
    jobs = parts * np.maximum(1.0, total / np.maximum(parts, 1) / packet) + np.maximum(0, pieces - parts)
    requests = np.maximum(pieces_now, total * share / float(cluster.settings.io_request))
    waiting = np.where(writes, 0.0, np.where(pieces > parts, requests, parts_now)) * JOB
    relayed = np.where(writes, RELAY, 0.0) if cluster.forwarders else 0.0
    direct = CALL + parts_now * (PART + relayed) + pieces_now * RUN + later + waiting

    together = np.isin(kind, (Kind.READ_ALL, Kind.WRITE_ALL))
    joined = np.where(together, JOINED + JOINED_RUN * runs, 0.0)
    gathered = together & traits.gathered[file]
    members = np.maximum(group_sizes(application)[average.programs.communicator[rows]], 1)
    aggregators = np.minimum(traits.aggregators[file], members)
    portion = np.maximum(np.minimum(traits.buffer[file], total * members / aggregators), 1)
    rounds = np.ceil(total * members / (aggregators * portion))
    pieces = runs * (1 + size / portion)
    exchanged = np.minimum(pieces, aggregators * rounds)
    share_of_access = aggregators / members
    accessed = CALL + np.minimum(servers, 1 + portion / unit) * PART
    through = joined + pieces * GATHERED_RUN + exchanged * EXCHANGE + share_of_access * accessed

    costs.taken[rows] = np.where(gathered, through, direct + joined)
    siblings = np.zeros(len(rows))
    if cluster.settings.routing == "round-robin":  # each packet of a file is a message of its own
        siblings = np.minimum(np.ceil(total / np.maximum(parts, 1) / packet), MOST_SIBLINGS)
    costs.routes[rows] = np.where(gathered, 2.0, parts_now * (2 + siblings))
    costs.messages[rows] = np.where(writes, 3.0, 2.0) * parts
    costs.parts[rows] = parts
    costs.written[rows] = np.where(writes, total, 0.0)
    costs.read[rows] = np.where(writes, 0.0, total)
    costs.jobs[rows] = jobs


def _listed_runs(application: Application, numbers: Floats) -> Floats:
    if not len(application.extents):
        return np.ones_like(numbers)
    lengths = np.diff(application.extents.first)
    found: Floats = lengths[np.clip(numbers, 0, len(lengths) - 1).astype(np.int64)].astype(float)
    return np.maximum(found, 1)


def _aligned(average: AverageRows, rows: NDArray[np.int64], unit: Floats) -> NDArray[np.bool_]:
    """Whether accesses begin at strips."""
    at = average.operand(rows, Kind.READ, "offset")
    programs = average.programs
    found: NDArray[np.bool_] = (
        (programs.constant[at] % unit == 0) & (programs.per_rank[at] % unit == 0) & (programs.table[at] < 0)
    )
    return found


def group_sizes(application: Application) -> Floats:
    """Ranks in a group of each communicator, on average."""
    sizes = []
    for number in range(len(application.communicators)):
        groups = application.groups(number)
        sizes.append(float(np.mean(np.diff(groups.first))) if len(groups.first) > 1 else 1.0)
    return np.array(sizes)
