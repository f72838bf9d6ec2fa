"""Puts bars on lines so that bars of one line lie apart or inside one another: what viewers of slices demand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]


def lanes(line: Int64s, start: Int64s, end: Int64s) -> Int64s:
    """0 for every bar that nests on its own line, 1, 2, ... for those that have to move to a line beside it.

    Rows are ordered by line, then start, longer ones first.
    """
    found = np.zeros(len(line), np.int64)
    stacks: list[list[int]] = []
    current = None
    for row, (who, begin, stop) in enumerate(zip(line.tolist(), start.tolist(), end.tolist(), strict=True)):
        if who != current:
            current, stacks = who, []
        for lane, stack in enumerate(stacks):
            while stack and stack[-1] <= begin:
                stack.pop()
            if not stack or stack[-1] >= stop:
                stack.append(stop)
                found[row] = lane
                break
        else:
            stacks.append([stop])
            found[row] = len(stacks) - 1
    return found


def edges(track: Int64s, start: Int64s, end: Int64s) -> Iterator[tuple[int, bool, int]]:
    """(row, begins, time) of every bar's two ends, well nested track by track; rows ordered as for `lanes`."""
    stack: list[tuple[int, int]] = []  # (end, row)
    current = None
    for row, (who, begin, stop) in enumerate(zip(track.tolist(), start.tolist(), end.tolist(), strict=True)):
        while stack and (who != current or stack[-1][0] <= begin):
            last, closing = stack.pop()
            yield closing, False, last
        current = who
        yield row, True, begin
        stack.append((stop, row))
    while stack:
        last, closing = stack.pop()
        yield closing, False, last
