"""Measures of a layout at work: degree and depth of parallelism, locality, balance, speedup (thesis 003)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from striate.errors import LayoutError
from striate.layout.columns import Whole, positive, whole_numbers
from striate.layout.distributions.simple_stripe import SimpleStripe
from striate.layout.extents import Extents
from striate.layout.layout import Layout

DepthMode = Literal["stripes", "whole stripes", "strips"]


def servers_accessed(layout: Layout, extents: Extents) -> int:
    """N_io_acc: how many servers hold a byte of the runs."""
    if isinstance(layout, SimpleStripe) and len(extents) == 1:
        return _stripe_servers(layout, int(extents.offsets[0]), int(extents.sizes[0]))
    return len(np.unique(layout.split(extents).server))


def _stripe_servers(layout: SimpleStripe, offset: int, size: int) -> int:
    if size == 0:
        return 0
    strips = (offset + size - 1) // layout.unit - offset // layout.unit + 1
    return min(strips, layout.servers)


def degree_of_parallelism(accessed: int, servers: int) -> float:
    """delta_iox in percent: servers accessed of all there are (equation 3.3)."""
    if not 0 <= accessed <= positive(servers, "servers"):
        raise LayoutError(f"expected a number of accessed servers from 0 to {servers}, got {accessed}")
    return 100 * accessed / servers


def depth_of_parallelism(size: int, unit: int, servers: int, mode: DepthMode = "stripes") -> float:
    """delta_ioz: stripes that one operation of `size` bytes needs (section 3.3).

    A ratio by default, as section 7.8 uses it; "whole stripes" rounds up; "strips" counts strips, as the rows
    with ss = 1024 of tables A.5 and A.6 do.
    """
    positive(unit, "a striping unit")
    if mode == "strips":
        return size / unit
    stripes = size / (unit * positive(servers, "servers"))
    return float(-(-size // (unit * servers))) if mode == "whole stripes" else stripes


def largest_unit(size: int, servers: int) -> float:
    """su_max = data / servers, a real number: a unit no larger uses every server (equation 7.4)."""
    return size / positive(servers, "servers")


def largest_whole_unit(size: int, servers: int) -> int:
    """su_max rounded down to bytes: never too large."""
    return size // positive(servers, "servers")


def largest_unit_reaching_all(size: int, servers: int) -> int:
    """The exact limit: the largest unit with which `size` bytes from offset 0 touch every server.

    size / unit > servers - 1 is all it takes, so equation 7.4 asks for more than is needed. Refuses one
    server, which every unit reaches.
    """
    if positive(servers, "servers") == 1:
        raise LayoutError(
            "expected at least two servers, got 1: with one server the striping unit does not matter"
        )
    return -(-size // (servers - 1)) - 1


def smallest_chunk(size: int, servers: int) -> float:
    """vscs_min: a server's share of one generation's data, the chunk for lambda = 1 (section 7.7.2)."""
    return size / positive(servers, "servers")


def largest_chunk(size: int, servers: int, largest_buffering: int) -> float:
    """vscs_max: the varstrip chunk when as many generations are buffered as memory holds."""
    return smallest_chunk(size, servers) * positive(largest_buffering, "generations buffered")


def local_share(layout: Layout, accesses: Sequence[Extents], nodes: Whole | None = None) -> float:
    """Share of the bytes that land on the server of the rank that writes them.

    `accesses[r]` are the runs of rank r, whose own server is `nodes[r]`, or r itself. Refuses no bytes at
    all.
    """
    own = np.arange(len(accesses)) if nodes is None else whole_numbers(nodes, "nodes")
    total = sum(extents.total_bytes for extents in accesses)
    if total == 0:
        raise LayoutError("expected accesses of at least one byte, got none")
    local = 0
    for extents, server in zip(accesses, own.tolist(), strict=True):
        pieces = layout.split(extents)
        local += int(pieces.size[pieces.server == server].sum())
    return local / total


def load_balance(server_bytes: Whole) -> float:
    """Mean over largest load of the servers: 1 when all carry the same, 1 / servers when one carries all."""
    loads = whole_numbers(server_bytes, "bytes on servers")
    if loads.size == 0 or int(loads.max()) <= 0:
        raise LayoutError("expected bytes on at least one server, got none")
    total: int = sum(loads.tolist())
    return total / len(loads) / int(loads.max())


def speedup(serial_seconds: float, parallel_seconds: float) -> float:
    """Time with serial I/O over time with parallel I/O, both on as many processes (equation 7.1)."""
    return serial_seconds / _seconds(parallel_seconds)


def efficiency(speedup_value: float, processors: int) -> float:
    """Speedup per processor (equation 7.2)."""
    return speedup_value / positive(processors, "processors")


def time_difference(reference_seconds: float, seconds: float) -> float:
    """Delta_perf in percent: how much less time than the reference, below zero for more (equation 7.3)."""
    return 100 * (_seconds(reference_seconds) - seconds) / reference_seconds


def _seconds(value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise LayoutError(f"expected a run time above 0 s, got {value}")
    return value
