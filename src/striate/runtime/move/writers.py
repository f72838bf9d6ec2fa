"""Writers: the servers' new sub-files, fed from shared memory where there is some, and by messages where not."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.runtime.move.state import State
from striate.runtime.move.windows import Windows
from striate.runtime.report import Report
from striate.runtime.store.files import SubfileWriter
from striate.runtime.store.frame import Frame

Int64 = npt.NDArray[np.int64]


class NewFiles:
    """The sub-files of the next generation: those this rank writes as a server, and how far each server has come.

    Several variables that are written together share them.
    """

    def __init__(self, state: State) -> None:
        self.ends = np.zeros(len(state.plan.server_ranks), np.int64)  # the same on all ranks
        servers, mine = state.plan.server_ranks, state.ranks.rank
        self.attempts = {server: state.attempt(server) for server, rank in enumerate(servers) if rank == mine}
        self.files = {
            server: SubfileWriter(state.store.folder(server) / state.new_name(server, attempt))
            for server, attempt in self.attempts.items()
        }

    def close(self, *, sync: bool) -> int:
        """Close the sub-files, durable when asked for; bytes written."""
        for file in self.files.values():
            file.close(sync=sync)
        return sum(file.written_bytes for file in self.files.values())

    def discard(self) -> None:
        """Remove the sub-files: they belong to no dataset."""
        for file in self.files.values():
            file.discard()


def owners_and_writers(state: State, chunks: Int64) -> tuple[Int64, Int64]:
    """The rank whose domain has each chunk, and the rank that writes it."""
    servers = np.array(state.plan.server_ranks)[state.plan.server_of_chunk[chunks]]
    return chunks // state.domains.chunks_per_domain, servers


class Writers:
    """What this rank writes as a server. Failures are kept until `wait`, so that no other rank is left waiting."""

    def __init__(self, state: State, windows: Windows, report: Report, new: NewFiles) -> None:
        self.state = state
        self.windows = windows
        self.report = report
        self.new = new
        self.files = new.files
        self.offsets = np.zeros(state.grid.chunks, np.int64)
        self.lengths = np.zeros(state.grid.chunks, np.int64)
        self.worker: ThreadPoolExecutor | None = None
        self.job: Future[None] | None = None
        self.failure: Exception | None = None

    def write_behind(self) -> None:
        """From now on write in a thread, and flush there what must be durable, while the caller goes on."""
        self.worker = ThreadPoolExecutor(1, "striate-write")

    def write(self, chunks: Int64, frames: dict[int, Frame]) -> None:
        """Collective: every chunk goes to its server. `frames` are those of our own domain."""
        mine = self.state.ranks.rank
        owners, writers = owners_and_writers(self.state, chunks)
        near = self._are_near(chunks, owners, writers)
        sends = []
        for at in np.flatnonzero(~near & (owners == mine)):
            content = frames[int(chunks[at])].content
            sends.append(self.state.ranks.start_send(content, int(writers[at])))
            self.report.sent_bytes += content.size
            self.report.messages += 1
        written = chunks[near & (writers == mine)].tolist()
        self._start(lambda: self._write_near(written, frames))
        self._finish_messages(chunks[~near & (owners != mine) & (writers == mine)].tolist(), sends)

    def wait(self) -> None:
        """Wait for the thread; raises what failed since the last time."""
        if self.job is not None:
            job, self.job = self.job, None
            job.result()
        if self.failure is not None:
            raise self.failure

    def flush(self) -> None:
        """Make durable what was written, when that is asked for; failures are kept until `wait`."""
        self.guard(lambda: self.job.result() if self.job is not None else None)
        self.guard(self._flush)

    def _flush(self) -> None:
        if self.state.options.sync:
            for file in self.files.values():
                file.flush()

    def close(self) -> int:
        """Close the sub-files, durable when asked for; bytes written."""
        self.wait()
        self.stop()
        return self.new.close(sync=self.state.options.sync)

    def discard(self) -> None:
        """Remove the sub-files: they belong to no dataset."""
        if self.job is not None:
            self.job.exception()
        self.stop()
        self.new.discard()

    def stop(self) -> None:
        """End the thread."""
        if self.worker is not None:
            self.worker.shutdown()

    def file_of(self, chunk: int) -> SubfileWriter:
        """The sub-file of a chunk that is ours to write."""
        return self.files[self._server(chunk)]

    def _server(self, chunk: int) -> int:
        return int(self.state.plan.server_of_chunk[chunk])

    def _are_near(self, chunks: Int64, owners: Int64, writers: Int64) -> npt.NDArray[np.bool_]:
        """True where no message is needed: the chunk is the writer's own, or lies in memory that both share."""
        nodes = self.windows.node.numbers
        near: npt.NDArray[np.bool_] = nodes[owners] == nodes[writers]
        if self.state.pipeline:
            near &= self.lengths[chunks] <= self.state.grid.chunk_bytes
        near |= owners == writers
        return near

    def _start(self, work: Callable[[], None]) -> None:
        if self.worker is not None:
            self.job = self.worker.submit(work)
        else:
            self.guard(work)

    def guard(self, work: Callable[[], Any]) -> None:
        """Do something whose failure is kept until `wait`; nothing after a failure."""
        try:
            if self.failure is None:
                work()
        except Exception as error:  # whatever it is, it is raised when all ranks meet
            self.failure = error

    def _write_near(self, chunks: list[int], frames: dict[int, Frame]) -> None:
        with self.report.stage("write"):
            for run in self._runs(chunks):
                buffers = [part for chunk in run for part in self._buffers(chunk, frames)]
                self.file_of(run[0]).write(int(self.offsets[run[0]]), buffers)
            if self.worker is not None:
                self._flush()

    def _runs(self, chunks: list[int]) -> list[list[int]]:
        """Chunks that follow one another in a sub-file, together."""
        runs: list[list[int]] = []
        for chunk in chunks:
            last = runs[-1][-1] if runs else -1
            follows = last >= 0 and self._server(last) == self._server(chunk)
            if follows and self.offsets[last] + self.lengths[last] == self.offsets[chunk]:
                runs[-1].append(chunk)
            else:
                runs.append([chunk])
        return runs

    def _buffers(self, chunk: int, frames: dict[int, Frame]) -> list[memoryview]:
        if chunk in frames:
            return frames[chunk].buffers()
        content = self.windows.chunk(chunk)[: self.lengths[chunk]]  # a neighbour's, in shared memory
        return Frame(content, int(self.lengths[chunk]) - content.size, 0).buffers()

    def _finish_messages(self, arriving: list[int], sends: list[Any]) -> None:
        if arriving:
            self.guard(self.wait)  # one at a time writes to a sub-file
        for chunk in arriving:
            length = int(self.lengths[chunk])
            size = length if self.state.pipeline else self.state.grid.chunk_bytes
            content = np.empty(size, np.uint8)
            self.state.ranks.receive(content, self.state.domains.owner(chunk))
            self.guard(self._writing(chunk, Frame(content, length - size, 0)))
        for send in sends:
            send.Wait()

    def _writing(self, chunk: int, frame: Frame) -> Callable[[], None]:
        file, offset = self.file_of(chunk), int(self.offsets[chunk])
        return lambda: file.write(offset, frame.buffers())
