"""The critical path: back from the end of a run, at every wait over to the rank that was waited for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.trace.analysis.matched import matched
from striate.trace.kinds import COLLECTIVES, KINDS, RANK_LEVELS
from striate.trace.trace import Trace

Int64s = NDArray[np.int64]
COMPUTE = "computing, or not recorded"
_NOBODY = -1


@dataclass(frozen=True, slots=True, eq=False)
class CriticalPath:
    """Pieces in the order of time, without gaps: from `start` to `end` (ns) it is on `rank`, in `states[state]`."""

    rank: Int64s
    start: Int64s
    end: Int64s
    state: Int64s
    states: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.rank)

    @property
    def seconds(self) -> float:
        return float((self.end - self.start).sum()) / 1e9

    def seconds_of_states(self) -> dict[str, float]:
        """Seconds of the path in every state, the longest first."""
        sums = np.bincount(self.state, (self.end - self.start) / 1e9, len(self.states))
        order = np.argsort(-sums, kind="stable")
        return {self.states[at]: float(sums[at]) for at in order.tolist() if sums[at] > 0}

    def seconds_of_ranks(self) -> dict[int, float]:
        """Seconds of the path on every rank it touches, the longest first."""
        sums = np.bincount(self.rank, (self.end - self.start) / 1e9)
        order = np.argsort(-sums, kind="stable")
        return {int(at): float(sums[at]) for at in order.tolist() if sums[at] > 0}


def critical_path(trace: Trace) -> CriticalPath:
    """Which calls and gaps, one after the other, made the run as long as it was.

    A receive that waited for its send, and a collective that waited for its last rank, hand the path over to that
    rank at the moment it came; all other time belongs to the rank the path is on.
    """
    calls, start = _outermost(trace)
    if not len(calls):
        return _path([])
    rank, end = (trace.column(name)[calls].astype(np.int64) for name in ("rank", "end"))
    kind = trace.column("kind")[calls].astype(np.int64)
    cause = _causes(trace, calls, start)
    first = np.searchsorted(rank, np.arange(trace.ranks + 1))
    pieces: list[tuple[int, int, int, int]] = []
    at = int(np.argmax(end))
    on, moment, begin = int(rank[at]), int(end[at]), int(start.min())
    while moment > begin:
        low, high = int(first[on]), int(first[on + 1])
        call = low + int(np.searchsorted(start[low:high], moment)) - 1
        if call < low:
            pieces.append((on, begin, moment, _NOBODY))
            break
        if end[call] < moment:
            pieces.append((on, int(end[call]), moment, _NOBODY))
            moment = int(end[call])
            continue
        awaited = int(cause[call])
        if awaited != _NOBODY and start[call] < start[awaited] < moment and rank[awaited] != on:
            pieces.append((on, int(start[awaited]), moment, int(kind[call])))
            on, moment = int(rank[awaited]), int(start[awaited])
        else:
            pieces.append((on, int(start[call]), moment, int(kind[call])))
            moment = int(start[call])
    return _path(pieces[::-1])


def _path(pieces: list[tuple[int, int, int, int]]) -> CriticalPath:
    ranks, starts, ends, kinds = np.array(pieces, np.int64).reshape(-1, 4).T
    if not pieces:
        return CriticalPath(ranks, starts, ends, kinds, ())
    new = np.append(True, (ranks[1:] != ranks[:-1]) | (kinds[1:] != kinds[:-1]))
    last = np.append(np.flatnonzero(new)[1:], len(ranks)) - 1
    used, state = np.unique(kinds[new], return_inverse=True)
    names = tuple(COMPUTE if code == _NOBODY else KINDS[code] for code in used.tolist())
    return CriticalPath(ranks[new], starts[new], ends[last], np.ravel(state).astype(np.int64), names)


def _outermost(trace: Trace) -> tuple[Int64s, Int64s]:
    """Calls of ranks that lie in no other call of theirs, and from when on no earlier call of the rank is in flight.

    Regions are no calls; calls of one rank overlap when it has threads.
    """
    rows = np.flatnonzero(trace.at_level(*RANK_LEVELS) & ~trace.of_kind("region", "compute"))
    rank, start, end = (trace.column(name)[rows].astype(np.int64) for name in ("rank", "start", "end"))
    if not len(rows):
        return rows, start
    low = int(start.min())
    span = int(end.max()) + 1 - low  # ranks follow each other by this, so that none reaches into the next
    reached = np.maximum.accumulate(end - low + rank * span)
    before = np.append(0, reached[:-1])
    free = np.maximum(before - rank * span, 0) + low
    own = (start >= free) | (end > free)
    return rows[own], np.maximum(start, free)[own]


def _causes(trace: Trace, calls: Int64s, start: Int64s) -> Int64s:
    """For every call the call of another rank that it waited for, by place in `calls`; -1 for none."""
    place = np.full(len(trace), _NOBODY, np.int64)
    place[calls] = np.arange(len(calls))
    cause = np.full(len(calls), _NOBODY, np.int64)
    _by_collectives(trace, calls, start, cause)
    sends, receives = matched(trace)
    target = place[receives]
    late = trace.column("complete")[receives] > trace.column("end")[receives]
    target[late] = _waits(trace, calls, receives[late])
    source = place[sends]
    known = np.flatnonzero((target >= 0) & (source >= 0))
    order = known[
        np.argsort(start[source[known]], kind="stable")
    ]  # the last send that a wait waits for counts
    cause[target[order]] = source[order]
    return cause


def _waits(trace: Trace, calls: Int64s, receives: Int64s) -> Int64s:
    """The wait, on the same rank, in which each receive that did not block was completed."""
    waits = np.flatnonzero(np.isin(trace.column("kind")[calls], [KINDS.index("wait")]))
    if not len(waits) or not len(receives):
        return np.full(len(receives), _NOBODY, np.int64)
    rank, end = (trace.column(name)[calls[waits]].astype(np.int64) for name in ("rank", "end"))
    own, complete = (trace.column(name)[receives].astype(np.int64) for name in ("rank", "complete"))
    span = max(int(end.max()), int(complete.max())) + 1
    at = np.searchsorted(rank * span + end, own * span + complete)
    fits = (at < len(waits)) & (rank[np.minimum(at, len(waits) - 1)] == own)
    return np.where(fits, waits[np.minimum(at, len(waits) - 1)], _NOBODY)


def _by_collectives(trace: Trace, calls: Int64s, start: Int64s, cause: Int64s) -> None:
    """The n-th collective call of a kind on a communicator, or on a file, waits for the last rank that makes it."""
    message = np.isin(trace.column("kind")[calls], [KINDS.index(name) for name in COLLECTIVES])
    together = np.flatnonzero(message | trace.column("collective")[calls])
    if not len(together):
        return
    names = ("kind", "communicator", "file", "rank")
    kind, family, file, rank = (trace.column(name)[calls[together]].astype(np.int64) for name in names)
    family = np.where(message[together], family, -2 - file)
    _, group = np.unique(np.stack([kind, family]), axis=1, return_inverse=True)
    group = np.ravel(group)
    order = np.lexsort((start[together], rank, group))
    line = group[order] * trace.ranks + rank[order]
    begins = np.flatnonzero(np.diff(line, prepend=line[0] - 1))
    turn = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    meeting = group[order] * (int(turn.max()) + 1) + turn
    by_meeting = np.lexsort((start[together[order]], meeting))
    last = np.append(np.flatnonzero(np.diff(meeting[by_meeting])), len(by_meeting) - 1)
    latest = together[order[by_meeting[last]]]
    cause[together[order[by_meeting]]] = np.repeat(latest, np.diff(np.append(-1, last)))
