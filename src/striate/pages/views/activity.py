"""I/O over time: a map of ranks and moments, the rate of all together, and how large the requests were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.pages.names import shown_name
from striate.pages.page import View
from striate.pages.run import Run
from striate.pages.spread import binned_rows, spread, whole
from striate.trace.analysis.tables import front, row_calls
from striate.trace.trace import Trace

TIME_BINS, RANK_BINS = 240, 96
VERBS = ("read", "write")
_LARGEST_POWER = 50  # 2^50 bytes: larger requests are counted with these


def view(runs: Sequence[Run]) -> View | None:
    """A part for every trace that has accesses; None when no run has."""
    traces = [(run, run.trace) for run in runs if run.trace is not None and front(run.trace).any()]
    if not traces:
        return None
    columns: dict[str, NDArray[Any]] = {}
    parts = []
    for number, (run, trace) in enumerate(traces):
        described, own = activity_of(trace)
        parts.append({"name": shown_name(run.name), "origin": run.origin} | described)
        columns |= {f"{name}{number}": column for name, column in own.items()}
    return View("activity", "I/O over time", {"parts": parts}, columns, frozenset(columns))


def activity_of(trace: Trace) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What the program asked for: bytes by bin of ranks and of time, and requests by power of two."""
    asked = front(trace)
    rows, step = binned_rows(trace.ranks, RANK_BINS)
    last = max(int(trace.column("end")[asked].max()), 1)
    edges = np.linspace(0, last, TIME_BINS + 1)
    columns, histogram = {}, {}
    for verb in VERBS:
        mine = np.flatnonzero(asked & trace.of_kind(verb))
        rank, start, end, size = (trace.column(name)[mine] for name in ("rank", "start", "end", "bytes"))
        amounts = spread(rank // step, start, end, size, edges, rows)
        columns[verb] = whole(amounts)
        histogram[verb] = _by_power(size, row_calls(trace)[mine])
    described = {
        "seconds": last / 1e9,
        "ranks": trace.ranks,
        "rows": rows,
        "step": step,
        "bins": TIME_BINS,
        "histogram": histogram,
    }
    return described, columns


def _by_power(size: NDArray[np.int64], calls: NDArray[np.int64]) -> list[list[int]]:
    """[power, requests, bytes] for sizes from 2^power to below 2^(power + 1); -1 stands for nothing at all.

    A row that stands for several calls counts as that many of their mean size.
    """
    each = size // np.maximum(calls, 1)
    power = np.where(size > 0, np.minimum(np.floor(np.log2(np.maximum(each, 1))), _LARGEST_POWER), -1)
    return [
        [int(value), int(calls[power == value].sum()), int(size[power == value].sum())]
        for value in np.unique(power)
    ]
