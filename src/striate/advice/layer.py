"""One layer of the I/O stack as rules see it: the counters of a module, per file and rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.trace import records
from striate.trace.analysis.totals import users_of_files
from striate.trace.records import Columns

KINDS = ("read", "write")
SMALL_BUCKETS = 4  # up to 100 KiB
MEBIBYTE, MEGABYTE = 2**20, 10**6
LAST_SMALL = records.SIZES[SMALL_BUCKETS]
MIDDLES = dict(zip(records.SIZES, (50, 500, 5_000, 50_000, 500_000), strict=False))  # bytes
Floats = NDArray[np.float64]
Rows = NDArray[np.bool_]


@dataclass(frozen=True)
class Layer:
    """Records of one module; `ranks` is the number of ranks of the run, `files` that of its files."""

    module: str
    columns: Columns
    ranks: int
    files: int

    def __len__(self) -> int:
        return len(self.columns["rank"])

    def get(self, name: str) -> Floats:
        """A counter of every record; zeros where the module has none of that name."""
        return np.asarray(records.counter(self.columns, name), np.float64)

    def has(self, name: str) -> bool:
        return name in self.columns

    @property
    def file(self) -> NDArray[np.int64]:
        return np.asarray(self.columns["file"], np.int64)

    @property
    def rank(self) -> NDArray[np.int64]:
        return np.asarray(self.columns["rank"], np.int64)

    @property
    def users(self) -> Floats:
        """Ranks that a record is of: one, or all for a merged one."""
        return np.where(self.rank < 0, float(self.ranks), 1.0)

    def calls(self, *kinds: str) -> Floats:
        return np.asarray(sum(records.calls(self.columns, kind) for kind in kinds or KINDS), np.float64)

    def moved(self, *kinds: str) -> Floats:
        return np.asarray(sum(records.moved(self.columns, kind) for kind in kinds or KINDS), np.float64)

    def seconds(self, *kinds: str) -> Floats:
        """Seconds of calls of the kinds (read, write, meta), summed over the ranks of the record."""
        return records.seconds(self.columns, *kinds)

    def opens(self) -> Floats:
        return np.asarray(records.opens(self.columns), np.float64)

    def small(self, kind: str) -> Floats:
        """Calls of at most 100 KiB; by the mean size where the module keeps no histogram."""
        return self._short(kind, SMALL_BUCKETS, 100 * 1024)

    def below_mebibyte(self, kind: str) -> Floats:
        """Calls of less than 1 MiB, likewise; those of 1 MB to 1 MiB are left out where they are a common size."""
        return self._short(kind, SMALL_BUCKETS + 1, MEBIBYTE) - self._of_mebibyte(kind)

    def bytes_below_mebibyte(self, kind: str) -> Floats:
        """What those calls moved: all of it where there are no others, else about the middle of their buckets."""
        calls, size = self.below_mebibyte(kind), self.moved(kind)
        middles = sum(
            (self._bucket(kind, name) * middle for name, middle in MIDDLES.items()), np.zeros(len(self))
        )
        return np.where(calls < self.calls(kind), np.minimum(middles, size), size)

    def _of_mebibyte(self, kind: str) -> Floats:
        """Calls of 1 MB to 1 MiB, which lie in the bucket below it, by the common sizes of all accesses."""
        common = np.zeros(len(self))
        for number in range(1, 5):
            size = self.get(f"access{number}_access")
            common += np.where(
                (size >= MEGABYTE) & (size <= MEBIBYTE), self.get(f"access{number}_count"), 0.0
            )
        here, both = self._bucket(kind, LAST_SMALL), sum(self._bucket(each, LAST_SMALL) for each in KINDS)
        return np.minimum(here, common * here / np.maximum(both, 1.0))

    def _bucket(self, kind: str, name: str) -> Floats:
        return self.get(f"size_{kind}_{name}") + self.get(f"size_{kind}_agg_{name}")

    def _short(self, kind: str, buckets: int, most: int) -> Floats:
        for aggregate in ("", "agg_"):
            if self.has(f"size_{kind}_{aggregate}0_100"):
                names = [f"size_{kind}_{aggregate}{name}" for name in records.SIZES[:buckets]]
                return np.asarray(sum(self.get(name) for name in names), np.float64)
        calls, size = self.calls(kind), self.moved(kind)
        return np.where(size <= most * calls, calls, 0.0)

    def of_files(self, values: Floats) -> Floats:
        """Sums of a value of the records, by file; records without a file count nowhere."""
        known = self.file >= 0
        return np.asarray(np.bincount(self.file[known], values[known], self.files), np.float64)

    def in_files(self, chosen: Rows) -> Rows:
        """Which records are of the chosen files; no record without a file is."""
        return np.asarray(chosen[np.maximum(self.file, 0)] & (self.file >= 0))

    def most_of_files(self, values: Floats) -> Floats:
        """The largest value among the records of each file; 0 without any."""
        most, known = np.zeros(self.files), self.file >= 0
        np.maximum.at(most, self.file[known], values[known])
        return most

    def users_of_files(self) -> Floats:
        """How many ranks have a record of each file; all of them where one was merged."""
        known = self.file >= 0
        file, rank = self.file[known], self.rank[known]
        return users_of_files(file, rank, files=self.files, ranks=self.ranks).astype(float)

    def slowest_time(self) -> Floats:
        """Seconds of the slowest rank of each record in all its calls; the record's own for one rank."""
        told = np.minimum(self.get("slowest_rank_time"), self.seconds())
        return np.where((self.rank < 0) & (told > 0), told, self.seconds())

    def where(self, rows: Rows) -> Layer:
        return Layer(
            self.module, {name: column[rows] for name, column in self.columns.items()}, self.ranks, self.files
        )
