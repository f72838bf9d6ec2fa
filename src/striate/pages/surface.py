"""A speedup surface as a page: in three dimensions, and as contours over the map of bottlenecks."""

from __future__ import annotations

from typing import Any

import numpy as np

from striate.errors import OutputError
from striate.pages.plotly_page import plotly_page
from striate.queueing import Surface
from striate.queueing.model import RESOURCES

MOST_POINTS = 200_000

_BODY = """
<p id="readout" class="readout" aria-live="polite">Point at the surface.</p>
<div class="charts"><div id="surface"></div><div id="contours"></div></div>
<p id="legend" class="soft"></p>
"""


def surface_page(surface: Surface, *, title: str) -> str:
    """One self-contained HTML document; hovering tells p, d, speedup and bottleneck."""
    if surface.seconds.size > MOST_POINTS:
        raise OutputError(
            "expected a speedup surface (speedups over processors and disks) of at most "
            f"{MOST_POINTS} points, got {surface.seconds.size}"
        )
    highest = np.unravel_index(int(np.nanargmax(surface.speedup)), surface.speedup.shape)
    heading = (
        f"Speedup s(p, d), {surface.processors.size} x {surface.disks.size} points; the largest is "
        f"{surface.speedup[highest]:.4g} at p = {surface.processors[highest[0]]}, d = {surface.disks[highest[1]]}; "
        f"one processor and one disk take {surface.one_processor_seconds:.4g} s."
    )
    return plotly_page(title, heading=heading, body=_BODY, script="surface.js", data=_data(surface))


def _data(surface: Surface) -> dict[str, Any]:
    return {
        "processors": surface.processors.tolist(),
        "disks": surface.disks.tolist(),
        "speedup": _rounded(surface.speedup),
        "seconds": _rounded(surface.seconds),
        "bottleneck": surface.bottleneck_index.tolist(),
        "resources": list(RESOURCES),
    }


def _rounded(values: Any) -> list[list[float | None]]:
    """Six digits, which is more than a picture shows; None where the model is not defined."""
    return [[None if value != value else float(f"{value:.6g}") for value in row] for row in values.tolist()]
