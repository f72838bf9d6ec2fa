"""Joint rows straight into sub-files: a block of rows is split, checked and written while the CPU's cache has it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import xxhash

from striate import _core
from striate.runtime.move.groups.commit import PlacedVariables
from striate.runtime.move.groups.row_windows import RowWindows
from striate.runtime.move.state import State
from striate.runtime.move.writers import owners_and_writers
from striate.runtime.move.writing import Writing
from striate.runtime.plan.placement import offsets_in_subfiles
from striate.runtime.store.files import SubfileWriter

Bytes = npt.NDArray[np.uint8]
Int64 = npt.NDArray[np.int64]

BLOCK_BYTES = 2048 * 1024  # of rows: they and their columns stay in a second-level cache


def drains_columns(states: Sequence[State], writing: Writing) -> bool:
    """Whether each rank writes its own chunks, and none is compressed; the same on all ranks."""
    if any(state.pipeline or state.choose_codec for state in states):
        return False
    return all(
        np.array_equal(*owners_and_writers(writing.state, writing.chunks(turn))) for turn in writing.rounds()
    )


class ColumnDrain:
    """The joint variables of one write, whose rows `writing` moves, and where their chunks come to lie.

    Chunks lie where a `Writing` for each variable would put them, one variable after another in each round.
    """

    def __init__(self, writing: Writing, joint: RowWindows, names: Sequence[str]) -> None:
        self.writing = writing
        self.joint = joint
        self.names = names
        self.stored = np.array([writing.state.plain_bytes(joint.chunk_rows * size) for size in joint.sizes])
        self.offsets = np.zeros((len(names), writing.state.grid.chunks), np.int64)
        self.checksums = np.zeros((len(names), writing.state.domains.chunks_per_domain), np.uint64)
        self.written = np.zeros(writing.state.grid.chunks, np.bool_)
        rows = max(1, BLOCK_BYTES // sum(joint.sizes))
        self.block = np.empty(min(rows, joint.chunk_rows) * sum(joint.sizes), np.uint8)

    def run(self, turn: int) -> None:
        """Write the rows of a round, which all ranks have filled; failures are kept as those of `Writers`."""
        one = self.writing
        self._place(one.chunks(turn))
        own = one.own_chunks(turn)
        with one.report.stage("write"):
            one.writers.guard(lambda: self._write(own))

    def placed(self) -> PlacedVariables:
        """The chunks that were written."""
        chunks = np.flatnonzero(self.written)
        return PlacedVariables(
            self.names,
            chunks,
            self.writing.state.plan.server_of_chunk[chunks],
            self.offsets[:, chunks],
            np.repeat(self.stored[:, None], len(chunks), axis=1),
            self.checksums,
        )

    def _place(self, chunks: Int64) -> None:
        """Where each chunk of a round goes in its server's sub-file; the same on all ranks."""
        servers = np.tile(self.writing.state.plan.server_of_chunk[chunks], len(self.names))
        lengths, new = np.repeat(self.stored, len(chunks)), self.writing.new
        offsets, new.ends = offsets_in_subfiles(servers, lengths, new.ends)
        self.offsets[:, chunks] = offsets.reshape(len(self.names), len(chunks))
        self.written[chunks] = True

    def _write(self, chunks: Int64) -> None:
        first = self.writing.state.ranks.rank * self.writing.state.domains.chunks_per_domain
        for chunk in chunks.tolist():
            self.checksums[:, chunk - first] = self._write_chunk(chunk)

    def _write_chunk(self, chunk: int) -> list[int]:
        """Write a chunk of every variable; their checksums."""
        rows, sizes, row = self.joint.chunk(chunk), self.joint.sizes, sum(self.joint.sizes)
        file = self.writing.writers.file_of(chunk)
        columns = [_Column(file, offset) for offset in self.offsets[:, chunk].tolist()]
        for first in range(0, rows.size, self.block.size):
            some = rows[first : first + self.block.size]
            split = self.block[: some.size]
            _core.split_rows(split, some, sizes)
            content, count, at = split.data, some.size // row, 0
            for column, size in zip(columns, sizes, strict=True):
                column.put(content[at : at + count * size])
                at += count * size
        for column, size, stored in zip(columns, sizes, self.stored.tolist(), strict=True):
            if stored > self.joint.chunk_rows * size:
                column.put(memoryview(bytes(stored - self.joint.chunk_rows * size)))  # up to the alignment
        return [column.checksum.intdigest() for column in columns]


class _Column:
    """One chunk of one variable on its way into a sub-file."""

    def __init__(self, file: SubfileWriter, offset: int) -> None:
        self.file, self.offset = file, offset
        self.checksum = xxhash.xxh3_64()

    def put(self, content: memoryview) -> None:
        self.checksum.update(content)
        self.file.write(self.offset, [content])
        self.offset += len(content)
