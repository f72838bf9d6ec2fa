"""The Virtual Microscope in emulated form: slides are read and scaled down where they lie (paper 004, section 6)."""

from __future__ import annotations

import math

from striate import units
from striate.apps.app import App
from striate.cluster.description.quantities import PieceBytes
from striate.errors import WorkloadError
from striate.workload.flows import BlockFlows, Window, expect_at_least, read_at


def flows(
    *,
    slides: int = 12,
    slide: units.Quantity = "1 GB",
    block: units.Quantity = "128 KB",
    processors: int = 12,
    disks_per_processor: int = 4,
    queries: int = 1,
    zoom: float = 1.0,
    compute_per_block: units.Quantity = "2 ms",
    read_variation: float = 0.0,
    seed: int = 1,
) -> BlockFlows:
    """`queries` views of all slides; every block is read once a view and scaled down where its disk is.

    A `zoom` of 1 looks at the whole slide, of 2 at a quarter of it. Clients do not wait for each other, so all
    views are one group, and no block is sent.
    """
    size, stored = read_at("$.block", PieceBytes.read, block), read_at("$.slide", units.size, slide)
    expect_at_least(1, stored, "bytes", at="$.slide")
    expect_at_least(1, slides, "slides", at="$.slides")
    expect_at_least(1, queries, "queries", at="$.queries")
    if not 1 <= zoom <= 1e6:
        raise WorkloadError(f"expected a zoom from 1 to 1000000, got {zoom!r}", at="$.zoom")
    blocks = max(1, math.ceil(stored * slides * queries / zoom**2 / size))
    side = max(1, math.isqrt(blocks))
    return BlockFlows(
        "vmscope",
        processors,
        disks_per_processor,
        size,
        (Window(side, math.ceil(blocks / side)),),
        read_at("$.compute_per_block", units.picoseconds, compute_per_block),
        read_variation=read_variation,
        seed=seed,
    )


class VirtualMicroscope(App):
    """Slides scaled down where they lie, as a stream of work-flow graphs."""

    name = "vmscope"
    workload = staticmethod(flows)
