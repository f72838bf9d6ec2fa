"""Where accesses through views and file pointers really go: absolute offsets and byte runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.lists import ListMaker
from striate.record.datatype import Layout

Int64s = NDArray[np.int64]
MOST_RUNS = 2**22  # of one access; more are shown as one


@dataclass(frozen=True, slots=True, eq=False)
class FileView:
    """What MPI_File_set_view set: data byte p lies where the layout's tiles, from `displacement` on, put it."""

    displacement: int
    etype: int
    layout: Layout | None  # None: not understood, taken as contiguous

    @property
    def contiguous(self) -> bool:
        layout = self.layout
        return layout is None or (len(layout.offset) == 1 and layout.size == layout.extent)


PLAIN = FileView(0, 1, None)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Per access: first byte, number of equal blocks and their stride, or a list of runs."""

    offset: Int64s
    blocks: Int64s
    stride: Int64s
    extents: Int64s
    collapsed: int = 0  # accesses of too many runs to list, shown as one


def place(view: FileView, position: Int64s, size: Int64s, lists: ListMaker) -> Places:
    """Where `size` data bytes from data byte `position` on lie in the file."""
    rows = len(position)
    ones, zeros, none = np.ones(rows, np.int64), np.zeros(rows, np.int64), np.full(rows, -1, np.int64)
    layout = view.layout
    if view.contiguous or layout is None:
        lead = int(layout.offset[0]) if layout is not None and len(layout.offset) else 0
        return Places(view.displacement + lead + position, ones, zeros, none)
    if layout.size == 0:
        return Places(np.full(rows, view.displacement, np.int64), ones, zeros, none)
    tile, inside = position // layout.size, position % layout.size
    base = view.displacement + tile * layout.extent
    offset, blocks, stride, extents = base.copy(), ones, zeros, none
    collapsed = 0
    shapes, shape_of = np.unique(np.stack([inside, size]), axis=1, return_inverse=True)
    for number, (start, length) in enumerate(shapes.T.tolist()):
        chosen = shape_of.ravel() == number
        if not _regular(layout, start, length) and _runs_bound(layout, start, length) > MOST_RUNS:
            collapsed += int(chosen.sum())
            length = 1
        first, count, step, runs = _pattern(layout, start, length)
        offset[chosen] = base[chosen] + first
        if runs is not None:
            extents[chosen] = lists.number(*runs)
        else:
            blocks[chosen], stride[chosen] = count, step
    return Places(offset, blocks, stride, extents, collapsed)


def _regular(layout: Layout, start: int, length: int) -> bool:
    """Whole tiles of one block each: no need to write the runs out."""
    return len(layout.offset) == 1 and start == 0 and length > layout.size and length % layout.size == 0


def _runs_bound(layout: Layout, start: int, length: int) -> int:
    return -(-(start + length) // layout.size) * len(layout.offset)


def _pattern(layout: Layout, start: int, length: int) -> tuple[int, int, int, tuple[Int64s, Int64s] | None]:
    """(first byte, blocks, stride, runs or None) of `length` data bytes from byte `start` of a tile on."""
    if _regular(layout, start, length):
        return int(layout.offset[0]), length // layout.size, layout.extent, None
    offsets, lengths = _runs(layout, start, length)
    if not len(offsets):
        return 0, 1, 0, None
    first = int(offsets[0])
    steps = np.diff(offsets)
    if len(offsets) == 1:
        return first, 1, 0, None
    if (lengths == lengths[0]).all() and (steps == steps[0]).all():
        return first, len(offsets), int(steps[0]), None
    return first, 1, 0, (offsets - first, lengths)


def _runs(layout: Layout, start: int, length: int) -> tuple[Int64s, Int64s]:
    tiles = -(-(start + length) // layout.size)
    offsets = (np.arange(tiles, dtype=np.int64)[:, None] * layout.extent + layout.offset).ravel()
    lengths = np.tile(layout.length, tiles)
    ends = np.cumsum(lengths)
    low, high = np.maximum(ends - lengths, start), np.minimum(ends, start + length)
    offsets = offsets + (low - (ends - lengths))
    lengths = high - low
    keep = lengths > 0
    offsets, lengths = offsets[keep], lengths[keep]
    joined = np.ones(len(offsets), bool)
    joined[1:] = offsets[1:] != offsets[:-1] + lengths[:-1]
    at = np.flatnonzero(joined)
    return offsets[at], np.add.reduceat(lengths, at) if len(at) else lengths
