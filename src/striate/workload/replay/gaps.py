"""Time between operations as compute: gaps of the same kind are evened out, so that repeated steps look alike again."""

from __future__ import annotations

import numpy as np

from striate.errors import WorkloadError
from striate.workload.program import Int64s

MOST_PICOSECONDS = 2**62
_APART = 2.0  # a gap this many times the next shorter one is of another kind ...
_NOISE = 10_000  # ... when it is this many nanoseconds longer
_FEW = 0.2  # of the gaps between the same two operations: fewer than this are disturbances, not a kind


def gaps_before(start: Int64s, end: Int64s) -> Int64s:
    """Nanoseconds from the last end of all earlier operations to each start; 0 where they overlap."""
    if not len(start):
        return np.empty(0, np.int64)
    reached = np.concatenate(([0], np.maximum.accumulate(end)[:-1]))
    return np.maximum(start - reached, 0)


def evened(gaps: Int64s, context: Int64s) -> Int64s:
    """Picoseconds: each gap becomes the mean of its like - same context, similar length; their sum is kept."""
    if not len(gaps):
        return np.empty(0, np.int64)
    order = np.lexsort((gaps, context))
    kind = _kinds(gaps[order], context[order])
    totals = np.bincount(kind, gaps[order].astype(float))
    means = np.rint(totals / np.maximum(np.bincount(kind), 1) * 1000)
    if float(means.max()) > MOST_PICOSECONDS:
        days = MOST_PICOSECONDS / 1e12 / 86400
        raise WorkloadError(
            f"expected less than {days:.0f} days between two operations of a rank, found a longer time"
        )
    means = means.astype(np.int64)
    found = np.empty(len(gaps), np.int64)
    found[order] = means[kind]
    return found


def _kinds(gaps: Int64s, context: Int64s) -> Int64s:
    """A number for each of the sorted gaps, equal for those of one kind."""
    first = np.ones(len(gaps), bool)
    first[1:] = context[1:] != context[:-1]
    new = first.copy()
    new[1:] |= gaps[1:] > gaps[:-1] * _APART + _NOISE
    cluster, place = np.cumsum(new) - 1, np.cumsum(first) - 1
    many = np.bincount(cluster) >= _FEW * np.bincount(place)[place[new]]
    many[cluster[_largest(gaps, cluster, place)]] = True  # every context has a kind
    # Few gaps join the shorter kind beside them; those below the first kind of their context join that one.
    numbers = np.arange(len(many))
    below = np.maximum.accumulate(np.where(many, numbers, -1))
    above = np.minimum.accumulate(np.where(many, numbers, len(many))[::-1])[::-1]
    of = place[new]
    joined = np.where((below >= 0) & (of[np.maximum(below, 0)] == of), below, above)
    return np.asarray(joined[cluster], np.int64)


def _largest(gaps: Int64s, cluster: Int64s, place: Int64s) -> Int64s:
    """One gap of the largest cluster of each context."""
    counts = np.bincount(cluster)[cluster]
    order = np.lexsort((counts, place))
    last = np.append(place[order][1:] != place[order][:-1], True)
    return np.asarray(order[last], np.int64)
