"""Collective writes: records into windows, windows into frames, frames into the servers' new sub-files."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import numpy.typing as npt

from striate import _core
from striate.runtime.move.choose_codec import choose_codec
from striate.runtime.move.commit import Commit
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.exchange import Exchange, RowParts
from striate.runtime.move.loading import Loader
from striate.runtime.move.schedules.resolve import PARTLY
from striate.runtime.move.schedules.schedule import Schedule
from striate.runtime.move.state import State
from striate.runtime.move.windows import Windows
from striate.runtime.move.writers import NewFiles, Writers
from striate.runtime.plan.placement import offsets_in_subfiles, slots
from striate.runtime.report import Report
from striate.runtime.store.chunks import ChunkReader, ChunkTable
from striate.runtime.store.commit import Written, merged_table
from striate.runtime.store.frame import Frame, seal

Bytes = npt.NDArray[np.uint8]
Int64 = npt.NDArray[np.int64]


class Writing:
    """One collective write. `run` takes all records; `finish` waits for the last bytes and commits."""

    def __init__(
        self,
        state: State,
        windows: Windows,
        exchange: Exchange,
        reader: ChunkReader,
        new: NewFiles | None = None,
    ) -> None:
        self.state = state
        self.windows = windows
        self.exchange = exchange
        self.schedule: Schedule = exchange.schedule
        self.report: Report = exchange.report
        self.loader = Loader(state, windows, reader, exchange.report)
        self.new = new or NewFiles(state)
        self.writers = Writers(state, windows, exchange.report, self.new)
        self.checksums = np.zeros(state.domains.chunks_per_domain, np.uint64)  # of our own domain

    def run(self, records: Bytes) -> None:
        """Take all records from the caller, whose memory is free afterwards."""
        rounds = self.rounds()
        if len(rounds) > 1:
            self.writers.write_behind()
        try:
            for before, turn in zip([None, *rounds], rounds, strict=False):
                if before is not None and self.windows.shares_memory(before, turn):
                    self._meet()  # rounds between them had nothing to do
                self.fill(turn, records)
                self._meet()
                self.drain(turn)
        except Exception:
            self.writers.discard()
            raise
        self.report.rounds = len(rounds)

    def run_in_background(self, records: Bytes) -> None:
        """As `run`, and the flush as well, so that `finish` finds little to wait for."""
        self.run(records)
        self.writers.flush()

    def finish(self) -> State:
        """Collective: the new generation of the dataset; on failure all that was written is removed."""
        try:
            new = Commit(self.state, self._table())
            with self.report.stage("wait"):
                new.prepare(self._close)
            with self.report.stage("commit"):
                return new.put_in_place()
        except Exception:
            self.writers.discard()
            raise

    def _close(self) -> None:
        self.report.stored_bytes = self.writers.close()

    def chunks(self, turn: int) -> Int64:
        """The chunks of a round, of all ranks."""
        domain = self.state.domains.chunks_per_domain
        return self.schedule.chunks_in(turn, self.windows.window_chunks, domain)

    def rounds(self) -> list[int]:
        """The rounds in which any chunk is written; the same on all ranks."""
        return [turn for turn in range(self.schedule.partition.rounds) if len(self.chunks(turn))]

    def _own(self, chunks: Int64) -> Int64:
        own: Int64 = chunks[chunks // self.state.domains.chunks_per_domain == self.state.ranks.rank]
        return own

    def own_chunks(self, turn: int) -> Int64:
        """The chunks of a round that are ours."""
        return self._own(self.chunks(turn))

    def fill(self, turn: int, records: Bytes | RowParts) -> None:
        """Put the records of a round into the windows; before `drain` all ranks meet."""
        chunks, rank = self.chunks(turn), self.state.ranks.rank
        self._prepare(turn, chunks, self._own(chunks))
        with self.report.stage("exchange"):
            shared, window = self.windows.shared(turn), self.windows.of(rank, turn)
            self.exchange.put(turn, records, shared, window, self.state.dtype)

    def drain(self, turn: int) -> None:
        """Write the windows of a round, which all ranks have filled."""
        chunks = self.chunks(turn)
        own = self._own(chunks)
        if self.state.choose_codec:
            self.state = self.writers.state = choose_codec(self.state, [self._window(chunk) for chunk in own])
        frames = self._seal(own)
        self.place(turn, chunks, frames)
        self.writers.write(chunks, frames)

    def _meet(self) -> None:
        """All records of a round are in the windows, and the round before is written; high ranks put most of them."""
        with Collective(self.state.ranks), self.report.stage("wait"):
            self.writers.wait()

    def _window(self, chunk: int) -> Bytes:
        return self.windows.chunk(int(chunk))

    def _prepare(self, turn: int, chunks: Int64, own: Int64) -> None:
        """Chunks that are only partly written keep their other records; what lies beyond the array is zero."""
        adding, partition = self.schedule.combine == "sum", self.schedule.partition
        if len(own) and own[-1] == self.state.grid.chunks - 1:
            used = partition.records * partition.record_bytes - int(own[-1]) * self.state.grid.chunk_bytes
            self._window(own[-1])[max(used, 0) :] = 0
        missing = chunks[self.schedule.coverage[chunks] == PARTLY]
        if not adding and self.schedule.holes is not None:
            self._clear_holes(turn, own, self.schedule.holes)
            missing = missing[self.state.table.file[missing] >= 0]
        if adding or len(missing):
            with self.report.stage("load"):
                self.loader.load(missing)
        if adding:
            for chunk in own:
                self._clear_claimed(int(chunk))

    def _clear_holes(self, turn: int, own: Int64, holes: Int64) -> None:
        """Records of our own chunks that nobody writes and nobody wrote before are zero.

        Chunks that were written before are left alone: another rank may be loading them into our window.
        """
        partition = self.schedule.partition
        first = turn * partition.window
        begin, end = np.searchsorted(holes, [first, first + partition.window])
        fresh = own[self.state.table.file[own] < 0]
        if begin == end or not len(fresh):
            return
        clear = np.zeros(partition.window // partition.chunk, np.bool_)
        clear[fresh % self.state.domains.chunks_per_domain - turn * len(clear)] = True
        places = holes[begin:end] - first
        places = places[clear[places // partition.chunk]]
        window, zero = (
            self.windows.of(self.state.ranks.rank, turn),
            np.zeros(partition.record_bytes, np.uint8),
        )
        from_zero = np.zeros_like(places)  # the one record there is
        _core.move_records(window, places, zero, from_zero, len(places), partition.record_bytes)

    def _clear_claimed(self, chunk: int) -> None:
        """Sums begin at zero, wherever something is added."""
        partition = self.schedule.partition
        within = chunk % self.state.domains.chunks_per_domain
        turn, at = divmod(within, self.windows.window_chunks)
        moves = self.schedule.writing
        places = moves.incoming[moves.incoming_starts[turn, 0] : moves.incoming_starts[turn, -1]]
        mine = (
            places[(places >= at * partition.chunk) & (places < (at + 1) * partition.chunk)]
            - at * partition.chunk
        )
        self._window(chunk).reshape(partition.chunk, partition.record_bytes)[mine] = 0

    def _seal(self, own: Int64) -> dict[int, Frame]:
        """Our own chunks as they will be stored; a compressed one takes the place of what it was made of."""
        state, frames = self.state, {}
        meeting = Collective(state.ranks) if state.pipeline else nullcontext()  # a checksum alone cannot fail
        with meeting, self.report.stage("compress"):
            for chunk in own:
                window = self._window(chunk)
                frame = seal(
                    window,
                    state.pipeline,
                    record_bytes=state.dtype.itemsize,
                    alignment=state.options.alignment,
                )
                frames[int(chunk)] = frame.within(window) if state.pipeline else frame
        for chunk, frame in frames.items():
            self.keep_checksum(chunk, frame.checksum)
        return frames

    def keep_checksum(self, chunk: int, checksum: int) -> None:
        """Remember the checksum of a chunk of ours for the table."""
        self.checksums[chunk - self.state.ranks.rank * self.state.domains.chunks_per_domain] = checksum

    def place(self, turn: int, chunks: Int64, frames: dict[int, Frame]) -> None:
        """Where each chunk of the round goes in its server's sub-file; the same on all ranks.

        Without compression the lengths are known, and no frames are needed.
        """
        servers = self.state.plan.server_of_chunk[chunks]
        lengths = self._lengths(turn, chunks, frames)
        self.writers.offsets[chunks], self.new.ends = offsets_in_subfiles(servers, lengths, self.new.ends)
        self.writers.lengths[chunks] = lengths

    def _lengths(self, turn: int, chunks: Int64, frames: dict[int, Frame]) -> Int64:
        """Stored bytes of each chunk: known for whole chunks, told by the owners for compressed ones."""
        state, window = self.state, self.windows.window_chunks
        if not state.pipeline:
            return np.full(len(chunks), state.plain_bytes(state.grid.chunk_bytes), np.int64)
        row = np.zeros(window, np.int64)
        first = state.ranks.rank * state.domains.chunks_per_domain + turn * window
        for chunk, frame in frames.items():
            row[chunk - first] = frame.length
        owners, within = np.divmod(chunks, state.domains.chunks_per_domain)
        told: Int64 = state.ranks.gather_rows(row)[owners, within - turn * window]
        return told

    def _table(self) -> ChunkTable:
        """Collective: where all chunks lie; ranks tell each other their chunks' checksums and their servers' names."""
        state = self.state
        servers = np.array(state.plan.server_ranks)
        row = np.zeros(len(self.checksums) + np.bincount(servers).max(), np.uint64)
        row[: len(self.checksums)] = self.checksums
        row[len(self.checksums) :][: len(self.new.attempts)] = list(self.new.attempts.values())
        rows = state.ranks.gather_rows(row)
        attempts = rows[servers, len(self.checksums) + slots(servers)]
        chunks, offsets, lengths = self.placed()
        checksums = rows[:, : len(self.checksums)].reshape(-1)
        return merged_table(
            state.table,
            Written(chunks, offsets, lengths, checksums[chunks]),
            state.plan.server_of_chunk[chunks],
            lambda server: state.new_name(server, int(attempts[server])),
        )

    def placed(self) -> tuple[Int64, Int64, Int64]:
        """The chunks that were written, their offsets and their lengths."""
        chunks = np.flatnonzero(self.writers.lengths)
        return chunks, self.writers.offsets[chunks], self.writers.lengths[chunks]
