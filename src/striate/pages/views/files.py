"""The file map: which bytes of a file were touched, when and by whom, and on which server they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.errors import LayoutError
from striate.layout.distributions.simple_stripe import SimpleStripe
from striate.layout.layout import Layout
from striate.layout.parse import parse
from striate.pages.names import shown_name
from striate.pages.page import View
from striate.pages.run import Run
from striate.pages.spread import binned_rows, spread, whole
from striate.trace.analysis.tables import front
from striate.trace.header import TracedFile
from striate.trace.runs import byte_runs
from striate.trace.trace import Trace

MOST_FILES, PLACE_BINS, RANK_BINS = 12, 240, 64
_NEVER = -1


def view(runs: Sequence[Run]) -> View | None:
    """Maps of the files with most bytes of every trace; None where no access tells its place."""
    columns: dict[str, NDArray[Any]] = {}
    maps: list[dict[str, Any]] = []
    for run in runs:
        if run.trace is None:
            continue
        for described, own in maps_of(run.trace):
            columns |= {f"{name}{len(maps)}": column for name, column in own.items()}
            maps.append({"run": shown_name(run.name)} | described)
    rough = frozenset(name for name in columns if name.startswith(("read", "write")))
    return View("files", "File map", {"maps": maps}, columns, rough) if maps else None


def maps_of(trace: Trace) -> list[tuple[dict[str, Any], dict[str, NDArray[Any]]]]:
    """(what a map is of, its columns) for the files with most bytes whose places are known."""
    rows = np.flatnonzero(front(trace) & (trace.column("file") >= 0) & (trace.column("offset") >= 0))
    if not len(rows):
        return []
    file = trace.column("file")[rows].astype(np.int64)
    size = np.bincount(file, trace.column("bytes")[rows].astype(float), len(trace.header.files))
    largest = [int(number) for number in np.argsort(-size, kind="stable")[:MOST_FILES] if size[number] > 0]
    return [_map(trace, number, rows[file == number]) for number in largest]


def _map(
    trace: Trace, number: int, rows: NDArray[np.int64]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    row, offset, length = byte_runs(trace, rows)
    low, high = int(offset.min(initial=0)), max(int((offset + length).max(initial=1)), 1)
    low = 0 if low < high / 2 else low  # what begins near the file's start is drawn from there
    place = offset - low  # exact as whole numbers, where floats of this size may not tell neighbours apart
    edges = np.linspace(0, high - low, PLACE_BINS + 1)
    bins, step = binned_rows(trace.ranks, RANK_BINS)
    kind, rank = trace.of_kind("write")[row], trace.column("rank")[row] // step
    columns: dict[str, NDArray[Any]] = {}
    for verb, mine in (("read", ~kind), ("write", kind)):
        found = spread(rank[mine], place[mine], (place + length)[mine], length[mine], edges, bins)
        columns[verb] = whole(found)
    columns["first"], columns["last"] = _when(trace, row, place, length, edges)
    file = trace.header.files[number]
    described = {
        "file": shown_name(file.name),
        "low": low,
        "high": high,
        "bins": PLACE_BINS,
        "rows": bins,
        "step": step,
        "ranks": trace.ranks,
        "seconds": trace.seconds,
        "requests": len(rows),
        "layout": None,
    }
    layout = layout_of(file)
    if layout is not None:
        described["layout"] = str(layout)
        columns["server"] = _servers(layout, low + edges)
    return described, columns


def _when(
    trace: Trace,
    row: NDArray[np.int64],
    place: NDArray[np.int64],
    length: NDArray[np.int64],
    edges: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of every bin, the nanosecond it was touched first and last; -1 for never."""
    begin = np.clip(np.searchsorted(edges, place, side="right") - 1, 0, PLACE_BINS - 1)
    stop = np.clip(np.searchsorted(edges, place + length, side="left"), begin + 1, PLACE_BINS)
    start, end = trace.column("start")[row], trace.column("end")[row]
    first, last = np.full(PLACE_BINS, 2**62, np.int64), np.full(PLACE_BINS, _NEVER, np.int64)
    for width in np.unique(stop - begin).tolist():  # at most as many as bins
        mine = np.flatnonzero(stop - begin == width)
        for step in range(width):
            np.minimum.at(first, begin[mine] + step, start[mine])
            np.maximum.at(last, begin[mine] + step, end[mine])
    return np.where(last < 0, _NEVER, first), last


def layout_of(file: TracedFile) -> Layout | None:
    """Where the file's bytes live: its layout, or the stripes its hints speak of."""
    try:
        if file.layout is not None:
            return parse(file.layout)
        unit, factor = (int(file.hints.get(name, "0")) for name in ("striping_unit", "striping_factor"))
        return SimpleStripe(factor, unit) if unit > 0 and factor > 0 else None
    except (LayoutError, ValueError):
        return None


def _servers(layout: Layout, edges: NDArray[np.float64]) -> NDArray[np.int64]:
    """The server of every bin; -1 where a bin holds bytes of several."""
    low = edges[:-1].astype(np.int64)
    high = np.maximum(low, np.ceil(edges[1:]).astype(np.int64) - 1)
    first, last = layout.locate(low)[0], layout.locate(high)[0]
    ends = layout.run_length(low) + low > high
    return np.where((first == last) & ends, first, _NEVER).astype(np.int64)
