"""Measures of what ranks ask of a layout: servers, degree and depth of parallelism, runs, balance, locality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from striate.layout.access_plan import plan_access
from striate.layout.distributions.simple_stripe import SimpleStripe
from striate.layout.distributions.two_d_stripe import TwoDStripe
from striate.layout.extents import Extents
from striate.layout.layout import Layout
from striate.layout.metrics import (
    degree_of_parallelism,
    depth_of_parallelism,
    largest_whole_unit,
    load_balance,
    local_share,
)


@dataclass(frozen=True, slots=True)
class AccessMeasure:
    """One rank's access: a request to every server it reaches, in runs of contiguous bytes there."""

    rank: int
    bytes: int
    servers: int  # N_io_acc
    degree_percent: float  # of all servers (equation 3.3)
    depth: float | None  # stripes (section 3.3); None for a layout without a striping unit
    runs: int


@dataclass(frozen=True, slots=True)
class LayoutMeasure:
    """All ranks' accesses at once."""

    layout: str
    servers: int
    accesses: tuple[AccessMeasure, ...]
    server_bytes: tuple[int, ...]
    balance: float  # mean over largest load of the servers
    local_share: float  # of the bytes, where rank r runs on the node of server r modulo servers
    largest_unit: int  # su_max of the smallest access (equation 7.4): a unit no larger uses every server


def measure_layout(layout: Layout, accesses: Sequence[Extents]) -> LayoutMeasure:
    """Measures of `accesses`, one of each rank; refuses accesses without any bytes."""
    loads = np.zeros(layout.servers, np.int64)
    measured = []
    for rank, extents in enumerate(accesses):
        plan = plan_access(layout, extents)
        np.add.at(loads, plan.server, plan.request_bytes)
        measured.append(_measured(layout, rank, extents.total_bytes, len(plan.server), len(plan.size)))
    return LayoutMeasure(
        str(layout),
        layout.servers,
        tuple(measured),
        tuple(loads.tolist()),
        load_balance(loads),
        local_share(layout, accesses, np.arange(len(accesses)) % layout.servers),
        largest_whole_unit(min(one.bytes for one in measured if one.bytes), layout.servers),
    )


def _measured(layout: Layout, rank: int, size: int, servers: int, runs: int) -> AccessMeasure:
    unit = layout.unit if isinstance(layout, SimpleStripe | TwoDStripe) else None
    return AccessMeasure(
        rank,
        size,
        servers,
        degree_of_parallelism(servers, layout.servers),
        None if unit is None else depth_of_parallelism(size, unit, layout.servers),
        runs,
    )
