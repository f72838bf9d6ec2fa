"""The machine at either end of its measured ranges."""

from __future__ import annotations

import msgspec

from striate.cluster.build import build
from striate.cluster.cluster import Cluster
from striate.cluster.measured import read_like, replaced, steps_of, value_at
from striate.cluster.quantities import Load, Ticks


def at_end(cluster: Cluster, *, fast: bool) -> Cluster:
    """The machine with every measured number at the fast or the slow end of its range; itself when none has one."""
    description = cluster.description
    if description is None or not description.measured:
        return cluster
    for table in description.measured:
        value = value_at(description, table.key)
        small = isinstance(value, Ticks | Load) == fast  # short times, small loads, large rates
        end = read_like(value, table.low if small else table.high, table.key)
        description = replaced(description, steps_of(table.key), end)
    return build(msgspec.structs.replace(description, measured=()))
