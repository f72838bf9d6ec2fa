"""Stored chunks: one is read and checked into the place it belongs, or as it lies in its sub-file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import xxhash

from striate.errors import DamageError
from striate.runtime.plan.grid import Grid
from striate.runtime.store.codec import Pipeline
from striate.runtime.store.files import SubfileReader
from striate.runtime.store.frame import checksum, unseal
from striate.runtime.store.metadata import Chunks, Metadata, SubFile

Bytes = npt.NDArray[np.uint8]

_PIECE = 2**18  # bytes that stay in a core's own cache from the read to the checksum
_DIFFERS = "the data is damaged: its checksum differs"


@dataclass(frozen=True)
class ChunkTable:
    """Where every chunk is stored, as columns; built once from the metadata."""

    file: npt.NDArray[np.int64]
    offset: npt.NDArray[np.int64]
    length: npt.NDArray[np.int64]
    checksum: npt.NDArray[np.uint64]
    subfiles: list[SubFile]

    @classmethod
    def of(cls, metadata: Metadata) -> ChunkTable:
        return cls.from_columns(metadata.chunks, metadata.subfiles)

    @classmethod
    def from_columns(cls, columns: Chunks, subfiles: list[SubFile]) -> ChunkTable:
        return cls(
            np.array(columns.file, np.int64),
            np.array(columns.offset, np.int64),
            np.array(columns.length, np.int64),
            np.array(columns.checksum, np.uint64),
            subfiles,
        )

    def columns(self) -> Chunks:
        """The table as metadata holds it."""
        return Chunks(self.file.tolist(), self.offset.tolist(), self.length.tolist(), self.checksum.tolist())

    def part(self, first: int, end: int) -> ChunkTable:
        """The chunks from `first` to `end` alone; sub-files keep their numbers."""
        rows = slice(first, end)
        return ChunkTable(
            self.file[rows], self.offset[rows], self.length[rows], self.checksum[rows], self.subfiles
        )

    @classmethod
    def empty(cls, chunks: int) -> ChunkTable:
        """No chunk was ever written."""
        none = np.zeros(chunks, np.int64)
        return cls(none - 1, none, none, none.astype(np.uint64), [])


class ChunkReader:
    """Reads and checks stored chunks."""

    def __init__(self, grid: Grid, table: ChunkTable, pipeline: Pipeline, files: SubfileReader) -> None:
        self.grid = grid
        self.table = table
        self.pipeline = pipeline
        self.files = files
        self.read_bytes = 0

    def load(self, chunk: int, into: Bytes) -> None:
        """Fill `into` with the chunk, every byte checked; one that was never written is zeros."""
        if self.table.file[chunk] < 0:
            into[:] = 0
        elif self.pipeline:
            self.place(chunk, self.stored(chunk), into)
        else:
            self._load_raw(chunk, into)

    def check(self, chunk: int) -> None:
        """Read the chunk and compare its checksum; it is kept nowhere."""
        if self.table.file[chunk] < 0:
            return
        first, left = int(self.table.offset[chunk]), int(self.table.length[chunk])
        subfile, found = self.table.subfiles[self.table.file[chunk]], xxhash.xxh3_64()
        self.read_bytes += left
        while left:
            piece = self._scratch[:left]
            self.files.read_into(subfile, first, [piece])
            found.update(piece.data)
            first, left = first + piece.size, left - piece.size
        if found.intdigest() != self.table.checksum[chunk]:
            raise self._at(chunk, DamageError(_DIFFERS))

    @cached_property
    def _scratch(self) -> Bytes:
        return np.empty(_PIECE, np.uint8)

    def stored(self, chunk: int) -> Bytes:
        """The bytes of the chunk as they lie in the sub-file, unchecked."""
        content = np.empty(int(self.table.length[chunk]), np.uint8)
        self._read(chunk, [content])
        return content

    def place(self, chunk: int, stored: Bytes, into: Bytes) -> None:
        """Check stored bytes, and fill `into` with the chunk they are."""
        try:
            into[:] = unseal(
                stored,
                length=int(self.table.length[chunk]),
                expected=int(self.table.checksum[chunk]),
                pipeline=self.pipeline,
                chunk_bytes=self.grid.chunk_bytes,
            )
        except DamageError as error:
            raise self._at(chunk, error) from None

    def _load_raw(self, chunk: int, into: Bytes) -> None:
        padding = np.empty(int(self.table.length[chunk]) - into.size, np.uint8)
        self._read(chunk, [into, padding])
        if padding.any() or checksum(into, padding.size) != self.table.checksum[chunk]:
            raise self._at(chunk, DamageError(_DIFFERS))

    def _read(self, chunk: int, buffers: list[Bytes]) -> None:
        subfile = self.table.subfiles[self.table.file[chunk]]
        self.files.read_into(subfile, int(self.table.offset[chunk]), buffers)
        self.read_bytes += int(self.table.length[chunk])

    def _at(self, chunk: int, error: DamageError) -> DamageError:
        path = self.files.store.locate(self.table.subfiles[self.table.file[chunk]])
        return DamageError(error.message, at=f"chunk {chunk}, byte {self.table.offset[chunk]} of {path}")
