"""Reading variables of a group: rows of fixed size, and lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DamageError
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.exchange import Exchange
from striate.runtime.move.groups.memory import GroupMemory
from striate.runtime.move.groups.row_schedule import RowSchedule
from striate.runtime.move.groups.state import GroupState
from striate.runtime.move.mapped import MappedReading
from striate.runtime.move.reading import Reading
from striate.runtime.move.schedules.schedule import Schedule
from striate.runtime.move.state import State
from striate.runtime.plan.ragged import Ragged, positions
from striate.runtime.plan.records import bytes_of, result_array
from striate.runtime.report import Report
from striate.runtime.store.chunks import ChunkReader
from striate.runtime.store.files import SubfileReader
from striate.runtime.store.group_metadata import VariableEntry, count_name, start_name
from striate.runtime.store.group_tables import GroupTables


@dataclass(frozen=True)
class GroupReading:
    """Collective reads of one generation or step."""

    state: GroupState
    tables: GroupTables
    memory: GroupMemory
    files: SubfileReader
    report: Report

    def rows(self, entry: VariableEntry, rows: RowSchedule, out: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
        """Rows of a variable of fixed size."""
        growing = self.state.metadata.grows(entry)
        state = self.state.states(self.tables.fixed, growing=growing)[entry.name]
        return self._read(state, rows.of(state), out)

    def lists(self, entry: VariableEntry, rows: RowSchedule) -> Ragged:
        """The lists of rows of a ragged variable."""
        counts, starts = (
            self.rows(self.state.entry(name), rows, None)
            for name in (count_name(entry.name), start_name(entry.name))
        )
        known = self.tables.ragged[entry.name]
        with Collective(self.state.ranks):
            if counts.size and (
                min(counts.min(), starts.min()) < 0 or (starts + counts).max() > known.elements
            ):
                raise DamageError(
                    f"expected all lists of the ragged variable to lie within its {known.elements} stored elements, "
                    "found a list outside",
                    at=entry.name,
                )
        if not known.elements:
            return Ragged(counts, np.zeros(0, entry.numpy_dtype()))
        state = self.state.list_state(entry, known)
        schedule = self.memory.schedule(state, positions(starts, counts))
        return Ragged(counts, self._read(state, schedule, None))

    def _read(self, state: State, schedule: Schedule, out: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
        reader = ChunkReader(state.grid, state.table, state.pipeline, self.files)
        with Collective(state.ranks, 0) as meeting:
            result = result_array(out, state.dtype, schedule.shape)
            mapped = MappedReading(state, schedule, reader, self.report)
            meeting.values[0] = not mapped.prepare()
        self.report.records = schedule.records
        if meeting.largest[0] or not mapped.run(bytes_of(result)):
            windows = self.memory.windows({"": state})[""]
            exchange = Exchange(state.ranks, schedule, report=self.report)
            Reading(state, windows, exchange, reader).run(bytes_of(result))
        return result
