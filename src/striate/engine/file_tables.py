"""What the file service of the core needs beside the servers: metadata servers, forwarders, collective access."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.cluster.placement import Placement
from striate.workload.application import Application
from striate.workload.collective_io import ALL, METHODS, NODES, CollectiveMethod, parse_collective

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class MetadataColumns:
    """One row a metadata server: picoseconds of an operation (close: -1 where it is not told), and how many at once."""

    open: Int64s
    create: Int64s
    stat: Int64s
    delete: Int64s
    close: Int64s
    concurrent: Int64s


@dataclass(frozen=True, slots=True, eq=False)
class Forwarding:
    """Per rank its forwarder or -1 (empty: nobody has one); per forwarder what it gathers and whom it relays to."""

    of_rank: NDArray[np.int32]
    aggregate: Int64s
    relays_to: NDArray[np.uint8]  # forwarder x server, flat


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveTable:
    """Row i: how files `first[i]` up to `first[i] + count[i]` are accessed; the last row is for all others."""

    first: Int64s
    count: Int64s
    method: Int64s
    aggregators: Int64s
    buffer: Int64s
    align: Int64s


def metadata_columns(cluster: Cluster) -> MetadataColumns:
    """The columns of `cluster.metadata`."""
    servers = cluster.metadata
    times = {
        name: _column([getattr(one, name) for one in servers])
        for name in ("open", "create", "stat", "delete")
    }
    close = _column([-1 if server.close is None else server.close for server in servers])
    return MetadataColumns(
        **times, close=close, concurrent=_column([server.concurrent for server in servers])
    )


def forwarding(cluster: Cluster, placement: Placement) -> Forwarding:
    """Which forwarder carries the files of each rank: the first that serves its node."""
    relays = cluster.forwarders
    of_node = np.full(cluster.nodes, -1, np.int32)
    for number, relay in reversed(list(enumerate(relays))):
        of_node[list(relay.nodes)] = number
    relays_to = np.zeros((len(relays), len(cluster.servers)), np.uint8)
    for number, relay in enumerate(relays):
        relays_to[number, list(relay.servers)] = 1
    of_rank = of_node[placement.node] if relays else np.empty(0, np.int32)
    return Forwarding(of_rank, _column([relay.aggregate for relay in relays]), relays_to.reshape(-1))


def collective_table(application: Application, cluster: Cluster) -> CollectiveTable:
    """The files' own methods of collective access, then the cluster's."""
    settings = cluster.settings
    named = {"all": ALL, "nodes": NODES}
    counted = settings.aggregators
    usual = CollectiveMethod(settings.collective, named[counted] if isinstance(counted, str) else counted)
    own = [
        (file.first, file.count, parse_collective(file.collective))
        for file in application.files
        if file.collective is not None
    ]
    rows = [*own, (0, 0, usual)]
    return CollectiveTable(
        first=_column([first for first, _, _ in rows]),
        count=_column([count for _, count, _ in rows]),
        method=_column([METHODS.index(rule.method) for _, _, rule in rows]),
        aggregators=_column([rule.aggregators for _, _, rule in rows]),
        buffer=_column(
            [int(settings.collective_buffer) if rule.buffer is None else rule.buffer for _, _, rule in rows]
        ),
        align=np.full(len(rows), int(settings.stripe_unit), np.int64),
    )


def uses_aggregators(application: Application, cluster: Cluster) -> bool:
    """Whether collective access may go through aggregators: of some file, or by the cluster's default."""
    return bool((collective_table(application, cluster).method != METHODS.index("direct")).any())


def _column(values: list[int]) -> Int64s:
    return np.array(values, np.int64)
