"""What the caller brings to one write of a group: rows of fixed size, and lists; checked first, then written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.move.groups.list_placement import ListPlacement
from striate.runtime.move.groups.reading import GroupReading
from striate.runtime.move.groups.row_schedule import RowSchedule, build_rows
from striate.runtime.move.groups.state import GroupState
from striate.runtime.move.groups.writing import GroupWriting
from striate.runtime.plan.ragged import Ragged, checked_lists, positions
from striate.runtime.plan.records import bytes_of, record_bytes
from striate.runtime.store.group_metadata import VariableEntry, count_name, start_name
from striate.runtime.store.group_tables import GroupTables

Bytes = npt.NDArray[np.uint8]


class Brought:
    """The records of some variables for the rows of one schedule."""

    def __init__(self, state: GroupState, rows: RowSchedule, records: Mapping[str, Any]) -> None:
        """Check and keep the records of each variable; nothing collective."""
        self.rows = rows
        self.entries = {entry.name: entry for entry in state.metadata.variables}
        self.fixed: dict[str, Bytes] = {}
        self.lists: dict[str, Ragged] = {}
        for name, brought in records.items():
            try:
                self._take(state, self.entries[name], brought)
            except DatasetError as error:
                raise DatasetError(error.message, at=error.at or name) from None

    def _take(self, state: GroupState, entry: VariableEntry, records: Any) -> None:
        name = entry.name
        if entry.chunk_elements:
            if self.rows.rows.combine != "last":
                raise DatasetError(
                    "expected a schedule (prepared plan of an access) made with combine 'last' for ragged "
                    "variables (rows of several lengths), "
                    f"got one made with {self.rows.rows.combine!r}",
                    at=name,
                )
            self.lists[name] = checked_lists(records, entry.numpy_dtype(), self.rows.rows.shape[0])
        else:
            shape = (self.rows.rows.shape[0], *state.metadata.grid_of(entry).shape[1:])
            self.fixed[name] = record_bytes(records, entry.numpy_dtype(), shape)

    def write(self, writing: GroupWriting) -> GroupTables:
        """Collective: into new sub-files; where all chunks lie then."""
        if self.fixed:
            writing.take(self.rows, self.fixed)
        for name, lists in self.lists.items():
            self._write_lists(writing, self.entries[name], lists)
        return writing.finish()

    def _write_lists(self, writing: GroupWriting, entry: VariableEntry, lists: Ragged) -> None:
        """Lengths, beginnings and elements; of variables that do not grow, rows that nobody names keep their lists."""
        state, old = writing.state, writing.tables
        length = state.metadata.dimensions[self.rows.dimension]
        indices = self.rows.rows.units.astype(np.int64)
        placement = ListPlacement(state.ranks, length, indices, lists.counts)
        kept = Ragged(np.zeros(0, np.int64), lists.values[:0])
        if old.ragged[entry.name].elements:
            kept = self._kept(writing, entry, placement)
            placement.keep(kept.counts)
        placed = placement.placed()
        own = build_rows(
            state, self.rows.dimension, slice(placement.first, placement.end), "last", writing.scratch()
        )
        sources = {
            count_name(entry.name): bytes_of(placement.counts),
            start_name(entry.name): bytes_of(placed.starts),
        }
        writing.take(own, sources)
        ours = placed.begins >= 0
        chosen = np.repeat(ours, lists.counts)
        keeping = placed.starts[placement.unclaimed - placement.first] if len(kept) else placed.starts[:0]
        places = np.concatenate(
            [positions(placed.begins[ours], lists.counts[ours]), positions(keeping, kept.counts)]
        )
        values = np.concatenate([lists.values[chosen], kept.values])
        writing.take_lists(entry, placed.elements, places, bytes_of(values))

    def _kept(self, writing: GroupWriting, entry: VariableEntry, placement: ListPlacement) -> Ragged:
        rows = build_rows(writing.state, self.rows.dimension, placement.unclaimed, "last", writing.scratch())
        reading = GroupReading(writing.state, writing.tables, writing.memory, writing.files, writing.report)
        return reading.lists(entry, rows)
