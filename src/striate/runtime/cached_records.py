"""Records in memory by place, and what ranks know together of the places they name: the ground of all caches."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from striate import _core
from striate.errors import DatasetError
from striate.runtime.dataset import Dataset

Positions = npt.NDArray[Any]


class CachedRecords:
    """Records in memory, by place."""

    def __init__(self, places: Positions, records: npt.NDArray[Any]) -> None:
        self.places = places
        self.records = records

    @classmethod
    def nothing(cls, dataset: Dataset) -> CachedRecords:
        return cls(np.zeros(0, np.int64), np.zeros(0, dataset.dtype))

    def find(self, places: Positions, records: int) -> tuple[npt.NDArray[np.bool_], Positions]:
        """Which of `places` are cached, and where."""
        table = np.full(records, -1, np.int64)
        table[self.places] = np.arange(len(self.places))
        where = table[places]
        return where >= 0, where[where >= 0]

    @property
    def nbytes(self) -> int:
        """Bytes of the records."""
        return int(self.records.nbytes)


def columns(indices: Any, records: Any, dataset: Dataset) -> tuple[Positions, npt.NDArray[Any]]:
    places = np.ascontiguousarray(indices, np.int64)
    if len(dataset.shape) != 1:
        raise DatasetError(f"expected a dataset of one axis, got {dataset.shape}")
    if places.ndim != 1 or (places.size and not 0 <= places.min() <= places.max() < dataset.shape[0]):
        raise DatasetError(f"expected indices from 0 to {dataset.shape[0] - 1}")
    values = np.zeros(0, dataset.dtype) if records is None else np.asarray(records, dataset.dtype)
    if records is not None and values.shape != places.shape:
        raise DatasetError(f"expected {places.size} records, got shape {values.shape}")
    return places, values


def touched_by_any(dataset: Dataset, places: Positions) -> npt.NDArray[np.bool_]:
    """Collective: for every record, whether any rank names it; one bit a record goes round."""
    records = dataset.shape[0]
    bits = np.zeros(-(-max(records, 1) // 64), np.uint64)
    _core.mark_records(places, 0, bits)
    united = dataset._state.ranks.unite_bits(bits)
    return np.unpackbits(united.view(np.uint8), bitorder="little")[:records].view(np.bool_)
