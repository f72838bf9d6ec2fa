"""Amounts spread evenly over spans, summed in bins: bytes over time, or over the places of a file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def spread(
    row: NDArray[Any], start: NDArray[Any], end: NDArray[Any], amount: NDArray[Any], edges: Floats, rows: int
) -> Floats:
    """(rows, bins): how much of `amount`, even from `start` to `end`, falls into each row and bin.

    The sum up to an edge is a sum of straight lines that begin at starts and stop at ends, so no span is walked.
    """
    bins = len(edges) - 1
    begin, stop = start.astype(np.float64), end.astype(np.float64)
    least = begin + (edges[-1] - edges[0]) * 1e-12  # what takes no time takes hardly any
    stop = np.maximum(stop, np.nextafter(least, np.inf))
    slope = amount / (stop - begin)
    level, moment = np.zeros((rows, bins + 1)), np.zeros((rows, bins + 1))
    for place, sign in ((begin, 1.0), (stop, -1.0)):
        at = np.searchsorted(edges, np.clip(place, edges[0], edges[-1]), side="left")
        inside = place <= edges[-1]
        key = row[inside] * (bins + 1) + np.minimum(at, bins)[inside]
        weight = sign * slope[inside]
        level += np.bincount(key, weight, rows * (bins + 1)).reshape(rows, bins + 1)
        moment += np.bincount(key, weight * (place[inside] - edges[0]), rows * (bins + 1)).reshape(
            rows, bins + 1
        )
    sums = np.cumsum(level, axis=1) * (edges - edges[0]) - np.cumsum(moment, axis=1)
    found: Floats = np.maximum(np.diff(sums, axis=1), 0.0)
    return found


MOST = 2.0**62  # bytes of a row: sums of damaged files may exceed what a whole number of 64 bits holds


def whole(amounts: Floats) -> NDArray[np.int64]:
    """Whole numbers, all rows one after the other; the sum of every row is kept, up to 2^62."""
    reached = np.minimum(np.rint(np.cumsum(amounts, axis=1)), MOST)
    return np.diff(reached, axis=1, prepend=0.0).astype(np.int64).ravel()


def binned_rows(rows: int, most: int) -> tuple[int, int]:
    """(bins, rows in each): no more than `most` bins."""
    step = max(1, -(-rows // most))
    return -(-rows // step), step
