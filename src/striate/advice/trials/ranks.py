"""Changes to how work is divided among ranks: equal shares, and no slow rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from striate.advice.trials.edits import is_plain, place, plain, sized
from striate.advice.trials.situation import Situation, Variant, column
from striate.workload.kinds import Kind
from striate.workload.operations import Operation, compute
from striate.workload.transforms.rewrite import rewritten

SLOW = 2.0  # times the median of the ranks with as many bytes


def equal_shares(situation: Situation) -> Variant | None:
    """Every rank moves the mean."""
    moved = _moved(situation)
    if moved.mean() <= 0:
        return None
    return Variant(rewritten(situation.workload, lambda rank, steps: _even(rank, steps, moved)))


def _moved(situation: Situation) -> Any:
    """Bytes of every rank."""
    rows = situation.accesses
    return np.bincount(column(rows, "rank"), column(rows, "bytes"), situation.trace.ranks)


def _even(rank: int, steps: Iterator[Operation], moved: Any) -> Iterator[Operation]:
    """Accesses scaled so that every rank moves the mean; a rank without any repeats nothing, but writes its part."""
    mean = float(moved.mean())
    factor = mean / moved[rank] if moved[rank] else 0.0
    last: Operation | None = None
    for step in steps:
        if is_plain(step):
            last = sized(step, max(1, round(place(step)[2] * factor)))
            yield last
        else:
            yield step
    if last is None and not moved[rank]:
        yield plain(Kind.WRITE, "evened", rank * round(mean), round(mean))


def no_slow_rank(situation: Situation) -> Variant | None:
    """Now: ranks that are much slower than others with as many bytes are late by what they take longer."""
    moved, io = _moved(situation), situation.io_seconds
    busiest = int(np.argmax(io))
    like = (moved > 0.8 * moved[busiest]) & (moved < 1.25 * moved[busiest]) & (moved > 0)
    if not like.any():
        return None
    slow = np.flatnonzero(like & (io >= SLOW * np.median(io[like])))
    excess = np.zeros(situation.trace.ranks)
    excess[slow] = io[slow] - np.quantile(io[like], 0.75)
    late = rewritten(situation.workload, lambda rank, steps: _late(rank, steps, excess))
    return Variant(situation.workload, late)


def _late(rank: int, steps: Iterator[Operation], excess: Any) -> Iterator[Operation]:
    yield from steps
    if excess[rank] > 0:
        yield compute(float(excess[rank]))
