"""Where a run's time went: parts that add up to the whole, in the mean over ranks and on the rank that was worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.pages.names import LEVEL_TITLES, shown_name
from striate.trace.analysis.intervals import covered
from striate.trace.kinds import COLLECTIVES, LEVELS, MESSAGES, METADATA, RESOURCE_LEVELS
from striate.trace.trace import Trace
from striate.units import about_seconds

# What a moment counts as when several things are in flight: the first of these that is.
PARTS = {
    "reading": ("read",),
    "writing": ("write",),
    "metadata": METADATA,
    "messages": (*MESSAGES, *COLLECTIVES),
}
REST = "computing, or not recorded"


@dataclass(frozen=True, slots=True)
class TimeShare:
    """One use of time: seconds in the mean, and the most on one rank or resource; "" where ranks are not told apart."""

    name: str
    mean_seconds: float
    worst: str
    worst_seconds: float

    @property
    def most(self) -> str:
        """The most on one rank or resource, in words."""
        if not self.worst:
            return "ranks were not told apart"
        return f"{about_seconds(self.worst_seconds)} on {shown_name(self.worst, 60)}"


def where_time_went(trace: Trace) -> list[TimeShare]:
    """Parts in the order of `PARTS` and the rest; their means add up to the run's time."""
    rank, start, end = (trace.column(name) for name in ("rank", "start", "end"))
    known = all(flag.code != "merged-records" for flag in trace.header.flags)
    rows = np.zeros(len(trace), bool)
    before = np.zeros(trace.ranks)
    found = []
    for name, kinds in PARTS.items():
        rows |= trace.of_kind(*kinds)
        busy = covered(rank[rows], start[rows], end[rows], trace.ranks) / 1e9
        found.append(_part(name, busy - before, known=known))
        before = busy
    rest = np.maximum(trace.seconds - before, 0.0)
    return [part for part in found if part.worst_seconds > 0] + [_part(REST, rest, known=known)]


def _part(name: str, seconds: NDArray[np.float64], *, known: bool) -> TimeShare:
    worst = int(np.argmax(seconds)) if len(seconds) else 0
    return TimeShare(
        name,
        float(seconds.mean()) if len(seconds) else 0.0,
        f"rank {worst}" if known else "",
        float(seconds.max(initial=0.0)),
    )


def busy_levels(trace: Trace) -> list[TimeShare]:
    """Of every level of resources of a simulated trace: seconds busy in the mean, and of the busiest."""
    names, resource, level = trace.header.resources, trace.column("resource"), trace.column("level")
    rows = resource >= 0
    busy = covered(resource[rows], trace.column("start")[rows], trace.column("end")[rows], len(names)) / 1e9
    found = []
    for word in RESOURCE_LEVELS:
        mine = np.unique(resource[rows & (level == LEVELS.index(word))])
        if len(mine):
            found.append(_busiest(LEVEL_TITLES[word], names, busy, mine))
    return found


def _busiest(
    title: str, names: Sequence[str], busy: NDArray[np.float64], mine: NDArray[np.integer[Any]]
) -> TimeShare:
    worst = int(mine[np.argmax(busy[mine])])
    return TimeShare(title, float(busy[mine].mean()), names[worst], float(busy[worst]))
