"""Many lists of byte runs in three columns, for rows that refer to a list by its number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from striate.layout.columns import Int64
from striate.layout.extents import Extents


@dataclass(frozen=True, slots=True, eq=False)
class ExtentLists:
    """List i is runs `first[i]` to `first[i + 1]`; that of an alltoallv has peers where others have offsets.

    Offsets count from where a row begins, and may be negative.
    """

    first: Int64
    offsets: Int64
    sizes: Int64

    @classmethod
    def of(cls, lists: Sequence[Extents] = ()) -> ExtentLists:
        """Pack lists one after the other."""
        first = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(runs) for runs in lists], out=first[1:])
        empty = [np.empty(0, np.int64)]
        return cls(
            first,
            np.concatenate([runs.offsets for runs in lists] or empty).astype(np.int64),
            np.concatenate([runs.sizes for runs in lists] or empty).astype(np.int64),
        )

    def __len__(self) -> int:
        return len(self.first) - 1

    def __getitem__(self, number: int) -> Extents:
        part = slice(int(self.first[number]), int(self.first[number + 1]))
        return Extents.trusted(self.offsets[part], self.sizes[part])

    def __iter__(self) -> Iterator[Extents]:
        return (self[number] for number in range(len(self)))


class ExtentNumbers:
    """Gives equal lists equal numbers, however often a pattern repeats."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[bytes, bytes], int] = {}

    def number(self, runs: Extents) -> int:
        return self._numbers.setdefault((runs.offsets.tobytes(), runs.sizes.tobytes()), len(self._numbers))

    def lists(self) -> ExtentLists:
        return ExtentLists.of(
            [
                Extents.trusted(np.frombuffer(offsets, np.int64), np.frombuffer(sizes, np.int64))
                for offsets, sizes in self._numbers
            ]
        )
