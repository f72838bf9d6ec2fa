"""Accesses as the byte runs they touch: strides and lists unfolded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from striate.trace.trace import Trace

Int64s = NDArray[np.int64]


def byte_runs(trace: Trace, rows: Int64s, *, most: int = 4_000_000) -> tuple[Int64s, Int64s, Int64s]:
    """(row, offset, length) of every run of `rows`, accesses whose offset is not known left out.

    Once there are more than `most` runs, an access is given as one, from its first byte to its last.
    """
    offset, size, blocks, stride, number = (
        trace.column(name)[rows].astype(np.int64)
        for name in ("offset", "bytes", "blocks", "stride", "extents")
    )
    blocks = np.where(size % np.maximum(blocks, 1) == 0, np.maximum(blocks, 1), 1)
    in_list = (
        np.diff(trace.lists.first)[np.maximum(number, 0)]
        if len(trace.lists)
        else np.zeros(len(rows), np.int64)
    )
    count = np.where(number >= 0, in_list, blocks)
    whole = number < 0
    too_many = np.cumsum(count) > most
    count = np.where(too_many, 1, count)
    known = np.flatnonzero((offset >= 0) & (count > 0) & (size > 0))
    at = np.repeat(known, count[known])
    within = np.arange(len(at)) - np.repeat(np.cumsum(count[known]) - count[known], count[known])
    start = offset[at] + np.where(whole[at], within * stride[at], 0)
    length = size[at] // np.maximum(blocks[at], 1)
    listed = np.flatnonzero(~whole[at] & ~too_many[at])
    entry = trace.lists.first[number[at[listed]]] + within[listed] if len(listed) else listed
    start[listed] += trace.lists.offsets[entry]
    length[listed] = trace.lists.sizes[entry]
    for place in np.flatnonzero(too_many[at]).tolist():
        start[place], length[place] = _span(
            trace, start[place], number[at[place]], blocks[at[place]], stride[at[place]], length[place]
        )
    return rows[at], start, length


def spans(trace: Trace, rows: Int64s) -> tuple[Int64s, Int64s]:
    """The first byte and one past the last of each access in `rows`, whose offsets are known."""
    offset, size, blocks, stride, number = (
        trace.column(name)[rows].astype(np.int64)
        for name in ("offset", "bytes", "blocks", "stride", "extents")
    )
    blocks = np.where(size % np.maximum(blocks, 1) == 0, np.maximum(blocks, 1), 1)
    first, last = offset.copy(), offset + (blocks - 1) * stride + size // blocks
    known = {}
    for one in np.unique(number[number >= 0]).tolist():
        known[one] = _span(trace, 0, one, 1, 0, 0)
    for place in np.flatnonzero(number >= 0).tolist():
        start, length = known[int(number[place])]
        first[place] = offset[place] + start
        last[place] = first[place] + length
    return first, last


def _span(trace: Trace, start: int, number: int, blocks: int, stride: int, length: int) -> tuple[int, int]:
    """From the first byte to the last."""
    if number < 0:
        return start, (blocks - 1) * stride + length
    runs = trace.lists[int(number)]
    if not len(runs):
        return start, 0
    lowest = int(runs.offsets.min())
    return start + lowest, runs.end - lowest
