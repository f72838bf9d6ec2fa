"""Writing variables of a group: one after the other through the same windows, into the same sub-files."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from striate.runtime.move.collective import Collective
from striate.runtime.move.exchange import Exchange
from striate.runtime.move.group_commit import joint_table
from striate.runtime.move.group_state import GroupState
from striate.runtime.move.row_schedule import RowSchedule
from striate.runtime.move.state import State
from striate.runtime.move.windows import Windows
from striate.runtime.move.writers import NewFiles
from striate.runtime.move.writing import Writing
from striate.runtime.report import Report
from striate.runtime.store.chunks import ChunkReader, ChunkTable
from striate.runtime.store.files import SubfileReader

Bytes = npt.NDArray[np.uint8]


class GroupWriting:
    """One collective write of variables that have rows along one dimension; all grow, or none."""

    def __init__(self, state: GroupState, old: ChunkTable, rows: RowSchedule, *, growing: bool) -> None:
        self.state = state
        self.old = old
        self.rows = rows
        self.growing = growing
        self.states = state.states(old, growing=growing)
        self.new = NewFiles(next(iter(self.states.values())))
        self.writings: dict[str, Writing] = {}
        self.report = Report("write", state.ranks.rank)

    def run(
        self, sources: dict[str, Bytes], windows_of: Callable[[State], Windows], files: SubfileReader
    ) -> ChunkTable:
        """Write all; the table of the group's chunks afterwards. On failure what was written is removed."""
        ranks = self.state.ranks
        try:
            for name, source in sources.items():
                self._write(name, source, windows_of(self.states[name]), files)
            with Collective(ranks), self.report.stage("wait"):
                self.report.stored_bytes = self.new.close(sync=self.state.setting.options.sync)
            return joint_table(self.state, self.old, self.writings, growing=self.growing)
        except Exception:
            self.discard()
            raise

    def discard(self) -> None:
        """Remove the new sub-files: they belong to no dataset."""
        for writing in self.writings.values():
            writing.writers.stop()
        self.new.discard()

    def _write(self, name: str, source: Bytes, windows: Windows, files: SubfileReader) -> None:
        state, schedule = self.states[name], self.rows.of(self.states[name])
        reader = ChunkReader(state.grid, state.table, state.pipeline, files)
        exchange = Exchange(state.ranks, schedule, report=self.report)
        writing = self.writings[name] = Writing(state, windows, exchange, reader, self.new)
        writing.run(source, in_background=False)
        with Collective(state.ranks), self.report.stage("wait"):  # the next variable uses the same windows
            writing.writers.wait()
        writing.writers.stop()
        self.report.records += schedule.records
