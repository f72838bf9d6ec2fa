"""Write-behind and read-ahead: many small collective calls become few large ones."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.runtime.cached_records import CachedRecords, Positions, columns, named_by_any
from striate.runtime.dataset import Dataset
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.report import Report
from striate.units import Quantity, size


class WriteBehind:
    """A dataset behind a memory of writes and of reads in advance. All methods are collective; only index arrays.

    `write_all` keeps records until some rank holds more than `memory`, or `flush`, or a read of any of them; then all
    go to the dataset in one write, with the result that single writes would have had. Until then a crash loses them.
    `read_all(indices, ahead=next_indices)` reads both at once and answers the next read from memory.
    `saved_calls` counts the collective operations that were not needed, `saved_bytes` what was never written or read.
    """

    def __init__(self, dataset: Dataset, *, memory: Quantity = "64 MiB") -> None:
        self.dataset = dataset
        self.memory_bytes = size(memory)
        self.saved_calls = 0
        self.saved_bytes = 0
        self._buffered = CachedRecords.nothing(dataset)  # written by our program, not yet to the dataset
        self._calls = 0  # that the records buffered came from
        self._ahead = CachedRecords.nothing(dataset)  # read from the dataset, not yet by our program
        self._ahead_at = dataset.generation
        dataset._caches.append(self._write_buffered)

    def write_all(self, indices: Any, records: Any) -> Report | None:
        """Collective: keep the records, or write all that are buffered; then what was done."""
        with Collective(self.dataset._state.ranks):
            places, values = columns(indices, records, self.dataset)
        # A later call wins over an earlier one of any rank, so what it names is no longer written for those.
        left = ~named_by_any(self.dataset, places, self._buffered.places)
        self.saved_bytes += int((~left).sum()) * self.dataset.dtype.itemsize
        self._buffered = self._buffered.chosen(left).joined(CachedRecords(places, values))
        self._ahead = self._ahead.chosen(~named_by_any(self.dataset, places, self._ahead.places))
        self._calls += 1
        (most,) = self.dataset._state.ranks.largest([self._buffered.nbytes])
        return self.flush() if most > self.memory_bytes else None

    def read_all(self, indices: Any, *, ahead: Any = None) -> npt.NDArray[Any]:
        """Collective: the records at `indices`; those at `ahead` are read with them and kept for the next call."""
        with Collective(self.dataset._state.ranks):
            places = columns(indices, None, self.dataset)[0]
            coming = columns(ahead, None, self.dataset)[0] if ahead is not None else places[:0]
        self._write_what_is_read(places, coming)
        result = np.empty(len(places), self.dataset.dtype)
        if self._ahead_at != self.dataset.generation:  # written past us
            self._ahead = CachedRecords.nothing(self.dataset)
        found = self._ahead.fill(places, result)
        missing, more = self.dataset._state.ranks.largest([int((~found).sum()), len(coming)])
        self.saved_bytes += int(found.sum()) * self.dataset.dtype.itemsize
        if not missing and not more:
            self.saved_calls += 1
            return result
        asked = np.concatenate([places[~found], coming])
        read = self.dataset.read_all(asked)
        result[~found] = read[: len(asked) - len(coming)]
        self._ahead = CachedRecords(coming, read[len(asked) - len(coming) :])
        self._ahead_at = self.dataset.generation
        return result

    def flush(self) -> Report:
        """Collective: write all that is buffered, in one operation; what was done."""
        buffered, self._buffered = self._buffered, CachedRecords.nothing(self.dataset)
        self.saved_calls += max(0, self._calls - 1)
        self._calls = 0
        still_good = self._ahead_at == self.dataset.generation  # what is buffered was never read ahead
        report = self.dataset.write_all(buffered.places, buffered.records)
        self._ahead_at = self.dataset.generation if still_good else -1
        return report

    def _write_what_is_read(self, *wanted: Positions) -> None:
        """A read sees every write before it."""
        (buffered,) = self.dataset._state.ranks.largest([self._buffered.nbytes])
        if not buffered:
            return
        asked = named_by_any(self.dataset, np.concatenate(wanted), self._buffered.places)
        if self.dataset._state.ranks.largest([int(asked.any())])[0]:
            self.flush()

    def __enter__(self) -> WriteBehind:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what is buffered, unless the body failed: then other ranks may never come."""
        if error is None:
            self._write_buffered()

    def _write_buffered(self) -> None:
        if self.dataset._state.ranks.largest([self._buffered.nbytes])[0]:
            self.flush()
