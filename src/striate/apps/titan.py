"""Titan in emulated form: a database of satellite data, queried window after window (paper 004, section 6)."""

from __future__ import annotations

import math

from striate import units
from striate.apps.app import App
from striate.errors import WorkloadError
from striate.workload.flows import BlockFlows, Window


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
    """`queries` windows that read `volume` in all; each answer is made on a mesh of processors.

    `window` (left, top, right, bottom, as shares) cuts a piece out of the stored area of `grid` blocks a layer; a block
    goes to every processor whose part of the answer lies within `reach` blocks of it. One query ends before the next
    begins.
    """
    size = units.size(block)
    if queries < 1 or size < 1:
        raise WorkloadError(f"expected at least one query and blocks of one byte, got {queries} and {size}")
    left, top, right, bottom = window
    if not (0 <= left < right <= 1 and 0 <= top < bottom <= 1):
        raise WorkloadError(f"expected a window inside the stored area, got {window}", at="$.window")
    blocks = math.ceil(units.size(volume) / size / queries)
    columns = max(1, round(grid[0] * (right - left)))
    rows = max(1, round(grid[1] * (bottom - top)))
    if blocks < columns * rows:  # less than one layer: fewer, coarser rows
        columns = max(1, min(columns, round(math.sqrt(blocks * columns / rows))))
        rows = math.ceil(blocks / columns)
    layers = max(1, round(blocks / (columns * rows)))
    return BlockFlows(
        "titan",
        mesh[0] * mesh[1],
        disks_per_processor,
        size,
        (Window(columns, rows, layers),) * queries,
        units.picoseconds(compute_per_block),
        mesh=mesh,
        reach=reach,
        read_variation=read_variation,
        sequential=sequential,
        seed=seed,
    )


class Titan(App):
    """Queries of satellite data as a stream of work-flow graphs."""

    name = "titan"
    workload = staticmethod(flows)
