"""Titan in emulated form: a database of satellite data, queried window after window (paper 004, section 6)."""

from __future__ import annotations

import math

from striate import units
from striate.apps.app import App
from striate.cluster.description.quantities import PieceBytes
from striate.errors import WorkloadError
from striate.workload.flows import BlockFlows, Window, expect_at_least, read_at

MOST_QUERIES = 1_000_000


def flows(
    *,
    volume: units.Quantity = "12 GB",
    block: units.Quantity = "128 KB",
    mesh: tuple[int, int] = (4, 3),
    disks_per_processor: int = 4,
    queries: int = 12,
    window: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0),
    grid: tuple[int, int] = (1000, 1000),
    reach: float = 0.0,
    compute_per_block: units.Quantity = "10 ms",
    read_variation: float = 0.05,
    sequential: bool = True,
    seed: int = 1,
) -> BlockFlows:
    """`queries` windows of a stored area of `volume`, each answered on a mesh of processors.

    The area has `grid` blocks per layer (fewer where `volume` is less than one layer per query), and each query has
    layers of its own: together the queries read `volume` when `window` (left, top, right, bottom, as shares) is the
    whole area. A smaller window reads only its own blocks, from the disks where they lie, which share them unevenly.
    A block goes to every processor whose part of the answer lies within `reach` blocks of it. One query ends before the
    next begins.
    """
    size, stored = read_at("$.block", PieceBytes.read, block), read_at("$.volume", units.size, volume)
    expect_at_least(1, stored, "bytes", at="$.volume")
    expect_at_least(1, queries, "queries", at="$.queries")
    if queries > MOST_QUERIES:
        raise WorkloadError(f"expected at most {MOST_QUERIES} queries, got {queries}", at="$.queries")
    for number, side in enumerate(grid):
        expect_at_least(1, side, "blocks along a side", at=f"$.grid[{number}]")
    left, top, right, bottom = window
    if not (0 <= left < right <= 1 and 0 <= top < bottom <= 1):
        raise WorkloadError(
            "expected a query window (left, top, right, bottom; shares of the stored area) with "
            f"0 <= left < right <= 1 and 0 <= top < bottom <= 1, got {window}",
            at="$.window",
        )
    area = _area(math.ceil(stored / size / queries), grid)
    return BlockFlows(
        "titan",
        mesh[0] * mesh[1],
        disks_per_processor,
        size,
        (_part_of(area, window),) * queries,
        read_at("$.compute_per_block", units.picoseconds, compute_per_block),
        mesh=mesh,
        reach=reach,
        read_variation=read_variation,
        sequential=sequential,
        seed=seed,
    )


def _area(blocks: int, grid: tuple[int, int]) -> Window:
    """The stored area: whole layers of the grid, or less than one layer with fewer, coarser rows."""
    columns, rows = grid
    if blocks < columns * rows:
        columns = max(1, min(columns, round(math.sqrt(blocks * columns / rows))))
        rows = math.ceil(blocks / columns)
    return Window(columns, rows, max(1, round(blocks / (columns * rows))))


def _part_of(area: Window, shares: tuple[float, float, float, float]) -> Window:
    """The blocks of the area that a window touches; the whole area is itself."""
    left, right = _touched(shares[0], shares[2], area.columns)
    top, bottom = _touched(shares[1], shares[3], area.rows)
    if (right - left, bottom - top) == (area.columns, area.rows):
        return area
    return Window(right - left, bottom - top, area.layers, place=(left, top))


def _touched(low: float, high: float, blocks: int) -> tuple[int, int]:
    first = min(math.floor(low * blocks), blocks - 1)
    return first, max(first + 1, math.ceil(high * blocks - 1e-9))


class Titan(App):
    """Queries of satellite data as a stream of work-flow graphs."""

    name = "titan"
    workload = staticmethod(flows)
