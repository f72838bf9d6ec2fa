"""What new data costs where a server's memory has to come from a virtual machine's host first.

A host takes free memory back after a moment. What a program then writes fills the memory that is still at hand at full
speed, and the rest as fast as the host gives memory out, to every CPU that writes.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from striate.cluster.build import build
from striate.cluster.cluster import Cluster
from striate.cluster.description.quantities import Bytes, BytesPerSecond
from striate.cluster.description.tables import Description, ServerTable

_SLOWED = (".nic.link.bandwidth", "settings.write_copy")  # ends of keys whose numbers may leave their ranges

_AT_HAND = ".cache.ready"


def as_met(cluster: Cluster, *, new: int, written: int, read: int, ranks: int) -> Cluster:
    """The cluster as a program meets it that writes and reads so many bytes, `new` of them in new places.

    The slowdown is spread over the run, so that in all the bytes take as long as with both speeds one after the other.
    Where CPUs of ranks copy what they write, it is in their copies; else in the links of the servers, which take equal
    shares of the bytes.
    """
    description = cluster.description
    if description is None or all(table.cache.fresh_rate is None for table in description.server):
        return cluster
    if (copy := description.settings.write_copy) is not None:
        slow = _slowed_copy(description, copy, new, written)
    else:
        slow = _slowed_links(description, cluster.cpus, new, written + read, ranks)
    if slow == description:
        return cluster
    ranges = tuple(one for one in description.measured if not one.key.endswith(_SLOWED))
    return replace(build(msgspec.structs.replace(slow, measured=ranges)), plugins=cluster.plugins)


def made_ready(cluster: Cluster, size: int) -> Cluster:
    """The cluster as a program meets it for which so many bytes of memory were made ready before it began."""
    description = cluster.description
    if description is None:
        return cluster
    tables = tuple(_with_ready(table, size) for table in description.server)
    ranges = tuple(one for one in description.measured if not one.key.endswith(_AT_HAND))
    found = msgspec.structs.replace(description, server=tables, measured=ranges)
    return replace(build(found), plugins=cluster.plugins)


def _with_ready(table: ServerTable, size: int) -> ServerTable:
    cache = table.cache
    if cache.fresh_rate is None:
        return table
    ready = Bytes(max(size, cache.ready or 0))
    return msgspec.structs.replace(table, cache=msgspec.structs.replace(cache, ready=ready))


def _slowed_copy(description: Description, copy: float, new: int, written: int) -> Description:
    tables = [table for table in description.server if table.cache.fresh_rate is not None]
    fresh = max(0, new - sum(table.count * (table.cache.ready or 0) for table in tables))
    rate = _average(copy, min(float(table.cache.fresh_rate or copy) for table in tables), fresh, written)
    settings = msgspec.structs.replace(description.settings, write_copy=BytesPerSecond(rate))
    return msgspec.structs.replace(description, settings=settings)


def _slowed_links(description: Description, cpus: int, new: int, moved: int, ranks: int) -> Description:
    servers = sum(table.count for table in description.server)
    writers = max(1.0, min(ranks, cpus) / servers)
    tables = tuple(_slowed(table, new / servers, moved / servers, writers) for table in description.server)
    return msgspec.structs.replace(description, server=tables)


def _slowed(table: ServerTable, new: float, moved: float, writers: float) -> ServerTable:
    cache, nic = table.cache, table.nic
    if cache.fresh_rate is None or cache.ready is None or nic is None:
        return table
    rate = _average(float(nic.link.bandwidth), writers * cache.fresh_rate, max(0.0, new - cache.ready), moved)
    link = msgspec.structs.replace(nic.link, bandwidth=BytesPerSecond(rate))
    return msgspec.structs.replace(table, nic=msgspec.structs.replace(nic, link=link))


def _average(fast: float, slow: float, fresh: float, moved: float) -> float:
    """The rate of all bytes, `fresh` of which are moved at the slower one."""
    return moved / ((moved - fresh) / fast + fresh / slow) if fresh and slow < fast else fast
