"""Runs as bars on lanes: what a timeline draws, whether it was observed or simulated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.pages.run import Run
from striate.pages.timeline.apart import apart, clipped
from striate.trace.analysis.tracks import REGIONS_FROM, lines_of, states_of
from striate.trace.kinds import LEVELS, RANK_LEVELS, RESOURCE_LEVELS, STEP_LEVEL
from striate.trace.trace import Trace

TICK_SECONDS = 1e-9
Int64s = NDArray[np.int64]
# From the outside to the inside, within a row.
LAYERS = ("regions", "calls", "system calls", "steps of collective calls")
_LAYER_OF_LEVEL = {
    "program": 0,
    "mpi-io": 1,
    "mpi": 1,
    "posix": 2,
    STEP_LEVEL: 3,
    "server": 1,
    "network": 1,
    "disk": 1,
}
LEVELS_APART = ("ranks", *RESOURCE_LEVELS)  # what is bundled apart
MOST_STATES = 250  # a page tells apart; regions can have any number of names
_FEW = 3  # ranks per host, in the mean, that are worth a heading


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Bars ordered by lane and start, apart from one another; rows have lanes, groups have rows."""

    trace: Trace
    states: tuple[str, ...]
    categories: tuple[str, ...]  # of each state: what it is coloured by
    rows: tuple[str, ...]
    groups: tuple[str, ...]
    group_of_row: Int64s
    row_of_lane: Int64s
    layer_of_lane: Int64s
    level_of_lane: Int64s  # an index into LEVELS_APART
    lane: Int64s
    state: Int64s
    start: Int64s
    end: Int64s
    bytes: Int64s
    source_row: Int64s  # the row of the trace that a bar stands for

    def __len__(self) -> int:
        return len(self.lane)

    def between(self, first: int, last: int) -> Bars:
        """Those that reach into [first, last], in ticks, on the same lanes."""
        return self.chosen(np.flatnonzero((self.end >= first) & (self.start <= last)))

    def of_level(self, level: int) -> Bars:
        """Those of one of LEVELS_APART, on the same lanes."""
        return self.chosen(np.flatnonzero((self.level_of_lane == level)[self.lane]))

    def counts(self) -> list[int]:
        """How many there are of each of LEVELS_APART."""
        lanes = np.bincount(self.lane, minlength=len(self.level_of_lane))
        return [int(lanes[self.level_of_lane == level].sum()) for level in range(len(LEVELS_APART))]

    def chosen(self, rows: Int64s) -> Bars:
        """Some of them, by ascending numbers, on the same lanes."""
        if len(rows) == len(self):
            return self
        names = ("lane", "state", "start", "end", "bytes", "source_row")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})


def bars_of(run: Run) -> Bars | None:
    """The bars of a trace, observed or simulated; None for all else, which has none."""
    return None if run.trace is None else _bars(run.trace)


def _bars(trace: Trace) -> Bars:
    number, titles = lines_of(trace)
    _, first, line = np.unique(number, return_index=True, return_inverse=True)
    level, resource = trace.column("level")[first], trace.column("resource")[first]
    ranks = np.where(resource >= 0, -1, trace.column("rank")[first])
    hosts, place, names = _hosts(trace, tuple(titles.values()), ranks)
    group = np.where(resource >= 0, len(hosts) + level - len(RANK_LEVELS), place[trace.column("rank")[first]])
    layers = np.array([_LAYER_OF_LEVEL[level] for level in LEVELS])[trace.column("level")]
    layers[trace.of_kind("compute") & trace.at_level("program")] = LAYERS.index("calls")
    states, state = states_of(trace)
    categories = (*states[:REGIONS_FROM], *["region"] * (len(states) - REGIONS_FROM))
    return _laid_out(
        trace,
        states,
        categories,
        names,
        (*hosts, *(RESOURCE_LEVELS if (resource >= 0).any() else ())),
        group.astype(np.int64),
        np.where(resource >= 0, 1 + level.astype(np.int64) - len(RANK_LEVELS), 0),
        np.asarray(line, np.int64).ravel(),
        layers.astype(np.int64),
        {
            "state": state,
            "start": trace.column("start"),
            "end": trace.column("end"),
            "bytes": trace.column("bytes").astype(np.int64),
        },
    )


def _hosts(
    trace: Trace, titles: tuple[str, ...], ranks: Int64s
) -> tuple[tuple[str, ...], Int64s, tuple[str, ...]]:
    """(groups of ranks, the group of each rank, names of rows): a host is a group when it has a few ranks.

    `ranks` has the rank of each row; -1 for those of other parts of the machine.
    """
    hosts, place = trace.header.hosts, np.asarray(trace.header.host_of_rank, np.int64)
    if not hosts or not len(place):
        return ("ranks",), np.zeros(trace.ranks, np.int64), titles
    if len(hosts) == 1 or trace.ranks >= _FEW * len(hosts):
        return hosts, place, titles
    names = tuple(
        f"{title} on {hosts[place[rank]]}" if rank >= 0 else title
        for title, rank in zip(titles, ranks.tolist(), strict=True)
    )
    return ("ranks",), np.zeros(trace.ranks, np.int64), names


def _laid_out(
    trace: Trace,
    states: tuple[str, ...],
    categories: tuple[str, ...],
    rows: tuple[str, ...],
    groups: tuple[str, ...],
    group_of_row: Int64s,
    level_of_row: Int64s,
    row: Int64s,
    layer: Int64s,
    columns: dict[str, Any],
) -> Bars:
    """Puts every bar on a lane of its row and layer where it overlaps no other."""
    start, end = columns["start"], columns["end"]
    line = row * len(LAYERS) + layer
    order = _by_line(line, start, end)
    beside = apart(line[order], start[order], end[order])
    deepest = int(beside.max(initial=0)) + 1
    if deepest > 1:
        again = np.lexsort((start[order], beside, line[order]))
        order, beside = order[again], beside[again]
    key = line[order] * deepest + beside
    firsts = np.diff(key, prepend=key[:1] - 1) != 0
    lane = np.cumsum(firsts) - 1
    line_of_lane = key[firsts] // deepest
    state, used = _fewer(columns["state"][order], (end - start)[order])
    return Bars(
        trace,
        tuple(states[code] if code >= 0 else "other states" for code in used),
        tuple(categories[code] if code >= 0 else "other" for code in used),
        rows,
        groups,
        group_of_row,
        line_of_lane // len(LAYERS),
        line_of_lane % len(LAYERS),
        level_of_row[line_of_lane // len(LAYERS)],
        lane,
        state,
        start[order],
        clipped(lane, start[order], end[order]),
        columns["bytes"][order],
        order.astype(np.int64),
    )


def _by_line(line: Int64s, start: Int64s, end: Int64s) -> Int64s:
    """The order by line, start and -end; rows of a trace mostly are in it, line by line."""
    few = line.astype(np.int16) if len(line) and line.max() < 2**15 else line  # sorted in linear time
    order = np.argsort(few, kind="stable")
    line, start, end = line[order], start[order], end[order]
    later = (line[1:] > line[:-1]) | (start[1:] > start[:-1])
    if (later | ((start[1:] == start[:-1]) & (end[1:] <= end[:-1]))).all():
        return order
    return np.asarray(order[np.lexsort((-end, start, line))])


def _fewer(state: Int64s, length: Int64s) -> tuple[Int64s, list[int]]:
    """(states numbered from 0, the code of each); those of the least time become one, -1, when there are too many."""
    used, place = np.unique(state, return_inverse=True)
    place = np.asarray(place, np.int64).ravel()
    if len(used) <= MOST_STATES:
        return place, used.tolist()
    time = np.bincount(place, length.astype(np.float64), len(used))
    kept = np.sort(np.argsort(-time, kind="stable")[: MOST_STATES - 1])
    number = np.full(len(used), MOST_STATES - 1)
    number[kept] = np.arange(len(kept))
    return number[place], [*used[kept].tolist(), -1]
