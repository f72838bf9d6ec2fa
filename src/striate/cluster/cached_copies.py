"""What copies cost a program that uses one buffer again and again: a small one stays in a CPU's cache."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from striate.cluster.build import build
from striate.cluster.cluster import Cluster
from striate.cluster.description.quantities import BytesPerSecond

_COPIES = ("write_copy", "read_copy")


def with_cached_copies(cluster: Cluster, reused_buffer: int | None) -> Cluster:
    """The cluster for a program whose accesses all use one buffer per rank of so many bytes; None: not known."""
    description, rates = cluster.description, cached_rates(cluster, reused_buffer)
    if description is None or not rates:
        return cluster
    ranges = tuple(one for one in description.measured if one.key.removeprefix("settings.") not in rates)
    settings = msgspec.structs.replace(description.settings, **rates)
    found = msgspec.structs.replace(description, settings=settings, measured=ranges)
    return replace(build(found), plugins=cluster.plugins)


def cached_rates(cluster: Cluster, reused_buffer: int | None) -> dict[str, BytesPerSecond]:
    """The rates of copies in a cache, by the settings that they replace.

    None where the buffer is too large to stay in a cache, or the description has no such rates.
    """
    settings = cluster.settings
    if reused_buffer is None or reused_buffer > settings.cached_buffer:
        return {}
    found = {key: getattr(settings, f"{key}_cached") for key in _COPIES}
    return {key: rate for key, rate in found.items() if rate is not None}
