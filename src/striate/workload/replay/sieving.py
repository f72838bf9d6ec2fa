"""Data sieving: how ROMIO accesses the runs of an independent call (Thakur, Gropp and Lusk 1999, section 5).

A read fetches everything from the first byte to the last, a buffer at a time. A write fetches each buffer, changes the
bytes asked for and writes the buffer back. Runs without gaps are one access.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from striate.errors import UnitError
from striate.units import size as bytes_of

_BUFFERS = {"read": ("ind_rd_buffer_size", 4 << 20), "write": ("ind_wr_buffer_size", 512 << 10)}
_SWITCHES = {"read": "romio_ds_read", "write": "romio_ds_write"}
MOST_PIECES = 4096  # of one call; beyond them buffers grow, so that a program table stays small


@dataclass(frozen=True, slots=True)
class Sieving:
    """The buffers of a file in bytes; None: its runs are accessed one by one."""

    read: int | None = None
    write: int | None = None

    @classmethod
    def of_hints(cls, hints: Mapping[str, str]) -> Sieving:
        """What the recorded hints of ROMIO say; a library that reports none of them does not sieve."""
        return cls(_buffer(hints, "read"), _buffer(hints, "write"))

    def pieces(self, kind: str, first: int, last: int) -> Iterator[tuple[str, int, int]]:
        """(read or write, offset, bytes) of a call whose runs lie between two bytes, gaps among them."""
        buffer = self.read if kind == "read" else self.write
        assert buffer is not None
        buffer = max(buffer, -(-(last - first) // MOST_PIECES))
        for offset in range(first, last, buffer):
            length = min(buffer, last - offset)
            yield "read", offset, length
            if kind == "write":
                yield "write", offset, length


def _buffer(hints: Mapping[str, Any], kind: str) -> int | None:
    name, usual = _BUFFERS[kind]
    switch = hints.get(_SWITCHES[kind])
    if (switch is None and name not in hints) or switch == "disable":
        return None
    try:
        return max(bytes_of(hints.get(name, usual)), 1)
    except UnitError:
        return usual
