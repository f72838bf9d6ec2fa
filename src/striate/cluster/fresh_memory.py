"""What new data costs where a server's memory has to come from a virtual machine's host first.

A host takes free memory back after a moment. What a program then writes fills the memory that is still at hand at full
speed, and the rest as fast as the host gives memory out, to every CPU that writes.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from striate.cluster.build import build
from striate.cluster.cluster import Cluster
from striate.cluster.description.quantities import BytesPerSecond
from striate.cluster.description.tables import ServerTable


def as_met(cluster: Cluster, *, written: int, read: int, ranks: int) -> Cluster:
    """The cluster as a program meets it that writes and reads so many bytes: its servers' links slowed down.

    The slowdown is spread over the run, so that in all the bytes take as long as with both speeds one after the other.
    Servers take equal shares of the bytes.
    """
    description = cluster.description
    if description is None or all(table.cache.fresh_rate is None for table in description.server):
        return cluster
    servers = sum(table.count for table in description.server)
    writers = max(1.0, min(ranks, cluster.cpus) / servers)
    tables = tuple(_as_met(table, written / servers, read / servers, writers) for table in description.server)
    if tables == description.server:
        return cluster
    ranges = tuple(one for one in description.measured if not one.key.endswith(".nic.link.bandwidth"))
    slowed = msgspec.structs.replace(description, server=tables, measured=ranges)
    return replace(build(slowed), plugins=cluster.plugins)


def _as_met(table: ServerTable, written: float, read: float, writers: float) -> ServerTable:
    cache, nic = table.cache, table.nic
    if cache.fresh_rate is None or cache.ready is None or nic is None:
        return table
    fast = float(nic.link.bandwidth)
    fresh = max(0.0, written - cache.ready)
    slow = min(writers * cache.fresh_rate, fast)
    if not fresh or slow == fast:
        return table
    moved = written + read
    rate = moved / ((moved - fresh) / fast + fresh / slow)
    link = msgspec.structs.replace(nic.link, bandwidth=BytesPerSecond(rate))
    return msgspec.structs.replace(table, nic=msgspec.structs.replace(nic, link=link))
