"""Which call of a rank made the request that a server worked on: the one in flight when the work began."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from striate.trace.trace import Trace

Int64s = NDArray[np.int64]


def requested(trace: Trace) -> tuple[Int64s, Int64s]:
    """(rows of calls, rows of the servers' work for them); work for no known call is left out."""
    rank, start, end = (trace.column(name).astype(np.int64) for name in ("rank", "start", "end"))
    work = np.flatnonzero(trace.at_level("server") & (rank >= 0))
    calls = np.flatnonzero(trace.at_level("mpi-io"))
    if not len(work) or not len(calls):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    order = np.lexsort((start[calls], rank[calls]))
    calls = calls[order]
    # The last call of the same rank that began no later: rows as (rank, start), compared as a whole.
    both = np.concatenate([calls, work])
    later = np.repeat([0, 1], [len(calls), len(work)])
    place = np.lexsort((later, start[both], rank[both]))
    last = np.maximum.accumulate(np.where(place < len(calls), place, -1))
    asked = place >= len(calls)
    found, made = last[asked], both[place[asked]]
    known = found >= 0
    call, made = calls[found[known]], made[known]
    in_flight = (rank[call] == rank[made]) & (end[call] >= start[made])
    return call[in_flight], made[in_flight]
