"""Joint rows: variables with small rows are moved together, as one record per row, where nothing must be loaded before.

A random access moves a cache line, however few of its bytes are wanted: eight variables of 4 bytes by themselves take
eight lines for a row, and together one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from striate.runtime.move.groups.row_windows import RowWindows
from striate.runtime.move.schedules.resolve import PARTLY
from striate.runtime.move.schedules.schedule import Schedule
from striate.runtime.move.state import State
from striate.runtime.plan.grid import known_grid
from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.codec import Pipeline

WIDEST = 32  # bytes of a variable's row: one of a cache line gains nothing by company
FEWEST = 3  # variables: splitting rows costs about what one more pass costs


def row_bytes(state: State) -> int:
    """Bytes of a row of one variable."""
    return state.grid.chunk_bytes // state.grid.chunk_shape[0]


def moved_together(states: Mapping[str, State], rows: Schedule) -> list[str]:
    """The variables to move as joint rows, of those that one call brings; the same on all ranks."""
    if rows.combine != "last":
        return []
    partly = rows.coverage == PARTLY
    some = bool(partly.any())

    def fits(state: State) -> bool:
        loads = some and (rows.holes is None or (state.table.file[partly] >= 0).any())
        return 1 <= row_bytes(state) <= WIDEST and not loads and state.has_spare_chunk

    names = [name for name, state in states.items() if fits(state)]
    return names if len(names) >= FEWEST else []


def joint_state(states: list[State]) -> State:
    """The variables as one of rows of bytes, of which nothing is stored."""
    one = states[0]
    length, chunk_rows = one.grid.shape[0], one.grid.chunk_shape[0]
    size = sum(row_bytes(state) for state in states)
    grid = known_grid((length, size), 1, (chunk_rows, size))
    return replace(
        one, grid=grid, dtype=np.dtype(np.uint8), pipeline=Pipeline(()), table=ChunkTable.empty(grid.chunks)
    )


def row_windows(states: list[State]) -> RowWindows:
    """Windows for the joint rows, without memory so far."""
    one = states[0]
    return RowWindows(
        one.node,
        one.domains,
        window_chunks=one.window_chunks,
        chunk_rows=one.grid.chunk_shape[0],
        sizes=[row_bytes(state) for state in states],
    )
