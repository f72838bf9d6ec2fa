"""Rows made from counters, for files of which Darshan kept no single accesses: sums are right, the rest is a guess.

One row stands for all reads (or writes) of a file by a rank: `blocks` calls of equal size back to back, ending at the
highest byte seen, from the first start on for as long as all of them took together. A record that Darshan merged over
all ranks is split evenly over as many of them as it has calls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.formats.readers.darshan.counters import Counters
from striate.trace import records as counted

MOST_ROWS = 2**21


@dataclass(frozen=True, slots=True, eq=False)
class Rebuilt:
    """Columns of rows made up; `spread` tells whether merged records were split over the ranks."""

    id: NDArray[np.uint64]
    rank: NDArray[np.int64]
    write: NDArray[np.bool_]
    offset: NDArray[np.int64]
    bytes: NDArray[np.int64]
    blocks: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    collective: NDArray[np.bool_]
    spread: bool


def rebuild(records: Counters, known: NDArray[np.uint64], *, ranks: int) -> Rebuilt:
    """Rows for the files of `records` that are not among the `known` ids."""
    parts = [_kind(records, kind, ~np.isin(records.id, known), ranks) for kind in ("read", "write")]
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in Rebuilt.__slots__
        if name != "spread"
    }
    return Rebuilt(**columns, spread=any(part.spread for part in parts))


def _kind(records: Counters, kind: str, wanted: NDArray[np.bool_], ranks: int) -> Rebuilt:
    calls, moved = counted.calls(records.columns, kind), counted.moved(records.columns, kind)
    rows = np.flatnonzero(wanted & (calls > 0))
    shared = records.rank[rows] < 0
    spread = ranks > 1 and bool(shared.any()) and int(shared.sum()) * ranks <= MOST_ROWS
    times = np.where(shared & spread, np.minimum(calls[rows], ranks), 1)  # never more parts than calls
    take = np.repeat(rows, times)
    part = np.arange(len(take)) - np.repeat(np.cumsum(times) - times, times)
    count = np.repeat(times, times)
    bytes_ = moved[take] // count + (part < moved[take] % count)
    blocks = calls[take] // count + (part < calls[take] % count)
    rank = np.where(records.rank[take] < 0, part, records.rank[take])
    last = records.columns.get("max_byte_read" if kind == "read" else "max_byte_written")
    top = np.maximum(last[take] + 1, moved[take]) if last is not None else moved[take]
    before = part * (moved[take] // count) + np.minimum(part, moved[take] % count)
    start, end = (records.columns[f"{kind}_{end}_timestamp"][take] for end in ("start", "end"))
    with np.errstate(all="ignore"):  # a broken log may say anything; impossible times are sorted out later
        busy = start + np.maximum(records.columns[f"{kind}_time"][take], 0) / count
    together = records.columns.get(f"coll_{kind}s")
    collective = np.zeros(len(take), bool) if together is None else together[take] == calls[take]
    return Rebuilt(
        id=records.id[take],
        rank=rank,
        write=np.full(len(take), kind == "write"),
        offset=top - moved[take] + before,
        bytes=bytes_,
        blocks=blocks,
        start=start,
        end=np.maximum(start, np.minimum(busy, end)),
        collective=collective,
        spread=spread,
    )
