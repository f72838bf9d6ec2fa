"""Where accesses through views and file pointers really go: absolute offsets and byte runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.errors import LayoutError
from striate.layout.datatypes import Datatype, FileView
from striate.layout.extent_lists import ExtentNumbers
from striate.layout.extents import Extents

Int64s = NDArray[np.int64]
MOST_RUNS = 2**22  # of one access; more are shown as one


@dataclass(frozen=True, slots=True, eq=False)
class RecordedView:
    """What MPI_File_set_view set: data byte p lies where the datatype's tiles, from `displacement` on, put it."""

    displacement: int
    etype: int
    datatype: Datatype | None  # None: not understood, taken as contiguous


PLAIN = RecordedView(0, 1, None)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Per access: first byte, number of equal blocks and their stride, or a list of runs."""

    offset: Int64s
    blocks: Int64s
    stride: Int64s
    extents: Int64s
    collapsed: int = 0  # accesses of too many runs to list, shown as one


def place(view: RecordedView, position: Int64s, size: Int64s, lists: ExtentNumbers) -> Places:
    """Where `size` data bytes from data byte `position` on lie in the file."""
    rows = len(position)
    ones, zeros, none = np.ones(rows, np.int64), np.zeros(rows, np.int64), np.full(rows, -1, np.int64)
    datatype = view.datatype
    if datatype is None or datatype.is_dense:
        lead = int(datatype.runs.offsets[0]) if datatype is not None else 0
        return Places(view.displacement + lead + position, ones, zeros, none)
    if datatype.size == 0:
        return Places(np.full(rows, view.displacement, np.int64), ones, zeros, none)
    tile, inside = position // datatype.size, position % datatype.size
    base = view.displacement + tile * datatype.extent
    offset, blocks, stride, extents = base.copy(), ones, zeros, none
    collapsed = 0
    shapes, shape_of = np.unique(np.stack([inside, size]), axis=1, return_inverse=True)
    for number, (start, length) in enumerate(shapes.T.tolist()):
        chosen = shape_of.ravel() == number
        try:
            first, count, step, runs = _pattern(datatype, start, length)
        except LayoutError:  # runs that are too many, or leave the file
            collapsed += int(chosen.sum())
            first, count, step, runs = _pattern(datatype, start, 1)
        offset[chosen] = base[chosen] + first
        if runs is not None:
            extents[chosen] = lists.number(runs)
        else:
            blocks[chosen], stride[chosen] = count, step
    return Places(offset, blocks, stride, extents, collapsed)


def _regular(datatype: Datatype, start: int, length: int) -> bool:
    """Whole tiles of one block each: no need to write the runs out."""
    return len(datatype.runs) == 1 and start == 0 and length > datatype.size and length % datatype.size == 0


def _pattern(datatype: Datatype, start: int, length: int) -> tuple[int, int, int, Extents | None]:
    """(first byte, blocks, stride, runs or None) of `length` data bytes from byte `start` of a tile on."""
    if _regular(datatype, start, length):
        return int(datatype.runs.offsets[0]), length // datatype.size, datatype.extent, None
    if -(-(start + length) // datatype.size) * len(datatype.runs) > MOST_RUNS:
        raise LayoutError(f"expected at most {MOST_RUNS} byte runs in one file access, got more")
    runs = FileView(0, datatype).extents(start, length)
    offsets, lengths = runs.offsets, runs.sizes
    if not len(offsets):
        return 0, 1, 0, None
    first = int(offsets[0])
    steps = np.diff(offsets)
    if len(offsets) == 1:
        return first, 1, 0, None
    if (lengths == lengths[0]).all() and (steps == steps[0]).all():
        return first, len(offsets), int(steps[0]), None
    return first, 1, 0, Extents.trusted(offsets - first, lengths)
