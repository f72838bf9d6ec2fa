"""Windows onto rows of several variables, which are moved as one record and then split into the variables' chunks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from striate import _core
from striate.runtime.move.communicator.node import Node
from striate.runtime.move.windows import Windows
from striate.runtime.plan.placement import Domains

Bytes = npt.NDArray[np.uint8]


class RowWindows(Windows):
    """As `Windows`, with room for one chunk more for each rank, so that a chunk is split without a copy of it.

    The rows of a chunk are split into the place of the chunk before, which is free by then; those of the first chunk
    of a window into the spare place.
    """

    def __init__(
        self, node: Node, domains: Domains, *, window_chunks: int, chunk_rows: int, sizes: Sequence[int]
    ) -> None:
        self.chunk_rows = chunk_rows
        self.sizes = list(sizes)  # bytes of each variable in a row
        super().__init__(node, domains, window_chunks=window_chunks, chunk_bytes=chunk_rows * sum(self.sizes))

    @property
    def total_bytes(self) -> int:
        """Bytes of all windows of the node, and of the spare places."""
        return super().total_bytes + len(self.node.members) * self.chunk_bytes

    def split(self, chunk: int) -> None:
        """Put the rows of a chunk, which is the next of its window, into the variables' chunks."""
        _core.split_rows(self.columns(chunk), self.chunk(chunk), self.sizes)

    def columns(self, chunk: int) -> Bytes:
        """Where the variables' chunks lie, one behind another, after `split`."""
        owner = self.domains.owner(chunk)
        if (chunk - owner * self.domains.chunks_per_domain) % self.window_chunks:
            return self.chunk(chunk - 1)
        assert self.memory is not None
        first = super().total_bytes + int(self.node.segments[owner]) * self.chunk_bytes
        return self.memory[first : first + self.chunk_bytes]


class ColumnWindows(Windows):
    """One variable of `RowWindows`: its chunks, when the rows are split."""

    def __init__(self, rows: RowWindows, number: int) -> None:
        chunk_bytes = rows.chunk_rows * rows.sizes[number]
        super().__init__(rows.node, rows.domains, window_chunks=rows.window_chunks, chunk_bytes=chunk_bytes)
        self.rows = rows
        self.first = rows.chunk_rows * sum(rows.sizes[:number])

    def chunk(self, chunk: int) -> Bytes:
        """The place of a chunk whose owner shares our memory."""
        return self.rows.columns(chunk)[self.first : self.first + self.chunk_bytes]
