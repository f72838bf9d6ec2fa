"""Row schedules: which rows along a dimension go where, found once for all variables of a group that have it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.groups.state import GroupState
from striate.runtime.move.schedules.schedule import Schedule, build_schedule
from striate.runtime.move.state import State
from striate.runtime.plan.grid import Grid
from striate.runtime.plan.partition import Partition
from striate.runtime.plan.selection import Selection, select


@dataclass(frozen=True)
class RowSchedule:
    """How rows along one dimension are written and read, by any variable of the group; made by `schedule`."""

    dimension: str
    rows: Schedule
    made: dict[tuple[int, ...], Schedule] = field(default_factory=dict, repr=False)

    def of(self, state: State) -> Schedule:
        """The schedule of one variable: the same moves, of records of its own size."""
        shape = state.grid.shape[1:]
        size = _row_elements(state) * state.grid.item_bytes
        if (size, *shape) not in self.made:
            partition = replace(self.rows.partition, record_bytes=size)
            self.made[size, *shape] = replace(
                self.rows, partition=partition, shape=(self.rows.shape[0], *shape)
            )
        return self.made[size, *shape]

    def check(self, state: GroupState, dimension: str, combine: str | None) -> None:
        """Refuse to serve another group, another dimension, or another way to combine."""
        rows = self.rows
        fits = self.dimension == dimension and rows.partition == partition_of(state, dimension)
        if not fits or not np.array_equal(rows.segments, state.setting.node.segments):
            raise DatasetError(
                f"expected a schedule (prepared plan of an access) of this group along the dimension {dimension!r}, "
                "got another schedule"
            )
        if combine not in (None, rows.combine):
            raise DatasetError(
                f'expected combine "{rows.combine}", with which the schedule (prepared plan of an access) was made, '
                f"got {combine!r}"
            )


def build_rows(
    state: GroupState, dimension: str, where: Any, combine: str, scratch: npt.NDArray[np.uint8]
) -> RowSchedule:
    """Collective: the schedule of the rows `where`; `scratch` is memory of the node, free to use."""
    with Collective(state.ranks, 0) as meeting:
        _check(state, dimension, combine)
        selection = _select_rows(state, dimension, where)
        meeting.values[0] = selection.starts.size
    partition, most = partition_of(state, dimension), meeting.largest[0]
    units = np.array(selection.starts, partition.position_type(most))
    rows = build_schedule(
        state.ranks,
        state.setting.node,
        partition,
        units,
        shape=(len(units),),
        combine=combine,
        quota=state.budget(dimension).message_records(partition.record_bytes),
        most=most,
        scratch=scratch,
    )
    return RowSchedule(dimension, rows)


def partition_of(state: GroupState, dimension: str) -> Partition:
    """The rows of a dimension dealt to ranks and windows, as records of all variables' rows together."""
    found: Partition = state.known(("partition", dimension), lambda: _partition(state, dimension))
    return found


def _partition(state: GroupState, dimension: str) -> Partition:
    rows, domains = state.metadata.rows[dimension], state.domains(dimension)
    window_chunks = state.budget(dimension).window_chunks(domains.chunks_per_domain)
    return Partition(
        records=state.metadata.dimensions[dimension],
        record_bytes=max(state.row_bytes(dimension, growing=growing) for growing in (False, True)),
        chunk=rows.chunk_rows,
        domain=domains.chunks_per_domain * rows.chunk_rows,
        window=window_chunks * rows.chunk_rows,
        ranks=state.ranks.size,
    )


def _check(state: GroupState, dimension: str, combine: str) -> None:
    if dimension not in state.metadata.rows:
        known = ", ".join(state.metadata.rows)
        raise DatasetError(
            f"expected a dimension of the group with rows among {known}, got {dimension!r:.60}"
        )
    if combine not in ("last", "sum"):
        raise DatasetError(f'expected `combine` (for equal indices) "last" or "sum", got {combine!r}')


def _select_rows(state: GroupState, dimension: str, where: Any) -> Selection:
    length = state.metadata.dimensions[dimension]
    grid = Grid((length,), 1, (state.metadata.rows[dimension].chunk_rows,))
    selection = select(where, grid)
    if selection.by_row:
        return selection
    runs = selection.starts[:, None] + np.arange(selection.run)
    return select(runs.reshape(-1), grid)


def _row_elements(state: State) -> int:
    return math.prod(state.grid.shape[1:])
