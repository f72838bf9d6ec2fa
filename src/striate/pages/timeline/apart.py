"""Moves bars that overlap to lanes beside one another, so that each lane can be drawn and searched alone."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]
MOST_LANES = 64  # of a line; what finds no room in them shares the last


def apart(line: Int64s, start: Int64s, end: Int64s) -> Int64s:
    """The first lane of its line where each bar is free; the last lane takes what finds no room.

    Rows are ordered by line, then start, longer ones first, so that what contains lies above what is contained.
    """
    found = np.zeros(len(line), np.int64)
    if not len(line):
        return found
    firsts = np.flatnonzero(np.diff(line, prepend=line[0] - 1))
    lasts = np.append(firsts[1:], len(line))
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        here = slice(first, last)
        reach = np.maximum.accumulate(end[here])
        if (start[here][1:] < reach[:-1]).any():
            found[here] = _first_free(start[here].tolist(), end[here].tolist())
    return found


def _first_free(starts: list[int], ends: list[int]) -> list[int]:
    free = list(range(MOST_LANES))  # a heap of lanes,
    busy: list[tuple[int, int]] = []  # and one of (until, lane)
    lanes = []
    for start, end in zip(starts, ends, strict=True):
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            lane = heapq.heappop(free)
            heapq.heappush(busy, (end, lane))
        else:
            lane = MOST_LANES - 1
        lanes.append(lane)
    return lanes


def clipped(lane: Int64s, start: Int64s, end: Int64s) -> Int64s:
    """The ends, none beyond the next start of its lane: changes only what found no room."""
    until = end.copy()
    same = lane[1:] == lane[:-1]
    until[:-1][same] = np.minimum(end[:-1], start[1:])[same]
    return until
