"""Ragged records: a list of its own length for every row, as counts and all lists one after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.plan.selection import as_array

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Ragged:
    """`counts[i]` numbers belong to row i; `values` has those of row 0, then those of row 1, and so on."""

    counts: Int64
    values: npt.NDArray[Any]

    @classmethod
    def of(cls, lists: Iterable[Any], dtype: Any = None) -> Ragged:
        """From a sequence of lists or arrays."""
        arrays = [np.asarray(as_array(part), dtype) for part in lists]
        values = np.concatenate([array for array in arrays if array.size] or [np.zeros(0, dtype)])
        return cls(np.array([len(array) for array in arrays], np.int64), values)

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, row: int) -> npt.NDArray[Any]:
        """The list of one row."""
        row = range(len(self))[row]
        return self.values[self._ends[row] - self.counts[row] : self._ends[row]]

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        return iter(np.split(self.values, self._ends[:-1]) if len(self) else [])

    @cached_property
    def _ends(self) -> Int64:
        """Where each row's numbers end: found once, so that a walk over rows is not quadratic."""
        return np.cumsum(self.counts)


def checked_lists(lists: Any, dtype: np.dtype[Any], rows: int) -> Ragged:
    """The caller's lists, of the stored type; refuses another number of them, or counts that do not fit the values."""
    if not isinstance(lists, Ragged):
        try:
            lists = Ragged.of(lists, None if len(lists) else dtype)
        except (TypeError, ValueError) as error:
            raise DatasetError(
                f"expected a list for every row, or a Ragged, got {type(lists).__name__}: {error}"
            ) from None
    counts, values = as_array(lists.counts), as_array(lists.values)
    if counts.shape != (rows,) or counts.dtype.kind not in "iu" or (rows and counts.min() < 0):
        raise DatasetError(
            f"expected {rows} list lengths (counts) of 0 or more, got {counts.dtype} of shape {counts.shape}"
        )
    if values.ndim != 1 or values.size != int(counts.sum()):
        raise DatasetError(
            f"expected a one-dimensional array of {int(counts.sum())} values, the sum of all counts, "
            f"got shape {values.shape}"
        )
    if values.size and not np.can_cast(values.dtype, dtype, "safe"):
        raise DatasetError(f"expected lists of {dtype}, got {values.dtype}")
    return Ragged(counts.astype(np.int64), np.ascontiguousarray(values, dtype))


def positions(starts: Int64, counts: Int64) -> Int64:
    """The elements of runs that begin at `starts`, one run after another."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - counts), counts) + np.arange(total, dtype=np.int64)
