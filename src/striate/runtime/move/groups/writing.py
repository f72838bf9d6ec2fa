"""Writing variables of a group: those of fixed size together, round by round; lists one after another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.exchange import Exchange, RowParts
from striate.runtime.move.groups.column_drain import ColumnDrain, drains_columns
from striate.runtime.move.groups.commit import PlacedVariables, joint_tables
from striate.runtime.move.groups.joint_rows import joint_state, moved_together, row_windows
from striate.runtime.move.groups.memory import GroupMemory, new_windows
from striate.runtime.move.groups.row_schedule import RowSchedule
from striate.runtime.move.groups.row_windows import ColumnWindows, RowWindows
from striate.runtime.move.groups.state import GroupState
from striate.runtime.move.schedules.schedule import Schedule
from striate.runtime.move.state import State
from striate.runtime.move.windows import Windows
from striate.runtime.move.writers import NewFiles, owners_and_writers
from striate.runtime.move.writing import Writing
from striate.runtime.report import Report
from striate.runtime.store.chunks import ChunkReader
from striate.runtime.store.files import SubfileReader
from striate.runtime.store.group_metadata import VariableEntry
from striate.runtime.store.group_tables import GroupTables
from striate.runtime.store.metadata import MOST_LISTED

Bytes = npt.NDArray[np.uint8]
Int64 = npt.NDArray[np.int64]
Fill = tuple[Writing, Bytes | RowParts]


class GroupWriting:
    """One collective write into new sub-files, of variables that all grow, or none; `finish` gives their chunks."""

    def __init__(
        self,
        state: GroupState,
        old: GroupTables,
        memory: GroupMemory,
        files: SubfileReader,
        *,
        growing: bool,
    ) -> None:
        self.state = state
        self.tables = old
        self.memory = memory
        self.files = files
        self.growing = growing
        self.states = state.states(old.fixed, growing=growing)
        self.new = NewFiles(next(iter(self.states.values()), None) or state.any_state())
        self.writings: dict[str, Writing] = {}
        self.columns: list[ColumnDrain] = []
        self.report = Report("write", state.ranks.rank)

    def take(self, rows: RowSchedule, sources: Mapping[str, Bytes]) -> None:
        """Collective: variables with rows along one dimension; small rows as joint ones, others through own windows."""
        states = {name: self.states[name] for name in sources}
        together = moved_together(states, rows.rows)
        windows = {name: new_windows(state) for name, state in states.items() if name not in together}
        joint = row_windows([states[name] for name in together]) if together else None
        self.memory.place([*windows.values(), *([] if joint is None else [joint])])
        fills: list[Fill] = []
        columns = None
        if joint is not None:
            joined = [states[name] for name in together]
            state = joint_state(joined)
            writing = self._writing(state, joint, rows.of(state))
            fills.append((writing, RowParts([sources[name] for name in together], joint.sizes)))
            if drains_columns(joined, writing):
                columns = ColumnDrain(writing, joint, together)
            else:
                windows |= {name: ColumnWindows(joint, number) for number, name in enumerate(together)}
        writings = {
            name: self._writing(state, windows[name], rows.of(state))
            for name, state in states.items()
            if name in windows
        }
        fills += [(writings[name], sources[name]) for name in sources if name not in together]
        self.report.records += sum(rows.of(state).records for state in states.values())
        self._run(writings, fills, joint, columns)

    def take_lists(self, entry: VariableEntry, elements: int, places: Any, source: Bytes) -> None:
        """Collective: the elements of a ragged variable that are ours, each at its place of all."""
        self.tables = self.tables.with_lists(entry, elements)
        if not elements:
            return
        if (chunks := -(-elements // entry.chunk_elements)) > MOST_LISTED:
            raise DatasetError(
                f"expected at most {MOST_LISTED} chunks for the lists of a ragged variable, "
                f"got {chunks}: create the group with a larger chunk",
                at=entry.name,
            )
        state = self.state.list_state(entry, self.tables.ragged[entry.name])
        self._meet()  # the memory of windows before is free
        schedule = self.memory.schedule(state, places)
        writing = self._writing(state, self.memory.windows({entry.name: state})[entry.name], schedule)
        self.report.records += schedule.records
        self._run({entry.name: writing}, [(writing, source)])

    def scratch(self) -> Bytes:
        """Memory of the node, free when all ranks have met."""
        assert self.memory.memory is not None
        return self.memory.memory

    def finish(self) -> GroupTables:
        """Collective: where all chunks lie now."""
        with Collective(self.state.ranks), self.report.stage("wait"):
            self._raise_failures()
            self.report.stored_bytes = self.new.close(sync=self.state.setting.options.sync)
        placed = [columns.placed() for columns in self.columns]
        placed += [PlacedVariables.by(name, writing) for name, writing in self.writings.items()]
        return joint_tables(self.state, self.tables, placed, growing=self.growing)

    def discard(self) -> None:
        """Remove the new sub-files: they belong to no dataset."""
        self.new.discard()

    def _run(
        self,
        writings: dict[str, Writing],
        fills: list[Fill],
        joint: RowWindows | None = None,
        columns: ColumnDrain | None = None,
    ) -> None:
        self.writings |= writings
        if columns is not None:
            self.columns.append(columns)
        for turn in fills[0][0].rounds():  # the same rows of every variable
            if self.report.rounds:
                self._meet()  # the windows of a round before are written
            for writing, source in fills:
                writing.fill(turn, source)
            self._meet()
            if columns is not None:
                columns.run(turn)
            elif joint is not None:
                self._split(fills[0][0], turn, joint)
            for writing in writings.values():
                writing.drain(turn)
            self.report.rounds += 1

    def _split(self, writing: Writing, turn: int, joint: RowWindows) -> None:
        """Rows into columns, each rank in its own window; all meet where a rank writes chunks of another."""
        with self.report.stage("exchange"):
            for chunk in writing.own_chunks(turn):
                joint.split(int(chunk))
        owners, writers = owners_and_writers(writing.state, writing.chunks(turn))
        if not np.array_equal(owners, writers):
            self._meet()

    def _meet(self) -> None:
        with Collective(self.state.ranks), self.report.stage("wait"):
            self._raise_failures()

    def _raise_failures(self) -> None:
        for writing in [*(columns.writing for columns in self.columns), *self.writings.values()]:
            writing.writers.wait()

    def _writing(self, state: State, windows: Windows, schedule: Schedule) -> Writing:
        reader = ChunkReader(state.grid, state.table, state.pipeline, self.files)
        return Writing(state, windows, Exchange(state.ranks, schedule, report=self.report), reader, self.new)
