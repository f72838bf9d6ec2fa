"""Follows the views and file pointers of one process's files, whole columns at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.errors import TraceError
from striate.layout.datatypes import Datatype
from striate.layout.extent_lists import ExtentNumbers
from striate.record.datatype import datatype_of
from striate.record.views import PLAIN, RecordedView, place

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Accesses:
    """Columns of one process's MPI-IO rows, in the order they happened."""

    file: Int64s  # number of the open
    kind: NDArray[Any]  # words of `KINDS`
    pointer: NDArray[Any]  # "", "own", "shared"
    offset: Int64s
    bytes: Int64s
    received: Int64s


@dataclass(slots=True, eq=False)
class ResolvedOffsets:
    """Absolute places by row; `unknown` says why some are not known."""

    offset: Int64s
    blocks: Int64s
    stride: Int64s
    extents: Int64s
    views_missed: int = 0
    shared_pointers: int = 0


def resolve(rows: Accesses, types: dict[int, bytes], lists: ExtentNumbers) -> ResolvedOffsets:
    """Absolute offsets of all reads and writes; -1 where a shared pointer moves."""
    count = len(rows.file)
    found = ResolvedOffsets(
        np.full(count, -1, np.int64),
        np.ones(count, np.int64),
        np.zeros(count, np.int64),
        np.full(count, -1, np.int64),
    )
    flattened: dict[int, Datatype | None] = {}
    for number in np.unique(rows.file):
        _resolve_file(rows, np.flatnonzero(rows.file == number), types, flattened, lists, found)
    return found


def _resolve_file(
    rows: Accesses,
    mine: Int64s,
    types: dict[int, bytes],
    flattened: dict[int, Datatype | None],
    lists: ExtentNumbers,
    found: ResolvedOffsets,
) -> None:
    kind, pointer, offset = rows.kind[mine], rows.pointer[mine], rows.offset[mine]
    sets = np.flatnonzero(kind == "view")
    views = [PLAIN]
    for at in sets.tolist():
        number = int(rows.bytes[mine[at]])
        datatype = _datatype(number, types, flattened)
        found.views_missed += datatype is None
        views.append(RecordedView(int(offset[at]), max(int(rows.received[mine[at]]), 1), datatype))
    which = np.searchsorted(sets, np.arange(len(mine)), side="right")
    etype = np.array([view.etype for view in views], np.int64)[which]
    access = np.isin(kind, ("read", "write"))
    position = np.where(pointer == "", offset * etype, _own_positions(rows, mine, etype))
    known = access & (pointer != "shared")
    found.shared_pointers += int((access & ~known).sum())
    for number, view in enumerate(views):
        chosen = known & (which == number)
        if not chosen.any():
            continue
        places = place(view, position[chosen], rows.bytes[mine[chosen]], lists)
        found.views_missed += places.collapsed
        for name in ("offset", "blocks", "stride", "extents"):
            getattr(found, name)[mine[chosen]] = getattr(places, name)


def _own_positions(rows: Accesses, mine: Int64s, etype: Int64s) -> Int64s:
    """The individual file pointer in data bytes before each row: the last reset plus what was moved since."""
    kind, pointer = rows.kind[mine], rows.pointer[mine]
    resets = np.isin(kind, ("open", "view", "seek"))
    value = np.where(
        kind == "seek", rows.offset[mine] * etype, np.where(kind == "open", rows.offset[mine], 0)
    )
    advance = np.where((pointer == "own") & np.isin(kind, ("read", "write")), rows.bytes[mine], 0)
    before = np.cumsum(advance) - advance
    last = np.maximum.accumulate(np.where(resets, np.arange(len(mine)), -1))
    base = np.where(last >= 0, value[last] - before[last], 0)
    return np.asarray(before + base, np.int64)


def _datatype(number: int, types: dict[int, bytes], flattened: dict[int, Datatype | None]) -> Datatype | None:
    """A view's datatype, or None when it is not supported."""
    if number not in flattened:
        try:
            flattened[number] = datatype_of(types[number])
        except (TraceError, KeyError):
            flattened[number] = None
    return flattened[number]
