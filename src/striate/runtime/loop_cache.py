"""Software caching (paper 002, section 3.4): what the next loop uses again is neither written nor read between."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.runtime.cached_records import CachedRecords, columns, named_by_any, winners
from striate.runtime.dataset import Dataset
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.report import Report


class LoopCache:
    """A dataset behind a memory of one loop. All methods are collective; only index arrays are taken.

    `write_all(indices, records, again=next_indices)` writes only what no rank touches in the next loop (write1),
    and keeps the rest: the next write (write2) covers it. What it does not cover after all is written then, from
    the copy kept, so that nothing is lost; closing the dataset writes it too. `read_all` sees every write before it:
    from memory what this rank keeps or got in the loop before, from the dataset all else, and what another rank
    keeps is written first. While a cache is in use, all writes go through it.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self._kept = CachedRecords.nothing(
            dataset
        )  # promised to the next write; of each place one rank at most
        self._seen = CachedRecords.nothing(dataset)  # read in the loop before
        self._seen_at = dataset.generation
        dataset._caches.append(self.flush)

    def write_all(self, indices: Any, records: Any, *, again: Any = None) -> Report:
        """Collective: write what will not be touched again; what was done, and the bytes saved."""
        with Collective(self.dataset._state.ranks, len(self._kept.places), again is not None) as meeting:
            brought = CachedRecords(*columns(indices, records, self.dataset))
            following = columns([] if again is None else again, None, self.dataset)[0]
        some_kept, some_again = meeting.largest
        if some_kept:
            forgotten = ~named_by_any(self.dataset, brought.places, self._kept.places)
            brought = self._kept.chosen(forgotten).joined(brought)
        later = np.zeros(len(brought.places), np.bool_)
        if some_again:
            won = winners(self.dataset, brought.places)
            brought = CachedRecords(brought.places[won], brought.records[won])
            later = named_by_any(self.dataset, following, brought.places)
        now = brought.chosen(~later) if later.any() else brought
        report = self.dataset.write_all(now.places, now.records)
        self._kept = brought.chosen(later)
        self._seen = CachedRecords.nothing(self.dataset)
        report.saved_bytes = self._kept.nbytes
        return report

    def read_all(self, indices: Any) -> npt.NDArray[Any]:
        """Collective: the records at `indices`; `dataset.report` tells the bytes saved."""
        with Collective(self.dataset._state.ranks, len(self._kept.places)) as meeting:
            places = columns(indices, None, self.dataset)[0]
        result = np.empty(len(places), self.dataset.dtype)
        found = self._kept.fill(places, result)
        if meeting.largest[0]:
            self._write_what_others_read(places[~found])
        if self._seen_at == self.dataset.generation:
            missing = np.flatnonzero(~found)
            values = result[missing]
            had = self._seen.fill(places[missing], values)
            result[missing[had]], found[missing[had]] = values[had], True
        result[~found] = self.dataset.read_all(places[~found])
        self.dataset.report.saved_bytes = int(found.sum()) * self.dataset.dtype.itemsize
        self._seen, self._seen_at = CachedRecords(places, result.copy()), self.dataset.generation
        return result

    def flush(self) -> None:
        """Collective: write all that was kept."""
        if self.dataset._state.ranks.largest([len(self._kept.places)])[0]:
            self.write_all(np.zeros(0, np.int64), np.zeros(0, self.dataset.dtype))

    def _write_what_others_read(self, wanted: npt.NDArray[Any]) -> None:
        """Collective: what another rank asks for and we keep goes to the dataset."""
        asked = named_by_any(self.dataset, wanted, self._kept.places)
        if self.dataset._state.ranks.largest([int(asked.any())])[0]:
            now, self._kept = self._kept.chosen(asked), self._kept.chosen(~asked)
            still_seen = (
                self._seen_at == self.dataset.generation
            )  # these records were read as they are written
            self.dataset.write_all(now.places, now.records)
            self._seen_at = self.dataset.generation if still_seen else -1

    def __enter__(self) -> LoopCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what is kept, unless the body failed: then other ranks may never come."""
        if error is None:
            self.flush()
