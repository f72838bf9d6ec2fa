"""The Virtual Microscope in emulated form: slides are read and scaled down where they lie (paper 004, section 6)."""

from __future__ import annotations

import math

from striate import units
from striate.apps.app import App
from striate.errors import WorkloadError
from striate.workload.flows import BlockFlows, Window


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
    size = units.size(block)
    if slides < 1 or queries < 1 or size < 1 or not zoom >= 1:
        raise WorkloadError(
            "expected at least one slide, one query, blocks of one byte and a zoom of 1 or more"
        )
    blocks = max(1, math.ceil(units.size(slide) * slides * queries / zoom**2 / size))
    side = max(1, math.isqrt(blocks))
    return BlockFlows(
        "vmscope",
        processors,
        disks_per_processor,
        size,
        (Window(side, math.ceil(blocks / side)),),
        units.picoseconds(compute_per_block),
        read_variation=read_variation,
        seed=seed,
    )


class VirtualMicroscope(App):
    """Slides scaled down where they lie, as a stream of work-flow graphs."""

    name = "vmscope"
    workload = staticmethod(flows)
