"""Regions from their markers: rows of their own, and the innermost one of every moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """(thread, region, start, end) of every region, and per thread the region from each moment on."""

    rows: list[tuple[int, int, int, int]]
    moments: dict[int, tuple[Int64s, Int64s]]

    def at(self, thread: int, times: Int64s) -> Int64s:
        """The innermost region at each of `times`, -1 outside all."""
        if thread not in self.moments:
            return np.full(len(times), -1, np.int64)
        when, region = self.moments[thread]
        return region[np.searchsorted(when, times, side="right")]


def follow(marks: list[tuple[int, int, bool, int]], *, end: int) -> Regions:
    """`marks` are (thread, region, begins, time) in order of time; what is still open ends at `end`."""
    rows: list[tuple[int, int, int, int]] = []
    stacks: dict[int, list[tuple[int, int]]] = {}
    moments: dict[int, tuple[list[int], list[int]]] = {}
    for thread, region, begins, time in marks:
        stack = stacks.setdefault(thread, [])
        if begins:
            stack.append((region, time))
        else:
            while stack and any(entry[0] == region for entry in stack):
                inner, start = stack.pop()
                rows.append((thread, inner, start, time))
                if inner == region:
                    break
        when, which = moments.setdefault(thread, ([], [-1]))
        when.append(time)
        which.append(stack[-1][0] if stack else -1)
    for thread, stack in stacks.items():
        rows += [(thread, region, start, max(start, end)) for region, start in stack]
    return Regions(
        rows,
        {
            thread: (np.array(when, np.int64), np.array(which, np.int64))
            for thread, (when, which) in moments.items()
        },
    )
