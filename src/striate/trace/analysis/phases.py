"""Phases of runs, so that runs can be compared phase by phase: regions that the program marked, or stretches of I/O."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from striate.arrow import as_numpy
from striate.trace.analysis.tables import per_phase
from striate.trace.trace import Trace

Int64s = NDArray[np.int64]
MOST_STRETCHES = 12  # of I/O that are compared one by one
NO_PHASE = -1


def phases_of(traces: Sequence[Trace]) -> tuple[tuple[str, ...], list[Int64s]]:
    """(names, the phase of each row of every trace, -1 for none).

    Phases are the regions that any of the runs has. Where none has, and all have the same few stretches of I/O, phase
    number n lasts from the beginning of stretch n to that of the next.
    """
    names = tuple(dict.fromkeys(name for trace in traces for name in trace.header.regions))
    if names:
        return names, [_by_region(trace, names) for trace in traces]
    begins = [as_numpy(per_phase(trace).column("start")) for trace in traces]
    count = len(begins[0]) if begins else 0
    if not 1 < count <= MOST_STRETCHES or any(len(found) != count for found in begins):
        return (), [np.full(len(trace), NO_PHASE) for trace in traces]
    return tuple(f"I/O phase {number + 1}" for number in range(count)), [
        np.searchsorted(np.rint(found * 1e9), trace.column("start"), side="right").astype(np.int64) - 1
        for trace, found in zip(traces, begins, strict=True)
    ]


def _by_region(trace: Trace, names: Sequence[str]) -> Int64s:
    """The innermost region that the row's rank was in when the row began; -1 for none, and for rows of no rank."""
    found = np.full(len(trace), NO_PHASE)
    rank, start, end = (trace.column(name).astype(np.int64) for name in ("rank", "start", "end"))
    region = trace.column("region")
    marks = np.flatnonzero(trace.of_kind("region") & (region >= 0))
    place = {name: number for number, name in enumerate(names)}
    number = np.array([place[name] for name in trace.header.regions], np.int64)[region]
    longest_first = marks[np.argsort(start[marks] - end[marks], kind="stable")]
    # Rows are ordered by rank and start, so what began inside a region are rows in a row; shorter regions come later.
    own = np.searchsorted(rank, np.arange(-1, trace.ranks + 1))
    for row in longest_first.tolist():
        low, high = own[rank[row] + 1], own[rank[row] + 2]
        first, last = low + np.searchsorted(start[low:high], (start[row], end[row]))
        found[max(first, row) : last] = number[row]  # what began with it and is longer contains it
    return found
