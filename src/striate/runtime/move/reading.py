"""Collective reads: sub-files into windows, each chunk once, and out of them to whoever asked."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from striate.runtime.move.exchange import Exchange
from striate.runtime.move.loading import Loader
from striate.runtime.move.schedules.schedule import Schedule
from striate.runtime.move.state import State
from striate.runtime.move.windows import Windows
from striate.runtime.report import Report
from striate.runtime.store.chunks import ChunkReader

Bytes = npt.NDArray[np.uint8]


class Reading:
    """One collective read."""

    def __init__(self, state: State, windows: Windows, exchange: Exchange, reader: ChunkReader) -> None:
        self.state = state
        self.windows = windows
        self.exchange = exchange
        self.schedule: Schedule = exchange.schedule
        self.report: Report = exchange.report
        self.reader = reader
        self.loader = Loader(state, windows, reader, exchange.report)

    def run(self, records: Bytes) -> None:
        """Fill the caller's records."""
        before = self.reader.read_bytes
        last: int | None = None
        for turn in range(self.schedule.partition.rounds):
            domain = self.state.domains.chunks_per_domain
            chunks = self.schedule.chunks_in(turn, self.windows.window_chunks, domain)
            if not len(chunks):
                continue
            if last is not None and self.windows.shares_memory(last, turn):
                self.state.ranks.barrier()  # rounds between them had nothing to do
            last = turn
            self.loader.load(chunks)
            with self.report.stage("exchange"):
                rank = self.state.ranks.rank
                self.exchange.take(turn, records, self.windows.shared(turn), self.windows.of(rank, turn))
            self.report.rounds += 1
        # No meeting here: every operation begins with one, so no window is filled again before all have taken.
        self.report.stored_bytes = self.reader.read_bytes - before
