"""Mapped reads: on one node records come straight out of the sub-files, as the system has them in memory."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from striate import _core
from striate.errors import StorageError
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.schedules.resolve import UNTOUCHED
from striate.runtime.move.schedules.schedule import Schedule
from striate.runtime.move.state import State
from striate.runtime.report import Report
from striate.runtime.store.chunks import ChunkReader

Bytes = npt.NDArray[np.uint8]


class MappedReading:
    """One collective read of uncompressed chunks by ranks that share memory: all see the same pages.

    Each rank checks the chunks of its domain; then every rank takes its records from wherever they lie. A file that
    somebody changes between the two is seen by its size and time (a page that a truncation leaves half reads as zeros).
    """

    def __init__(self, state: State, schedule: Schedule, reader: ChunkReader, report: Report) -> None:
        self.state = state
        self.schedule = schedule
        self.reader = reader
        self.report = report
        touched = np.flatnonzero(schedule.coverage != UNTOUCHED)
        self.stored = touched[reader.table.file[touched] >= 0]
        self.used = np.unique(reader.table.file[self.stored])
        self.files: list[_core.MappedFile] = []
        self.states: list[tuple[int, int]] = []

    def prepare(self) -> bool:
        """Check our own chunks and map all sub-files; False where that is not the way to read them."""
        state = self.state
        if not state.node.is_everyone or state.pipeline or state.store.directories:
            return False
        if int(self.reader.table.length[self.stored].sum()) > memory_bytes() // 2:
            return False  # pages would go before all ranks have taken their records
        try:
            with self.report.stage("read"):
                self.files = [
                    self.reader.files.map(self.reader.table.subfiles[int(number)]) for number in self.used
                ]
                self.states = self._states()
        except RuntimeError:
            return False  # a file system without mapped files
        except StorageError as error:
            if error.errno != errno.ENOENT:
                raise
            return False  # a later write removed it: whoever opened it before can still read it
        with self.report.stage("read"):
            for chunk in self.stored[self.stored // state.domains.chunks_per_domain == state.ranks.rank]:
                self.reader.check(int(chunk))
        self.report.stored_bytes = self.reader.read_bytes
        return True

    def run(self, records: Bytes) -> bool:
        """Collective: fill the caller's records, when all ranks have prepared; False on all when a file has changed."""
        with Collective(self.state.ranks, 0) as meeting, self.report.stage("exchange"):
            meeting.values[0] = not self._gather(records)
        self.report.moved_bytes += records.size
        self.report.rounds = 1
        return not meeting.largest[0]

    def _gather(self, records: Bytes) -> bool:
        partition, table = self.schedule.partition, self.reader.table
        file = np.full(len(table.file), -1, np.int64)
        file[self.stored] = np.searchsorted(self.used, table.file[self.stored])
        try:
            _core.gather_chunks(
                records,
                self.schedule.units,
                self.files,
                file,
                table.offset,
                partition.chunk,
                partition.record_bytes,
            )
        except _core.PageLostError:
            return False
        return self._states() == self.states

    def _states(self) -> list[tuple[int, int]]:
        return [self.reader.files.state(self.reader.table.subfiles[int(number)]) for number in self.used]


def memory_bytes() -> int:
    """The memory of this node, or of the part of it that we are allowed to use."""
    limit = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):  # "max", or no control groups
        limit = min(limit, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return limit
