"""Frames: a chunk as it is stored, with its length and checksum, and back again with every byte checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from striate.errors import DamageError
from striate.runtime.store.codec import Bytes, Pipeline


@dataclass(frozen=True)
class Frame:
    """One stored chunk: `content`, then `padding` zeros; the checksum covers both."""

    content: Bytes
    padding: int
    checksum: int

    @property
    def length(self) -> int:
        """Bytes in the sub-file."""
        return self.content.size + self.padding

    def within(self, memory: Bytes) -> Frame:
        """The frame with its content in `memory`, where others can read it; itself when it does not fit."""
        if self.content.size > memory.size:
            return self
        memory[: self.content.size] = self.content
        return replace(self, content=memory[: self.content.size])

    def buffers(self) -> list[memoryview]:
        """What to write, in order."""
        parts = [self.content.data]
        return [*parts, memoryview(bytes(self.padding))] if self.padding else parts


def seal(raw: Bytes, pipeline: Pipeline, *, record_bytes: int, alignment: int) -> Frame:
    """The frame of a chunk: compressed and packed, or as it is and filled up to `alignment`."""
    if pipeline:
        content = pipeline.encode(as_records(raw, record_bytes))
        return Frame(content, 0, xxhash.xxh3_64_intdigest(content.data))
    padding = -raw.size % alignment
    return Frame(raw, padding, checksum(raw, padding))


def checksum(content: Bytes, padding: int) -> int:
    """The 64-bit checksum of `content` and `padding` zeros."""
    if not padding:
        return xxhash.xxh3_64_intdigest(content.data)
    state = xxhash.xxh3_64(content.data)
    state.update(bytes(padding))
    return state.intdigest()


def unseal(stored: Bytes, *, length: int, expected: int, pipeline: Pipeline, chunk_bytes: int) -> Bytes:
    """The chunk in `stored`; raises DamageError unless every byte is as it was written."""
    if stored.size != length:
        raise DamageError(
            f"expected a chunk of {length} bytes, found {stored.size} bytes: the sub-file was truncated"
        )
    if xxhash.xxh3_64_intdigest(stored.data) != expected:
        raise DamageError("the data of a chunk of the dataset is damaged: its checksum differs")
    if pipeline:
        return pipeline.decode(stored, chunk_bytes)
    return stored[:chunk_bytes]


def as_records(raw: Bytes, record_bytes: int) -> npt.NDArray[Any]:
    """The same bytes seen as records, so that a shuffle knows their size: one blosc takes up to 255 bytes."""
    if 1 < record_bytes <= 255 and raw.size % record_bytes == 0:
        return raw.view(np.dtype((np.void, record_bytes)))
    return raw
