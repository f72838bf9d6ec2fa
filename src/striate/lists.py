"""Lists of byte runs that rows refer to: kept once, however often a pattern repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """List i is entries `first[i]` to `first[i + 1]`: byte runs (offset, length), or (peer, bytes) of an alltoallv."""

    first: Int64s
    offset: Int64s
    length: Int64s

    @classmethod
    def of(cls, lists: Sequence[tuple[Int64s, Int64s]] = ()) -> Lists:
        """Pack pairs of (offsets, lengths)."""
        first = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(offsets) for offsets, _ in lists], out=first[1:])
        empty = [np.empty(0, np.int64)]
        return cls(
            first,
            np.concatenate([offsets for offsets, _ in lists] or empty).astype(np.int64),
            np.concatenate([lengths for _, lengths in lists] or empty).astype(np.int64),
        )

    def __len__(self) -> int:
        return len(self.first) - 1

    def __getitem__(self, number: int) -> tuple[Int64s, Int64s]:
        part = slice(int(self.first[number]), int(self.first[number + 1]))
        return self.offset[part], self.length[part]


class ListMaker:
    """Gives equal lists equal numbers."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[bytes, bytes], int] = {}

    def number(self, offsets: Int64s, lengths: Int64s) -> int:
        return self._numbers.setdefault((offsets.tobytes(), lengths.tobytes()), len(self._numbers))

    def lists(self) -> Lists:
        return Lists.of([(np.frombuffer(a, np.int64), np.frombuffer(b, np.int64)) for a, b in self._numbers])
