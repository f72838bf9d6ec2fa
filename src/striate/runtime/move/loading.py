"""Loading: stored chunks into the windows of their owners, by whoever can read them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.state import State
from striate.runtime.move.windows import Windows
from striate.runtime.report import Report
from striate.runtime.store.chunks import ChunkReader

Int64 = npt.NDArray[np.int64]


class Loader:
    """Fills windows. Where servers have directories of their own, they read for the owners of the chunks."""

    def __init__(self, state: State, windows: Windows, reader: ChunkReader, report: Report) -> None:
        self.state = state
        self.windows = windows
        self.reader = reader
        self.report = report

    def load(self, chunks: Int64) -> None:
        """Collective: all ranks name the same chunks, of one round; afterwards they are in the windows."""
        far = []
        with Collective(self.state.ranks), self.report.stage("read"):
            for chunk in (int(number) for number in chunks):
                owner, reads = self.state.domains.owner(chunk), self._reads(chunk)
                if self.windows.node.numbers[owner] != self.windows.node.numbers[reads]:
                    far.append(chunk)
                elif reads == self.state.ranks.rank:
                    self.reader.load(chunk, self.windows.chunk(chunk))
        for batch in self._batches(far):
            self._load_far(batch)

    def _reads(self, chunk: int) -> int:
        """The rank that reads a chunk: its owner, or the server that alone can."""
        if not self.state.store.directories or self.reader.table.file[chunk] < 0:
            return self.state.domains.owner(chunk)
        server = self.reader.table.subfiles[int(self.reader.table.file[chunk])].server
        return self.state.plan.server_ranks[server]

    def _batches(self, far: list[int]) -> list[list[int]]:
        """So many chunks at once that no rank holds more than its share for messages."""
        if not far:
            return []
        longest = int(self.reader.table.length[far].max())
        most = max(1, self.state.budget.message_bytes // longest)
        queues: dict[int, int] = {}
        batches: list[list[int]] = []
        for chunk in far:
            turn = queues.get(self._reads(chunk), 0)
            queues[self._reads(chunk)] = turn + 1
            if turn // most == len(batches):
                batches.append([])
            batches[turn // most].append(chunk)
        return batches

    def _load_far(self, chunks: list[int]) -> None:
        """Servers read, and send to the owners, who check."""
        rank, sends, read = self.state.ranks.rank, [], {}
        with Collective(self.state.ranks), self.report.stage("read"):
            for chunk in chunks:
                if self._reads(chunk) == rank:
                    read[chunk] = self.reader.stored(chunk)
        for chunk, content in read.items():
            sends.append(self.state.ranks.start_send(content, self.state.domains.owner(chunk)))
            self.report.sent_bytes += content.size
            self.report.messages += 1
        arrived = {}
        for chunk in chunks:
            if self.state.domains.owner(chunk) == rank:
                arrived[chunk] = np.empty(int(self.reader.table.length[chunk]), np.uint8)
                self.state.ranks.receive(arrived[chunk], self._reads(chunk))
        for send in sends:
            send.Wait()
        with Collective(self.state.ranks), self.report.stage("read"):
            for chunk, content in arrived.items():
                self.reader.place(chunk, content, self.windows.chunk(chunk))
