"""The machine at either end of its measured ranges."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from striate.cluster.build import build
from striate.cluster.cluster import Cluster
from striate.cluster.description.measured import read_like, replaced, steps_of, value_at
from striate.cluster.description.quantities import Load, Ticks
from striate.cluster.description.tables import Description, MeasuredTable


def at_end(cluster: Cluster, *, fast: bool) -> Cluster:
    """The machine with every measured number at the fast or the slow end of its range; itself when none has one."""
    description = cluster.description
    if description is None or not description.measured:
        return cluster
    return _moved(description, description.measured, fast=fast)


def one_at_ends(cluster: Cluster) -> list[tuple[Cluster, Cluster]]:
    """For each measured number, the machine with this one at the fast and at the slow end of its range."""
    description = cluster.description
    if description is None:
        return []
    return [
        (_moved(description, (table,), fast=True), _moved(description, (table,), fast=False))
        for table in description.measured
        if table.low != table.high
    ]


def _moved(description: Description, tables: Sequence[MeasuredTable], *, fast: bool) -> Cluster:
    for table in tables:
        value = value_at(description, table.key)
        small = isinstance(value, Ticks | Load) == fast  # short times, small loads, large rates and memories
        end = read_like(value, table.low if small else table.high, table.key)
        description = replaced(description, steps_of(table.key), end)
    return build(msgspec.structs.replace(description, measured=()))
