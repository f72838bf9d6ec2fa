"""What copies cost a program that uses one buffer again and again: a small one stays in a CPU's cache."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from striate.cluster.build import build
from striate.cluster.cluster import Cluster, Nic
from striate.cluster.description.measured import value_at
from striate.cluster.description.quantities import BytesPerSecond
from striate.cluster.description.tables import Description, Socket

_COPIES = ("write_copy", "read_copy")


def with_cached_copies(cluster: Cluster, reused_buffer: int | None) -> Cluster:
    """The cluster for a program whose accesses all use one buffer per rank of so many bytes; None: not known."""
    description, rates = cluster.description, cached_rates(cluster, reused_buffer)
    if description is None or not rates:
        return cluster
    found = msgspec.structs.replace(
        description, settings=msgspec.structs.replace(description.settings, **rates)
    )
    if description.network is None:
        found = _through_memory(found, rates, gain=_gain(cluster, rates))
    ranges = tuple(
        one for one in description.measured if value_at(found, one.key) == value_at(description, one.key)
    )
    return replace(build(msgspec.structs.replace(found, measured=ranges)), plugins=cluster.plugins)


def cached_rates(cluster: Cluster, reused_buffer: int | None) -> dict[str, BytesPerSecond]:
    """The rates of copies in a cache, by the settings that they replace.

    None where the buffer is too large to stay in a cache, or the description has no such rates.
    """
    settings = cluster.settings
    if reused_buffer is None or reused_buffer > settings.cached_buffer:
        return {}
    found = {key: getattr(settings, f"{key}_cached") for key in _COPIES}
    return {key: rate for key, rate in found.items() if rate is not None}


def _gain(cluster: Cluster, rates: dict[str, BytesPerSecond]) -> float:
    """How many times as fast copies are in a cache, those that gain most; at least once."""
    return max(1.0, *(rate / float(getattr(cluster.settings, key)) for key, rate in rates.items()))


def _through_memory(
    description: Description, rates: dict[str, BytesPerSecond], *, gain: float
) -> Description:
    """On a lone node all data go through memory: what ranks share gains as copies do, no rank's link limits its copies.

    Its numbers were measured with data that are in no cache.
    """
    nodes = tuple(
        msgspec.structs.replace(
            table,
            nic=_linked(table.nic, max(table.nic.link.bandwidth, *rates.values())),
            socket=_gained(table.socket, gain),
        )
        for table in description.node
    )
    servers = tuple(
        msgspec.structs.replace(table, nic=table.nic and _linked(table.nic, gain * table.nic.link.bandwidth))
        for table in description.server
    )
    return msgspec.structs.replace(description, node=nodes, server=servers)


def _gained(socket: Socket, gain: float) -> Socket:
    local = socket.local_bandwidth
    return Socket(
        BytesPerSecond(gain * socket.bandwidth), None if local is None else BytesPerSecond(gain * local)
    )


def _linked(nic: Nic, rate: float) -> Nic:
    link = msgspec.structs.replace(nic.link, bandwidth=BytesPerSecond(rate))
    return msgspec.structs.replace(nic, link=link)
