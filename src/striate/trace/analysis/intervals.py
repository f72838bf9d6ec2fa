"""Unions of time intervals: how long somebody was busy, however many things were in flight at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]


def covered(group: Int64s, start: Int64s, end: Int64s, groups: int) -> Int64s:
    """Time covered by the union of the intervals of each group."""
    first, begins, ends = stretches(group, start, end, gap=0)
    return np.bincount(first, (ends - begins).astype(float), groups).astype(np.int64)


def stretches(group: Int64s, start: Int64s, end: Int64s, *, gap: int) -> tuple[Int64s, Int64s, Int64s]:
    """(group, start, end) of the stretches in which intervals of one group are at most `gap` apart."""
    if not len(start):
        return (np.empty(0, np.int64),) * 3
    group = group.astype(np.int64)
    if not _ordered(group, start):
        order = np.lexsort((start, group))
        group, start, end = group[order], start[order], end[order]
    lowest = int(start.min())
    span = int(end.max()) - lowest + gap + 1
    if float(span) * (float(group[-1]) + 1) > 2**62:
        return _one_by_one(group, start, end, gap)
    # Groups are laid one after the other on one line, so that a running maximum never crosses into the next.
    base = group * span - lowest
    reach = np.maximum.accumulate(end + base)
    breaks = np.ones(len(start), bool)
    breaks[1:] = (start[1:] + base[1:] > reach[:-1] + gap) | (group[1:] != group[:-1])
    at = np.flatnonzero(breaks)
    last = np.append(at[1:], len(start)) - 1
    return group[at], start[at], reach[last] - base[at]


def _ordered(group: Int64s, start: Int64s) -> bool:
    """Whether rows are by group and start already, as those of a trace are by rank: sorting takes most of the time."""
    return bool(((group[1:] > group[:-1]) | ((group[1:] == group[:-1]) & (start[1:] >= start[:-1]))).all())


def _one_by_one(group: Int64s, start: Int64s, end: Int64s, gap: int) -> tuple[Int64s, Int64s, Int64s]:
    """The same, a group at a time, for times too long to lie on one line."""
    found: list[tuple[int, int, int]] = []
    for who, begin, stop in zip(group.tolist(), start.tolist(), end.tolist(), strict=True):
        if found and found[-1][0] == who and begin <= found[-1][2] + gap:
            found[-1] = (who, found[-1][1], max(found[-1][2], stop))
        else:
            found.append((who, begin, stop))
    columns = np.array(found, np.int64)
    return columns[:, 0], columns[:, 1], columns[:, 2]
