"""What the file service of the core needs beside the servers: metadata servers, forwarders, collective access."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.cluster.placement import Placement
from striate.layout.distributions.progressive import Progressive
from striate.layout.parse import parse
from striate.workload.application import Application, File
from striate.workload.collective_io import METHODS, CollectiveMethod, parse_aggregators, parse_collective

Int64s = NDArray[np.int64]
_layout = lru_cache(maxsize=4096)(parse)


@dataclass(frozen=True, slots=True, eq=False)
class MetadataColumns:
    """One row per metadata server: picoseconds of an operation (close: -1, none is sent), and how many at once."""

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
    cyclic: Int64s  # 1: file domains are stripes in turn


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


def usual_method(cluster: Cluster) -> CollectiveMethod:
    """How collective calls access the files that do not say so themselves."""
    settings = cluster.settings
    count, per_stripe = parse_aggregators(str(settings.aggregators))
    return CollectiveMethod(settings.collective, count, per_stripe=per_stripe)


def collective_table(application: Application, cluster: Cluster) -> CollectiveTable:
    """The files' own methods of collective access, then the cluster's."""
    settings, usual = cluster.settings, usual_method(cluster)
    own = [
        (file, parse_collective(file.collective) if file.collective is not None else usual)
        for file in application.files
        if file.collective is not None or file.layout is not None
    ]
    stripings = [*(_striping(file, cluster) for file, _ in own), _striping(None, cluster)]
    rows = [*((file.first, file.count, rule) for file, rule in own), (0, 0, usual)]
    domains = [rule.domains or settings.file_domains for _, _, rule in rows]
    return CollectiveTable(
        first=_column([first for first, _, _ in rows]),
        count=_column([count for _, count, _ in rows]),
        method=_column([METHODS.index(rule.method) for _, _, rule in rows]),
        aggregators=_column(
            [rule.aggregators_of(one.stripes) for (_, _, rule), one in zip(rows, stripings, strict=True)]
        ),
        buffer=_column(
            [int(settings.collective_buffer) if rule.buffer is None else rule.buffer for _, _, rule in rows]
        ),
        align=_column(
            [
                {"contiguous": int(settings.stripe_unit), "cyclic": one.unit, "equal": 1}[kind]
                for kind, one in zip(domains, stripings, strict=True)
            ]
        ),
        cyclic=_column([int(kind == "cyclic") for kind in domains]),
    )


@dataclass(frozen=True, slots=True)
class _Striping:
    stripes: int
    unit: int


def _striping(file: File | None, cluster: Cluster) -> _Striping:
    """Over how many objects a file is spread, and its striping unit; of a progressive layout the last component's."""
    unit = int(cluster.settings.stripe_unit)
    if file is None or file.layout is None:
        return _Striping(max(len(cluster.servers), 1), unit)
    layout = _layout(file.layout)
    if isinstance(layout, Progressive):
        last = layout.components[-1]
        return _Striping(len(last.targets), last.unit)
    return _Striping(layout.servers, int(getattr(layout, "unit", unit)))


def uses_aggregators(application: Application, cluster: Cluster) -> bool:
    """Whether collective access may go through aggregators: of some file, or by the cluster's default."""
    return bool((collective_table(application, cluster).method != METHODS.index("direct")).any())


def _column(values: list[int]) -> Int64s:
    return np.array(values, np.int64)
