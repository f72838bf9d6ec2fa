"""Extents: lists of byte runs, held as two columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from striate.errors import LayoutError
from striate.layout.columns import Int64, Whole, whole_numbers
from striate.units import LARGEST


@dataclass(frozen=True, eq=False)
class Extents:
    """Run i is the bytes from `offsets[i]`, `sizes[i]` of them; any order, overlaps and empty runs allowed.

    Refuses columns of different lengths, numbers below zero, and runs that end beyond 2^63 - 1.
    """

    offsets: Int64
    sizes: Int64

    def __init__(self, offsets: Whole, sizes: Whole) -> None:
        starts, lengths = whole_numbers(offsets, "offsets"), whole_numbers(sizes, "sizes")
        if starts.ndim != 1 or starts.shape != lengths.shape:
            raise LayoutError(
                f"expected two columns of one length, got shapes {starts.shape} and {lengths.shape}"
            )
        _refuse_outside(starts, lengths)
        object.__setattr__(self, "offsets", starts)
        object.__setattr__(self, "sizes", lengths)

    @property
    def total_bytes(self) -> int:
        """Bytes of all runs, overlaps counted as often as they occur."""
        if len(self) and len(self) * int(self.sizes.max()) > LARGEST:
            return sum(int(size) for size in self.sizes)
        return int(self.sizes.sum())

    def __len__(self) -> int:
        return len(self.offsets)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Extents):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.sizes, other.sizes)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"[{o}, +{s})" for o, s in zip(self.offsets[:4], self.sizes[:4], strict=True))
        return f"Extents({len(self)} runs: {shown}{', ...' if len(self) > 4 else ''})"


def _refuse_outside(offsets: Int64, sizes: Int64) -> None:
    """Refuse a run that begins or ends where no byte is."""
    wrong = (offsets < 0) | (sizes < 0)
    wrong |= sizes > LARGEST - np.where(wrong, 0, offsets)
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        found = f"{int(sizes[first])} bytes at {int(offsets[first])}"
        raise LayoutError(f"expected runs within 0 to 2^63 - 1, got {found}", at=f"run {first}")
