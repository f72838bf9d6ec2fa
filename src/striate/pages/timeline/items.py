"""Items of a timeline as the columns of a page."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.pages.timeline.bars import Bars
from striate.pages.timeline.bundles import Items
from striate.trace.trace import Trace

SHARES = 250  # parts of a bundle: times as this many parts of its length
ROUGH = "partBytes"  # the column of sums over bundles, right to 1 %
_DETAILS = ("offset", "blocks", "stride", "peer", "tag", "request", "status", "file", "function", "region")


def columns_of(bars: Bars, items: Items) -> dict[str, NDArray[Any]]:
    """Rows, lanes and items of one run."""
    return {
        "groupOfRow": bars.group_of_row,
        "rowOfLane": bars.row_of_lane,
        "layerOfLane": bars.layer_of_lane,
        "levelOfLane": bars.level_of_lane,
        "firstOfLane": np.searchsorted(items.lane, np.arange(len(bars.row_of_lane) + 1)),
    } | items_of(bars, items)


def items_of(bars: Bars, items: Items) -> dict[str, NDArray[Any]]:
    """Items of one run; starts count from the end of the item before, ends from their start."""
    before = np.append(0, items.end)[:-1]
    lengths = items.end - items.start
    part_of = np.repeat(np.maximum(lengths[items.state < 0], 1), np.diff(items.first_part))
    columns = {
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
