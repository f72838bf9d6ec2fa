"""Counters from the rows of a trace that saw every call: what a profiler would have summed up, per file and rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.advice.layer import MEBIBYTE, MEGABYTE
from striate.trace.analysis.tables import row_calls
from striate.trace.records import SIZE_LIMITS, SIZES, Columns
from striate.trace.trace import Trace

ALIGNMENT = 4096
_COUNTED = {"open": "opens", "stat": "stats", "seek": "seeks", "sync": "fsyncs", "view": "views"}
_META = ("open", "close", "stat", "seek", "delete", "resize", "view")


def counted(trace: Trace, level: str) -> Columns:
    """Columns like those of a module of Darshan: `POSIX` for level posix, `MPI-IO` for mpi-io."""
    rows = trace.where(trace.at_level(level))
    key = rows.column("file").astype(np.int64) * trace.ranks + rows.column("rank")
    groups, place = np.unique(key, return_inverse=True)
    sums = _Sums(rows, place.ravel(), len(groups))
    found: dict[str, Any] = {"file": groups // trace.ranks, "rank": groups % trace.ranks}
    for kind, name in _COUNTED.items():
        found[name] = sums.calls(rows.of_kind(kind))
    found["meta_time"] = sums.seconds(rows.of_kind(*_META))
    for kind in ("read", "write"):
        found |= _accesses(rows, sums, kind, mpi=level == "mpi-io")
    found["write_time"] = found["write_time"] + sums.seconds(rows.of_kind("sync"))
    each = rows.column("bytes") // np.maximum(row_calls(rows), 1)
    found["access1_access"] = np.full(len(groups), MEBIBYTE)  # the one common size that rules ask for
    found["access1_count"] = sums.calls(
        rows.of_kind("read", "write") & (each >= MEGABYTE) & (each <= MEBIBYTE)
    )
    found["rw_switches"] = sums.count(_switches(rows, place.ravel()))
    found["file_alignment"] = np.full(len(groups), ALIGNMENT)
    return found


class _Sums:
    """Sums over the rows of each group."""

    def __init__(self, rows: Trace, place: NDArray[Any], groups: int) -> None:
        self._place, self._groups = place, groups
        self._calls, self._took = row_calls(rows), (rows.column("end") - rows.column("start")) / 1e9

    def of(self, values: NDArray[Any], chosen: NDArray[np.bool_]) -> NDArray[Any]:
        return np.bincount(self._place[chosen], values[chosen], self._groups)

    def count(self, chosen: NDArray[np.bool_]) -> NDArray[Any]:
        return self.of(np.ones(len(chosen)), chosen)

    def calls(self, chosen: NDArray[np.bool_]) -> NDArray[Any]:
        return self.of(self._calls, chosen)

    def seconds(self, chosen: NDArray[np.bool_]) -> NDArray[Any]:
        return self.of(self._took, chosen)

    def most(self, values: NDArray[Any], chosen: NDArray[np.bool_]) -> NDArray[Any]:
        found = np.full(self._groups, -1.0)
        np.maximum.at(found, self._place[chosen], values[chosen].astype(float))
        return found


def _accesses(rows: Trace, sums: _Sums, kind: str, *, mpi: bool) -> dict[str, Any]:
    chosen, size, offset = rows.of_kind(kind), rows.column("bytes"), rows.column("offset")
    verb = "read" if kind == "read" else "written"
    found: dict[str, Any] = {
        f"bytes_{verb}": sums.of(size.astype(float), chosen),
        f"{kind}_time": sums.seconds(chosen),
        f"max_byte_{verb}": sums.most(offset + size - 1, chosen & (offset >= 0)),
    }
    together = rows.column("collective") & chosen
    if mpi:
        found |= {f"coll_{kind}s": sums.calls(together), f"indep_{kind}s": sums.calls(chosen & ~together)}
    else:
        found[f"{kind}s"] = sums.calls(chosen)
    bucket = np.searchsorted(SIZE_LIMITS, size // np.maximum(row_calls(rows), 1), side="right")
    aggregate = "agg_" if mpi else ""
    for number, name in enumerate(SIZES):
        found[f"size_{kind}_{aggregate}{name}"] = sums.calls(chosen & (bucket == number))
    after, right_after = _order(rows, chosen)
    found |= {f"seq_{kind}s": sums.count(after), f"consec_{kind}s": sums.count(right_after)}
    if kind == "write":
        moving = rows.of_kind("read", "write")
        found["file_not_aligned"] = sums.count(moving & (offset % ALIGNMENT != 0))
    return found


def _order(rows: Trace, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which accesses lie behind the rank's last one of this kind in the file, and which begin where it ended."""
    index = np.flatnonzero(chosen)
    file, rank = rows.column("file")[index], rows.column("rank")[index]
    order = index[np.lexsort((rows.column("start")[index], rank, file))]
    offset, ends = rows.column("offset")[order], rows.column("offset")[order] + rows.column("bytes")[order]
    same = (np.diff(rows.column("file")[order]) == 0) & (np.diff(rows.column("rank")[order]) == 0)
    after, right_after = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
    after[order[1:]] = same & (offset[1:] >= ends[:-1])
    right_after[order[1:]] = same & (offset[1:] == ends[:-1])
    return after, right_after


def _switches(rows: Trace, place: NDArray[Any]) -> NDArray[np.bool_]:
    """Which accesses are of another kind than the one before them of the same rank and file."""
    index = np.flatnonzero(rows.of_kind("read", "write"))
    order = index[np.lexsort((rows.column("start")[index], place[index]))]
    kind = rows.column("kind")[order]
    found = np.zeros(len(rows), bool)
    found[order[1:]] = (np.diff(place[order]) == 0) & (kind[1:] != kind[:-1])
    return found
