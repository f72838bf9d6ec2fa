"""Extents: lists of byte runs, held as two columns, put in order and combined as sets in the _core."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from striate import _core
from striate.errors import LayoutError
from striate.layout.columns import Int64, Whole, whole_numbers
from striate.units import LARGEST

if TYPE_CHECKING:
    from striate.layout.layout import Layout
    from striate.layout.pieces import Pieces


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
                "expected as many offsets as sizes of byte runs, "
                f"got arrays of shapes {starts.shape} and {lengths.shape}"
            )
        _refuse_outside(starts, lengths)
        object.__setattr__(self, "offsets", starts)
        object.__setattr__(self, "sizes", lengths)

    @classmethod
    def of(cls, runs: Iterable[tuple[int, int]]) -> Extents:
        """From pairs of offset and size."""
        pairs = list(runs)
        return cls([offset for offset, _ in pairs], [size for _, size in pairs])

    @classmethod
    def trusted(cls, offsets: Int64, sizes: Int64) -> Extents:
        """From int64 columns that are known to be right: nothing is checked."""
        extents = object.__new__(cls)
        object.__setattr__(extents, "offsets", offsets)
        object.__setattr__(extents, "sizes", sizes)
        return extents

    def sorted(self) -> Extents:
        """By offset; runs that begin together keep their order."""
        return Extents.trusted(*_core.sort_runs(self.offsets, self.sizes))

    def merged(self) -> Extents:
        """The same bytes as the fewest runs, in order: none empty, none touching."""
        return Extents.trusted(*_core.merge_runs(self.offsets, self.sizes))

    def subtract(self, other: Extents) -> Extents:
        """The bytes of this list that are not in the other, merged."""
        mine, others = self.merged(), other.merged()
        return Extents.trusted(*_core.subtract_runs(mine.offsets, mine.sizes, others.offsets, others.sizes))

    def followed_by(self, other: Extents) -> Extents:
        """All runs of this list, then all runs of the other."""
        offsets = np.concatenate([self.offsets, other.offsets])
        return Extents.trusted(offsets, np.concatenate([self.sizes, other.sizes]))

    def shifted(self, bytes_: int) -> Extents:
        """Every run `bytes_` further on; refuses to leave 0 to 2^63 - 1."""
        if len(self) and not -int(self.offsets.min()) <= bytes_ <= LARGEST - self.end:
            raise LayoutError(
                f"expected byte runs within 0 to 2^63 - 1 after a shift by {bytes_} bytes, "
                f"got runs from {int(self.offsets.min())} to {self.end} before the shift"
            )
        return Extents.trusted(self.offsets + bytes_, self.sizes)

    def split(self, layout: Layout) -> Pieces:
        """The runs cut where the layout's strips end."""
        return layout.split(self)

    @property
    def end(self) -> int:
        """One past the last byte of any run; 0 for no runs."""
        return int((self.offsets + self.sizes).max()) if len(self) else 0

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
        raise LayoutError(f"expected byte runs within 0 to 2^63 - 1, got {found}", at=f"run {first}")
