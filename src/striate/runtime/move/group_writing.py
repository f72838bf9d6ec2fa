"""Writing variables of a group: all through windows side by side, with one meeting a round, into the same sub-files."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from striate.runtime.move.collective import Collective
from striate.runtime.move.exchange import Exchange
from striate.runtime.move.group_commit import joint_table
from striate.runtime.move.group_state import GroupState
from striate.runtime.move.row_schedule import RowSchedule
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

    def run(self, sources: dict[str, Bytes], windows: dict[str, Windows], files: SubfileReader) -> ChunkTable:
        """Write all; the table of the group's chunks afterwards. On failure what was written is removed."""
        state = self.state
        for name in sources:
            self.writings[name] = self._writing(name, windows[name], files)
        try:
            rounds = next(iter(self.writings.values())).rounds()  # the same rows of every variable
            for turn in rounds:
                self._round(turn, sources, first=turn == rounds[0])
            self.report.rounds = len(rounds)
            with Collective(state.ranks), self.report.stage("wait"):
                self._raise_failures()
                self.report.stored_bytes = self.new.close(sync=state.setting.options.sync)
            return joint_table(state, self.old, self.writings, growing=self.growing)
        except Exception:
            self.discard()
            raise

    def _round(self, turn: int, sources: dict[str, Bytes], *, first: bool) -> None:
        """All variables into their windows, one meeting, and all windows into the sub-files."""
        if not first:
            self._meet()  # the windows of a round before are written
        for name, writing in self.writings.items():
            writing.fill(turn, sources[name])
        self._meet()
        for writing in self.writings.values():
            writing.drain(turn)

    def _meet(self) -> None:
        with Collective(self.state.ranks, patient=True), self.report.stage("wait"):
            self._raise_failures()

    def _raise_failures(self) -> None:
        for writing in self.writings.values():
            writing.writers.wait()

    def discard(self) -> None:
        """Remove the new sub-files: they belong to no dataset."""
        self.new.discard()

    def _writing(self, name: str, windows: Windows, files: SubfileReader) -> Writing:
        state, schedule = self.states[name], self.rows.of(self.states[name])
        reader = ChunkReader(state.grid, state.table, state.pipeline, files)
        self.report.records += schedule.records
        return Writing(state, windows, Exchange(state.ranks, schedule, report=self.report), reader, self.new)
