"""Schedules of an array: made from places, changed in some entries, and refused on another dataset."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.schedules.schedule import Schedule, build_schedule, common_unit
from striate.runtime.move.schedules.update import can_update, update_schedule
from striate.runtime.move.state import State
from striate.runtime.plan.partition import Partition
from striate.runtime.plan.selection import as_array, select

Bytes = npt.NDArray[np.uint8]


def same_call(name: str, where: Any, combine: str) -> dict[str, object]:
    """What must be the same on all ranks before they go on together."""
    by = "a schedule" if isinstance(where, Schedule) else "places"
    return {"call (method, indices or schedule, and combine)": (name, by, combine)}


def make_schedule(
    state: State, call: str, where: Any, combine: str, scratch: Bytes, *, keep: bool = False
) -> Schedule:
    """Collective: the schedule of `where`; one to `keep` has numbers of its own, which the caller cannot change.

    `scratch` is memory of the node, free to use.
    """
    with Collective(state.ranks, 0, same=same_call(call, where, combine)):
        _check_combine(combine, state.dtype)
        selection = select(where, state.grid)
    row = int(np.prod(state.grid.shape[1:], dtype=np.int64))
    unit, most = common_unit(state.ranks, selection, state.grid.chunk_elements, row)
    partition = state.partition(unit)
    units = np.ascontiguousarray(selection.in_units(unit), partition.position_type(most))
    if keep and np.may_share_memory(units, selection.starts):
        units = units.copy()
    return _build(state, units, partition, selection.shape, combine, most, scratch)


def change_schedule(state: State, schedule: Schedule, changed: Any, indices: Any, scratch: Bytes) -> Schedule:
    """Collective: the schedule with its entries `changed` now at `indices`; itself when no rank changes any."""
    entries = np.zeros(0, np.int64)
    with Collective(state.ranks, 0, same=same_call("updated", schedule, schedule.combine)) as meeting:
        units, entries = _changed_units(state, schedule, _entries(changed), indices)
        meeting.values[0] = len(entries)
    most_changed = meeting.largest[0]
    if most_changed == 0:
        return schedule
    if can_update(schedule, state.node, most_changed):
        return update_schedule(state.ranks, schedule, units, entries, most_changed)
    return _build(state, units, schedule.partition, schedule.shape, schedule.combine, schedule.most, scratch)


def check_schedule(state: State, schedule: Schedule) -> None:
    """Refuse a schedule of another dataset."""
    unit = schedule.partition.record_bytes // state.grid.item_bytes
    if schedule.partition != state.partition(max(unit, 1)):
        raise DatasetError(
            "expected a schedule (prepared plan of an access) made by this dataset, got one of another dataset"
        )
    if not np.array_equal(schedule.segments, state.node.segments):
        raise DatasetError(
            "expected a schedule (prepared plan of an access) made with the same share_memory as this dataset, "
            "got one with another value"
        )


def refuse_other_combine(combine: str | None, schedule: Schedule) -> None:
    """Refuse to combine otherwise than the schedule was made for."""
    if combine not in (None, schedule.combine):
        raise DatasetError(
            f'expected combine "{schedule.combine}", with which the schedule (prepared plan of an access) was made, '
            f"got {combine!r}: "
            f"give {combine!r} to schedule() instead"
        )


def _build(
    state: State,
    units: Any,
    partition: Partition,
    shape: tuple[int, ...],
    combine: str,
    most: int,
    scratch: Bytes,
) -> Schedule:
    return build_schedule(
        state.ranks,
        state.node,
        partition,
        units,
        shape=shape,
        combine=combine,
        quota=state.budget.message_records(partition.record_bytes),
        most=most,
        scratch=scratch,
    )


def _changed_units(state: State, schedule: Schedule, changed: Any, indices: Any) -> tuple[Any, Any]:
    """The units of the schedule after the change, and which of them changed, ascending and each once."""
    check_schedule(state, schedule)
    grid, rows = state.grid, schedule.shape[0] if schedule.shape else 0
    selection = select(indices, grid)
    if not selection.by_row or selection.starts.shape != changed.shape:
        found = selection.starts.size
        raise DatasetError(f"expected one index for each of {changed.size} changed entries, got {found}")
    if changed.size and not 0 <= changed.min() <= changed.max() < rows:
        raise DatasetError(
            f"expected changed entries of the index array at positions 0 to {rows - 1}, "
            f"got {changed.min()} to {changed.max()}"
        )
    unit, units = schedule.partition.record_bytes // grid.item_bytes, schedule.units.copy()
    if schedule.shape[1:] != grid.shape[1:] or selection.run % unit:
        raise DatasetError(
            "expected the schedule (prepared plan of an access) of an index array, got one of a slab (slices)"
        )
    if not units.size or not changed.size:  # a row may be nothing, or several units
        return units, changed[:0]
    units.reshape(rows, -1)[changed] = selection.in_units(unit).reshape(changed.size, -1)
    per_row = units.size // rows
    ascending = np.sort(changed)
    once = ascending[np.diff(ascending, prepend=-1) > 0]
    entries = once[:, None] * per_row + np.arange(per_row)
    return units, entries.reshape(-1)


def _entries(changed: Any) -> npt.NDArray[np.int64]:
    entries = as_array(changed)
    if entries.size and (entries.ndim != 1 or entries.dtype.kind not in "iu"):
        raise DatasetError(
            f"expected a one-dimensional array of changed positions, got {entries.ndim} axes of {entries.dtype}"
        )
    return entries.astype(np.int64)


def _check_combine(combine: str, dtype: np.dtype[Any]) -> None:
    if combine not in ("last", "sum"):
        raise DatasetError(f'expected `combine` (for equal indices) "last" or "sum", got {combine!r}')
    if combine == "sum" and not _can_add(dtype):
        raise DatasetError(f'expected a numeric type for combine "sum", got {dtype}')


def _can_add(dtype: np.dtype[Any]) -> bool:
    if dtype.subdtype is not None:
        return _can_add(dtype.subdtype[0])
    if dtype.names is None:
        return dtype.kind in "iufc"
    return all(_can_add(dtype[name]) for name in dtype.names)
