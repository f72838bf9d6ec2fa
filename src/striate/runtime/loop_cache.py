"""Software caching (paper 002, section 3.4): what the next loop uses again is neither written nor read between."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from striate.runtime.move.collective import Collective
from striate.runtime.dataset import Dataset
from striate.runtime.cached_records import CachedRecords, Positions, columns, touched_by_any
from striate.runtime.report import Report


class LoopCache:
    """A dataset behind a memory of one loop. All methods are collective; only index arrays are taken.

    `write_all(indices, records, again=next_indices)` writes only what no rank touches in the next loop (write1),
    and keeps the rest: the next write (write2) covers it. What it does not cover after all is written then, from
    the copy kept, so that nothing is lost. `read_all` takes from memory what this rank got in the loop before, and
    reads only new data, by a schedule for that alone.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self._kept = CachedRecords.nothing(dataset)  # promised to the next write
        self._seen = CachedRecords.nothing(dataset)  # read in the loop before

    def write_all(self, indices: Any, records: Any, *, again: Any = None) -> Report:
        """Collective: write what will not be touched again; what was done, and the bytes saved."""
        with Collective(self.dataset._state.ranks, len(self._kept.places), again is not None) as meeting:
            places, values = columns(indices, records, self.dataset)
            following = columns(again, None, self.dataset)[0] if again is not None else places[:0]
        some_kept, some_again = meeting.largest
        if some_kept:
            places, values = self._with_forgotten(places, values)
        later = np.zeros(len(places), np.bool_)
        if some_again:
            later = touched_by_any(self.dataset, following)[places]
        report = self.dataset.write_all(
            *((places[~later], values[~later]) if later.any() else (places, values))
        )
        self._kept = CachedRecords(places[later], values[later])
        self._seen = CachedRecords.nothing(self.dataset)
        report.saved_bytes = int(later.sum()) * self.dataset.dtype.itemsize
        return report

    def read_all(self, indices: Any) -> npt.NDArray[Any]:
        """Collective: the records at `indices`; `dataset.report` tells the bytes saved."""
        with Collective(self.dataset._state.ranks):
            places = columns(indices, None, self.dataset)[0]
        result = np.empty(len(places), self.dataset.dtype)
        found, where = self._seen.find(places, self.dataset.shape[0])
        result[found] = self._seen.records[where]
        result[~found] = self.dataset.read_all(places[~found])
        self.dataset.report.saved_bytes = int(found.sum()) * self.dataset.dtype.itemsize
        self._seen = CachedRecords(places, result.copy())
        return result

    def flush(self) -> None:
        """Collective: write all that was kept."""
        self.write_all(np.zeros(0, np.int64), np.zeros(0, self.dataset.dtype))

    def _with_forgotten(
        self, places: Positions, values: npt.NDArray[Any]
    ) -> tuple[Positions, npt.NDArray[Any]]:
        """The records to write, and before them those kept for this write that nobody has brought."""
        brought = touched_by_any(self.dataset, places)[self._kept.places]
        if brought.all():
            return places, values
        left = ~brought
        joined = np.concatenate([self._kept.places[left], places])
        return joined, np.concatenate([self._kept.records[left], values])
