"""Records in memory by place, and what ranks know together of the places they name: the ground of all caches.

Memory and messages are in proportion to the places that are named, never to the size of the dataset.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.dataset import Dataset
from striate.runtime.move.schedules.resolve import resolve_at_owners, tell_owners
from striate.runtime.plan.partition import Partition
from striate.runtime.plan.records import record_bytes
from striate.runtime.plan.selection import as_array

Positions = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]


class CachedRecords:
    """Records in memory, by place."""

    def __init__(self, places: Positions, records: npt.NDArray[Any]) -> None:
        self.places = places
        self.records = records

    @classmethod
    def nothing(cls, dataset: Dataset) -> CachedRecords:
        return cls(np.zeros(0, np.int64), np.zeros(0, dataset.dtype))

    def chosen(self, which: Mask) -> CachedRecords:
        """Those that `which` marks."""
        return CachedRecords(self.places[which], self.records[which])

    def joined(self, other: CachedRecords) -> CachedRecords:
        """These, then the others."""
        return CachedRecords(
            np.concatenate([self.places, other.places]), np.concatenate([self.records, other.records])
        )

    def fill(self, places: Positions, result: npt.NDArray[Any]) -> Mask:
        """Put the records that are cached into `result`, at the entries of `places` that name them; which those are."""
        found = np.zeros(len(places), np.bool_)
        if len(self.places) and len(places):
            order = np.argsort(self.places, kind="stable")
            last = np.searchsorted(self.places[order], places, side="right") - 1
            found = self.places[order][last] == places  # before the first it is the last one: never equal
            result[found] = self.records[order[last[found]]]
        return found

    @property
    def nbytes(self) -> int:
        """Bytes of the records."""
        return int(self.records.nbytes)


def columns(indices: Any, records: Any, dataset: Dataset) -> tuple[Positions, npt.NDArray[Any]]:
    given = as_array(indices)
    if len(dataset.shape) != 1:
        raise DatasetError(f"expected a dataset of one axis, got shape {dataset.shape}")
    if given.size and given.dtype.kind not in "iu":
        raise DatasetError(f"expected an index array of whole numbers, got {given.dtype}")
    places = np.ascontiguousarray(given, np.int64)
    if places.ndim != 1 or (places.size and not 0 <= places.min() <= places.max() < dataset.shape[0]):
        raise DatasetError(
            f"expected a one-dimensional array of indices from 0 to {dataset.shape[0] - 1}, got shape "
            f"{places.shape}" + (f" with {places.min()} to {places.max()}" if places.size else "")
        )
    if records is None:
        return places, np.zeros(0, dataset.dtype)
    return places, record_bytes(records, dataset.dtype, places.shape).view(dataset.dtype).copy()


def named_by_any(dataset: Dataset, named: Positions, asked: Positions) -> Mask:
    """Collective: which of our `asked` places are among the `named` of any rank."""
    ranks, partition, nobody = _owners(dataset)
    order, questions, sent = tell_owners(ranks, partition, asked, nobody)
    _, said, _ = tell_owners(ranks, partition, named, nobody)
    flags = np.isin(questions.places, said.places).astype(np.uint8)
    result = np.zeros(len(asked), np.bool_)
    result[order] = ranks.exchange(flags, questions.counts, sent)
    return result


def winners(dataset: Dataset, places: Positions) -> Positions:
    """Collective: our entries that count: the last for each place, of the highest rank."""
    ranks, partition, _ = _owners(dataset)
    kept = resolve_at_owners(ranks, partition, places, all_count=False).kept
    return np.arange(len(places), dtype=places.dtype) if kept is None else kept


def _owners(dataset: Dataset) -> tuple[Any, Partition, npt.NDArray[np.int32]]:
    state = dataset._state
    return state.ranks, state.partition(1), np.full(state.ranks.size, -1, np.int32)
