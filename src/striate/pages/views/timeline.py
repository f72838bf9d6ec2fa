"""The timeline: every run's bars on rows and lanes, fine where few, bundled where many, level by level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.pages.names import LEVEL_TITLES, shown_name
from striate.pages.page import View
from striate.pages.run import Run
from striate.pages.timeline.bars import LAYERS, TICK_SECONDS, Bars, bars_of
from striate.pages.timeline.budget import Levels
from striate.pages.timeline.bundles import bundled_apart
from striate.pages.timeline.fitted import most_items
from striate.pages.timeline.items import ROUGH, SHARES, columns_of
from striate.pages.timeline.requests import requested
from striate.trace.analysis.matched import matched
from striate.trace.kinds import RESOURCE_LEVELS
from striate.trace.trace import Trace

MOST_ITEMS = 480_000  # of all runs: what a browser unpacks and draws without a pause
MOST_ARROWS = 10_000
LEAST_BYTES = 400_000  # deflated, that a timeline needs to be worth looking at
Columns = dict[str, NDArray[Any]]


def view(runs: Sequence[Run], *, room: int = LEAST_BYTES) -> View | None:
    """The timeline of all runs that have bars, with forecasts' bounds: as fine as fits into `room` bytes, deflated."""
    drawn = [(run, bars) for run in runs if (bars := bars_of(run)) is not None]
    if not drawn:
        return None
    data = {
        "layers": LAYERS,
        "levels": ["ranks", *(LEVEL_TITLES[level] for level in RESOURCE_LEVELS)],
        "shares": SHARES,
        "runs": [described(run, bars) for run, bars in drawn],
        "bounds": _bounds(runs),
    }
    rough = frozenset(f"{number}.{ROUGH}" for number in range(len(drawn)))
    every, wanted = [bars for _, bars in drawn], max(room, LEAST_BYTES)
    within, arrows = wanted, [_arrows(bars) for bars in every]
    while True:
        columns = _all_columns(every, most_items(every, within, most=MOST_ITEMS), arrows)
        found = View("timeline", "Timeline", data, columns, rough)
        size = len(found.packed[1])
        if size <= wanted or within < LEAST_BYTES // 8:
            return found
        within = int(within * 0.95 * wanted / size)  # estimates were too low


def described(run: Run, bars: Bars) -> dict[str, Any]:
    """What the columns of a run refer to by number."""
    trace = bars.trace
    return {
        "name": shown_name(run.name),
        "origin": run.origin,
        "tickSeconds": TICK_SECONDS,
        "seconds": run.seconds,
        "operations": len(bars),
        "states": [shown_name(state) for state in bars.states],
        "categories": list(bars.categories),
        "rows": [shown_name(row) for row in bars.rows],
        "groups": [shown_name(group) for group in bars.groups],
        "files": [shown_name(name) for name in trace.file_names()],
        "functions": [shown_name(name) for name in trace.functions()],
        "regions": [shown_name(name) for name in trace.header.regions],
        "regionStarts": _region_starts(trace),
    }


def _region_starts(trace: Trace) -> list[float | None]:
    """When each region first begins, in seconds; None for one that never does."""
    marks = trace.of_kind("region")
    region, start = trace.column("region")[marks], trace.column("start")[marks]
    starts = [start[region == number] for number in range(len(trace.header.regions))]
    return [float(found.min()) / 1e9 if len(found) else None for found in starts]


def _all_columns(drawn: Sequence[Bars], most: Sequence[Levels], arrows: Sequence[Columns]) -> Columns:
    """The columns of all runs."""
    columns: Columns = {}
    for number, (bars, levels, lines) in enumerate(zip(drawn, most, arrows, strict=True)):
        own = columns_of(bars, bundled_apart(bars, most=levels)) | lines
        columns |= {f"{number}.{name}": column for name, column in own.items()}
    return columns


def _arrows(bars: Bars) -> Columns:
    """Messages and requests from lane to lane, the slowest first: when they were made, when taken."""
    trace = bars.trace
    sends, receives = matched(trace)
    calls, work = requested(trace)
    origin, target = np.concatenate([sends, calls]), np.concatenate([receives, work])
    start = trace.column("start")[origin]
    end = np.concatenate([trace.column("complete")[receives], trace.column("start")[work]])
    length = np.maximum(end - start, 0)
    order = np.argsort(-length, kind="stable")[:MOST_ARROWS]
    lane = np.empty(len(trace), np.int64)
    lane[bars.source_row] = bars.lane
    return {
        "arrowFrom": lane[origin[order]],
        "arrowTo": lane[target[order]],
        "arrowStart": start[order],
        "arrowLength": length[order],
    }


def _bounds(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The forecasts' edges, to be drawn over the bars."""
    return [
        {
            "name": shown_name(run.name),
            "low": run.forecast.seconds.low,
            "estimate": run.forecast.seconds.estimate,
            "high": min(run.forecast.seconds.high, 1e30),
        }
        for run in runs
        if run.forecast is not None
    ]
