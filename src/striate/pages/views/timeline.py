"""The timeline: every run's bars on rows and lanes, fine where few, bundled where many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.pages.bars import LAYERS, TICK_SECONDS, Bars, bars_of
from striate.pages.bundles import Items, bundled
from striate.pages.names import shown_name
from striate.pages.page import View
from striate.pages.requests import requested
from striate.pages.run import Run
from striate.trace.matched import matched
from striate.trace.trace import Trace

MOST_ITEMS = 160_000
MOST_ARROWS = 10_000
LEAST_BYTES = 400_000  # deflated, that a timeline needs to be worth looking at
SHARES = 250  # parts of a bundle: times as this many parts of its length
ROUGH = "partBytes"  # the column of sums over bundles, right to 1 %
_DETAILS = ("offset", "blocks", "stride", "peer", "tag", "request", "status", "file", "function", "region")


def view(runs: Sequence[Run], *, room: int = LEAST_BYTES) -> View | None:
    """The timeline of all runs that have bars, with forecasts' bounds: as fine as fits into `room` bytes, deflated."""
    drawn = [(run, bars) for run in runs if (bars := bars_of(run)) is not None]
    if not drawn:
        return None
    data = {
        "layers": LAYERS,
        "shares": SHARES,
        "runs": [described(run, bars) for run, bars in drawn],
        "bounds": _bounds(runs),
    }
    most, rough = MOST_ITEMS, frozenset(f"{number}.{ROUGH}" for number in range(len(drawn)))
    while True:
        columns = _all_columns([bars for _, bars in drawn], most)
        found = View("timeline", "Timeline", data, columns, rough)
        size = len(found.packed[1])
        if most < 1000 or size <= max(room, LEAST_BYTES):
            return found
        most = int(most * min(0.9, max(room, LEAST_BYTES) / size))


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


def _all_columns(drawn: Sequence[Bars], most: int) -> dict[str, NDArray[Any]]:
    """The columns of all runs, which share the room in proportion to their bars."""
    everything = max(sum(len(bars) for bars in drawn), 1)
    columns: dict[str, NDArray[Any]] = {}
    for number, bars in enumerate(drawn):
        items = bundled(bars, most=max(most * len(bars) // everything, 100))
        own = columns_of(bars, items) | _arrows(bars)
        columns |= {f"{number}.{name}": column for name, column in own.items()}
    return columns


def columns_of(bars: Bars, items: Items) -> dict[str, NDArray[Any]]:
    """Rows, lanes and items of one run; starts count from the end of the item before, ends from their start."""
    before = np.append(0, items.end)[:-1]
    lengths = items.end - items.start
    part_of = np.repeat(np.maximum(lengths[items.state < 0], 1), np.diff(items.first_part))
    columns = {
        "groupOfRow": bars.group_of_row,
        "rowOfLane": bars.row_of_lane,
        "layerOfLane": bars.layer_of_lane,
        "firstOfLane": np.searchsorted(items.lane, np.arange(len(bars.row_of_lane) + 1)),
        "gap": items.start - before,
        "length": lengths,
        "state": items.state,
        "firstPart": items.first_part,
        "partState": items.part_state,
        "partShare": np.rint(items.part_time / part_of * SHARES).astype(np.int64),
        "partCount": items.part_count,
        "partBytes": items.part_bytes,
        "bytes": bars.bytes[items.bar],
    }
    return columns | _details(bars.trace, bars.source_row[items.bar])


def _details(trace: Trace, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """What else is known of single bars; a column that says nothing is left out."""
    found = {name: trace.column(name)[rows].astype(np.int64) for name in _DETAILS}
    found["later"] = np.maximum(trace.column("complete")[rows] - trace.column("end")[rows], 0)
    return {name: column for name, column in found.items() if len(column) and (column != column[0]).any()} | {
        name: column[:1] for name, column in found.items() if len(column) and (column == column[0]).all()
    }


def _arrows(bars: Bars) -> dict[str, NDArray[Any]]:
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
