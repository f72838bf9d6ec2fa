"""Copies between the page cache and a process's memory: all of it in turn, or one buffer again and again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from striate.interval import Interval
from striate.probe.deadline import timed
from striate.probe.samples import Floats, Measurement
from striate.units import format_size

REUSED_WRITE, REUSED_READ = "write from a reused buffer", "read into a reused buffer"
CACHED_BUFFER = "largest reused buffer in cache"
REUSED_BLOCKS = (4096, 65536, 256 * 1024, 1024**2)
_BUFFERS = (256 * 1024, 1024**2, 4 * 1024**2)  # ranks share the caches that hold more
_CALL = 256 * 1024  # bytes of a call by which buffers are compared
_SLOWER = 0.25  # of what a read takes longer into all memory: a buffer that does not stay in a cache


@dataclass(frozen=True, slots=True)
class CachedFile:
    """A file of `length` bytes in the page cache, accessed from front to back, and again."""

    descriptor: int
    length: int

    def writes(self, buffer: memoryview, block: int, seconds: float, busy: list[float]) -> Floats:
        """Seconds of writes of new data out of the parts of `buffer` in turn; their CPU seconds go to `busy`."""
        empty = partial(os.ftruncate, self.descriptor, 0)
        return timed(partial(self._write, buffer, block), self._places(block), seconds, busy, again=empty)

    def reads(self, buffer: memoryview, block: int, seconds: float) -> Floats:
        """Seconds of reads into the parts of `buffer` in turn; the file has to be filled."""
        return timed(partial(self._read, buffer, block), self._places(block), seconds, [])

    def fill(self) -> None:
        """Write the whole file."""
        block = bytes(1024**2)
        for at in range(0, self.length, len(block)):
            os.pwrite(self.descriptor, block, at)

    def _places(self, block: int) -> range:
        return range(0, self.length - block + 1, block)

    def _write(self, buffer: memoryview, block: int, at: int) -> object:
        return os.pwritev(self.descriptor, [_part(buffer, block, at)], at)

    def _read(self, buffer: memoryview, block: int, at: int) -> object:
        return os.preadv(self.descriptor, [_part(buffer, block, at)], at)


def _part(buffer: memoryview, block: int, at: int) -> memoryview:
    first = at % len(buffer)
    return buffer[first : first + block]


def reused_copies(
    file: CachedFile, memory: memoryview, most: int, seconds: float
) -> tuple[tuple[int, ...], list[Floats], list[Floats]]:
    """Blocks of at most `most` bytes, with the seconds of writes and of reads, each out of the same block of memory."""
    sizes = tuple(size for size in REUSED_BLOCKS if size <= most)
    each = seconds / (2 * len(sizes))
    writes = [file.writes(memory[:size], size, each, []) for size in sizes]
    file.fill()
    return sizes, writes, [file.reads(memory[:size], size, each) for size in sizes]


def cached_buffer(file: CachedFile, memory: memoryview, seconds: float) -> Measurement:
    """The largest buffer that stays in a cache when reads fill it in turn; the file has to be filled."""
    buffers = tuple(size for size in _BUFFERS if size < len(memory))
    each = seconds / (len(buffers) + 1)
    rounds = [file.reads(memory[:size], _CALL, each) for size in (*buffers, len(memory))]
    found = largest_in_cache(buffers, [float(np.median(column)) for column in rounds])
    how = f"reads of {format_size(_CALL)} into buffers of {format_size(buffers[0])} to {format_size(buffers[-1])}"
    return Measurement(CACHED_BUFFER, "B", Interval.exactly(found), sum(map(len, rounds)), how)


def largest_in_cache(buffers: Sequence[int], seconds: Sequence[float]) -> int:
    """The largest buffer that is about as fast as the first; the last of `seconds` is that of all memory."""
    slow = seconds[0] + _SLOWER * (seconds[-1] - seconds[0])
    fits = [took <= slow for took in seconds[:-1]]
    return buffers[fits.index(False) - 1 if False in fits else -1]
