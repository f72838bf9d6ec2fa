"""Data sieving: how ROMIO accesses the runs of an independent call (Thakur, Gropp and Lusk 1999, section 5).

A read fetches a buffer at a time, from the first byte that was not in the buffer before: gaps longer than a buffer are
skipped. A write fetches each buffer, changes the bytes asked for and writes it back. Runs without gaps are one access.
So it is in ADIOI_GEN_ReadStrided and ADIOI_GEN_WriteStrided of ROMIO; that a write locks its buffer in the file against
other processes is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from striate.errors import UnitError
from striate.units import size as bytes_of

_BUFFERS = {"read": ("ind_rd_buffer_size", 4 << 20), "write": ("ind_wr_buffer_size", 512 << 10)}
_SWITCHES = {"read": "romio_ds_read", "write": "romio_ds_write"}
MOST_PIECES = 4096  # of one call; beyond them buffers grow, so that a program table stays small


class Runs(Protocol):
    """The bytes of a call."""

    @property
    def first(self) -> int: ...

    @property
    def last(self) -> int:
        """The end of the last run."""

    def next_byte(self, at: int) -> int:
        """The first byte of the call from `at` on; `last` when there is none."""


@dataclass(frozen=True, slots=True)
class StridedRuns:
    """`count` blocks of `size` bytes, `stride` apart, which is more than a block."""

    first: int
    count: int
    size: int
    stride: int

    @property
    def last(self) -> int:
        return self.first + (self.count - 1) * self.stride + self.size

    def next_byte(self, at: int) -> int:
        block, inside = divmod(at - self.first, self.stride)
        return min(at if inside < self.size else self.first + (block + 1) * self.stride, self.last)


class ListedRuns:
    """Runs in any order."""

    def __init__(self, offsets: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        offsets, sizes = offsets[sizes > 0], sizes[sizes > 0]
        order = np.argsort(offsets, kind="stable")
        self._starts = offsets[order]
        self._ends = np.maximum.accumulate(self._starts + sizes[order])

    @property
    def first(self) -> int:
        return int(self._starts[0])

    @property
    def last(self) -> int:
        return int(self._ends[-1])

    def next_byte(self, at: int) -> int:
        run = int(np.searchsorted(self._ends, at, side="right"))
        return max(at, int(self._starts[run])) if run < len(self._ends) else self.last


@dataclass(frozen=True, slots=True)
class Sieving:
    """The buffers of a file in bytes; None: its runs are accessed one by one."""

    read: int | None = None
    write: int | None = None

    @classmethod
    def of_hints(cls, hints: Mapping[str, str]) -> Sieving:
        """What the recorded hints of ROMIO say; a library that reports none of them does not sieve."""
        return cls(_buffer(hints, "read"), _buffer(hints, "write"))

    def pieces(self, kind: str, runs: Runs) -> Iterator[tuple[str, int, int]]:
        """(read or write, offset, bytes) of a call with gaps between its runs."""
        buffer = self.read if kind == "read" else self.write
        assert buffer is not None
        at, last = runs.first, runs.last
        buffer = max(buffer, -(-(last - at) // MOST_PIECES))
        while at < last:
            length = min(buffer, last - at)
            yield "read", at, length
            if kind == "write":
                yield "write", at, length
            at = runs.next_byte(at + length)


def usual_sieving() -> Sieving:
    """ROMIO's buffers where no hint says otherwise."""
    return Sieving(*(usual for _, usual in _BUFFERS.values()))


def _buffer(hints: Mapping[str, Any], kind: str) -> int | None:
    name, usual = _BUFFERS[kind]
    switch = hints.get(_SWITCHES[kind])
    if (switch is None and name not in hints) or switch == "disable":
        return None
    try:
        return max(bytes_of(hints.get(name, usual)), 1)
    except UnitError:
        return usual
