"""The dataset: a global array on disk that all ranks of a communicator write and read together."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.move.commit import clean, commit, known_identities
from striate.runtime.move.communicator.background import Background
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.communicator.node import Node
from striate.runtime.move.exchange import Exchange
from striate.runtime.move.homes import with_homes
from striate.runtime.move.mapped import MappedReading
from striate.runtime.move.reading import Reading
from striate.runtime.move.schedules.array_schedule import (
    change_schedule,
    check_schedule,
    make_schedule,
    refuse_other_combine,
    same_call,
)
from striate.runtime.move.schedules.schedule import Schedule
from striate.runtime.move.session import BRICKS, CHANGED, FRESH
from striate.runtime.move.snapshot import hold_snapshot, newest
from striate.runtime.move.state import State
from striate.runtime.move.windows import Windows
from striate.runtime.move.writing import Writing
from striate.runtime.pending import Pending, PendingRead
from striate.runtime.plan.records import bytes_of, record_bytes, result_array
from striate.runtime.report import Report
from striate.runtime.store.chunks import ChunkReader
from striate.runtime.store.files import SubfileReader
from striate.runtime.store.metadata import SubFile, decode

Bytes = npt.NDArray[np.uint8]


class Dataset:
    """A global array of `shape` and `dtype`, in C order; made by `create` or `open`.

    Every method whose name ends in `_all`, and `schedule`, `close` and `wait`, is collective: all ranks call it, in
    the same order. `write_all(where, records)` is `array[where] = records` on the whole array: `where` is an
    array of row numbers in any order, or slices. What two ranks write to one place is resolved: the higher rank
    wins, and within a rank the later entry; `combine="sum"` adds instead. After a write returns, all of it is in
    the dataset; after a crash none of it is, or all.
    """

    def __init__(self, state: State, files: SubfileReader) -> None:
        self._state = state
        self._files = files
        self._windows = self._new_windows(state.node)
        self._pending: Pending | PendingRead | None = None
        self._background: Background | None = None
        self._caches: list[Callable[[], object]] = []  # what writes the records that caches keep
        self._closed = False
        self.report = Report("open", state.ranks.rank)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self._state.grid.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return self._state.dtype

    @property
    def generation(self) -> int:
        """How many writes the dataset has seen."""
        return self._state.generation

    @property
    def codec(self) -> list[dict[str, Any]]:
        """The codecs each chunk goes through, as plain data."""
        return self._state.pipeline.configs

    def schedule(self, where: Any, *, combine: str = "last") -> Schedule:
        """Collective: how `where` is written and read, to be used again while it does not change."""
        report = Report("schedule", self._state.ranks.rank)
        with report.stage("schedule"):
            self._ready()
            schedule = make_schedule(self._state, "schedule", where, combine, self._scratch(), keep=True)
        self.report = report
        return schedule

    def updated(self, schedule: Schedule, changed: Any, indices: Any) -> Schedule:
        """Collective: the schedule with its entries `changed` now at `indices`; itself when no rank changes any.

        On one node, of millions of entries per rank, only the records that these leave or reach are resolved again.
        Between nodes, for sums, and when more than one entry in 512 changes, all are: that is faster.
        """
        self._ready()
        return change_schedule(self._state, schedule, changed, indices, self._scratch())

    def write_all(self, where: Any, records: Any, *, combine: str | None = None) -> Report:
        """Collective: `array[where] = records`; `where` is indices, slices, or a schedule. What was done.

        `combine` is "last" or "sum"; without it a schedule's own, or "last". Another than the schedule's is refused.
        """
        return self.iwrite_all(where, records, combine=combine, _in_background=False).wait()

    def iwrite_all(
        self, where: Any, records: Any, *, combine: str | None = None, _in_background: bool = True
    ) -> Pending:
        """Collective: begin a write; `records` may be changed at once, `wait` of the result ends it.

        A copy of the records is exchanged and written by a thread; with a schedule nothing is left to do here.
        """
        self._ready()
        session = self._state.session
        report, schedule = self._begin("write", where, combine or "last")
        try:
            with Collective(
                self._state.ranks, 0, same=same_call("write_all", where, schedule.combine)
            ) as meeting:
                refuse_other_combine(combine, schedule)
                source = self._as_bytes(records, schedule)
                meeting.values[0] = session.begin() | session.find_bricks()
            if found := meeting.largest[0]:
                self._catch_up(fresh=bool(found & FRESH), changed=bool(found & CHANGED))
            if found & BRICKS:
                self._state = with_homes(self._state)
            report.records = schedule.records
            state, windows = self._background_state() if _in_background else (self._state, self._windows)
            exchange = Exchange(state.ranks, schedule, report=report)
            writing = Writing(state, windows, exchange, self._reader())
            moved = None
            if _in_background:
                kept = self._thread().copy(source)
                moved = self._thread().start(lambda: writing.run_in_background(kept))
            else:
                writing.run(source)
        except Exception:
            session.end()
            raise
        self._pending = pending = Pending(writing, moved, self._finish)
        return pending

    def read_all(self, where: Any, *, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """Collective: `array[where]`, every byte checked; into `out` when it is given."""
        self._end_pending()
        if not isinstance(where, Schedule):
            self._ready()
        report, schedule = self._begin("read", where, "last")
        with Collective(self._state.ranks, 0, same=same_call("read_all", where, schedule.combine)) as meeting:
            result = self._result(schedule, out)
            mapped = MappedReading(self._state, schedule, self._reader(), report)
            meeting.values[0] = not mapped.prepare()
        report.records = schedule.records
        if meeting.largest[0] or not mapped.run(bytes_of(result)):
            self._ready()
            exchange = Exchange(self._state.ranks, schedule, report=report)
            Reading(self._state, self._windows, exchange, self._reader()).run(bytes_of(result))
        self.report = report
        return result

    def iread_all(self, where: Any, *, out: npt.NDArray[Any] | None = None) -> PendingRead:
        """Collective: begin a read of `array[where]`, which a thread makes; `wait` of the result gives the array."""
        self._ready()
        report, schedule = self._begin("read", where, "last")
        with Collective(self._state.ranks, same=same_call("iread_all", where, schedule.combine)):
            result = self._result(schedule, out)
        state, windows = self._background_state()
        reader = self._reader()

        def read() -> None:
            exchange = Exchange(state.ranks, schedule, report=report)
            with Collective(state.ranks, 0) as meeting:
                mapped = MappedReading(state, schedule, reader, report)
                meeting.values[0] = not mapped.prepare()
            report.records = schedule.records
            if meeting.largest[0] or not mapped.run(bytes_of(result)):
                Reading(state, windows, exchange, reader).run(bytes_of(result))

        def finish(done: Future[None]) -> None:
            self._pending = None
            done.result()
            self.report = report

        self._pending = pending = PendingRead(result, self._thread().start(read), finish)
        return pending

    def _thread(self) -> Background:
        """Collective the first time: where work goes on in the background."""
        if self._background is None:
            self._background = Background(self._state)
        return self._background

    def _background_state(self) -> tuple[State, Windows]:
        """Collective the first time: state and windows for the thread."""
        state = self._thread().state(self._state)
        return state, self._thread().windows(self._windows, state.node)

    def refresh(self) -> bool:
        """Collective: switch to the newest generation on disk, whoever wrote it; True when that is another one.

        Until then a handle reads the generation that it opened or last wrote. Its schedules stay valid.
        """
        self._end_pending()
        state = self._state
        if not state.committed:
            return False

        def take(content: bytes) -> tuple[State, list[SubFile]]:
            after = state.at(decode(content, str(state.store.metadata_path)))
            return after, after.subfiles_we_read()

        first = newest(state.ranks, state.store)
        self._state, state.session.stamp = hold_snapshot(state.ranks, state.store, self._files, first, take)
        return self._state.generation != state.generation

    def close(self) -> None:
        """Collective: end what is pending. A dataset that was created and never written becomes one of zeros."""
        if self._closed:
            return
        self._end_pending()
        for write_kept in self._caches:
            write_kept()
        try:
            if not self._state.committed:
                self._state = commit(self._state, self._state.table)
            if self._background is not None:
                self._background.end(together=True)
                self._background = None
        finally:
            self._release()

    def __enter__(self) -> Dataset:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self._release()

    def _release(self) -> None:
        if self._pending is not None:  # left by an error: what it wrote belongs to no dataset
            self._pending.discard()
        if self._background is not None:
            self._background.end(together=False)
        self._files.close()
        self._windows.release()
        self._state.session.close()
        self._closed = True

    def _end_pending(self) -> None:
        """End the write before this."""
        if self._closed:
            raise DatasetError("the dataset is closed", source=str(self._state.store.path))
        if self._pending is not None:
            self._pending.wait()

    def _ready(self) -> None:
        """End the write before this, and see that there is memory for the windows."""
        self._end_pending()
        if self._windows.memory is None and not self._windows.reuse():
            self._get_memory()

    def _get_memory(self) -> None:
        """Memory for the windows; where a node cannot share so much, all go on with messages alone."""
        missing = not self._windows.allocate()
        if self._state.ranks.largest([missing])[0]:
            node = self._state.group.node(False)
            self._state = replace(self._state, node=node)
            self._windows = self._new_windows(node)
            self._windows.allocate()

    def _new_windows(self, node: Node) -> Windows:
        state = self._state
        return Windows(
            node, state.domains, window_chunks=state.window_chunks, chunk_bytes=state.grid.chunk_bytes
        )

    def _begin(self, operation: str, where: Any, combine: str) -> tuple[Report, Schedule]:
        report = Report(operation, self._state.ranks.rank)
        if isinstance(where, Schedule):
            return report, where
        with report.stage("schedule"):
            return report, make_schedule(self._state, f"{operation}_all", where, combine, self._scratch())

    def _scratch(self) -> Bytes:
        """Memory of the node, free while nothing is moved."""
        assert self._windows.memory is not None
        return self._windows.memory

    def _reader(self) -> ChunkReader:
        return ChunkReader(self._state.grid, self._state.table, self._state.pipeline, self._files)

    def _as_bytes(self, records: Any, schedule: Schedule) -> Bytes:
        check_schedule(self._state, schedule)
        return record_bytes(records, self.dtype, schedule.shape)

    def _result(self, schedule: Schedule, out: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
        check_schedule(self._state, schedule)
        return result_array(out, self.dtype, schedule.shape)

    def _catch_up(self, *, fresh: bool, changed: bool) -> None:
        """Collective, with the lock: take in what others have written since, and remove what dead writers left."""
        state = self._state
        if changed and not state.committed:
            raise DatasetError(
                "another dataset was written to this directory since this one was created; "
                "nothing was replaced",
                at=str(state.store.path),
            )
        if changed:
            content, _ = newest(state.ranks, state.store)
            with Collective(state.ranks):
                self._state = state = state.at(decode(content, str(state.store.metadata_path)))
            state.session.caught_up()
        if fresh and state.committed:
            clean(state, known_identities(state) if state.ranks.rank == 0 else set())

    def _finish(self, writing: Writing) -> Report:
        pending, self._pending = self._pending, None
        try:
            if isinstance(pending, Pending):
                pending.finish_moving()
            writing.state = replace(writing.state, group=self._state.group, node=self._state.node)
            self._state = writing.finish()
        finally:
            self._state.session.end()
        self._files.hold(self._state.subfiles_we_read())
        self.report = writing.report
        return writing.report
