"""Changes to metadata calls: every file is opened once, or all files of a rank are one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from striate.advice.trials.situation import Situation, Variant, column
from striate.workload.kinds import Kind
from striate.workload.operations import Operation, compute
from striate.workload.transforms.rewrite import rewritten

CALLS = {Kind.OPEN: "open", Kind.CLOSE: "close", Kind.STAT: "stat", Kind.ERASE: "delete"}
Means = dict[str, Any]  # kind of call -> mean seconds of one, one value per rank


def opened_once(situation: Situation) -> Variant:
    """One call of each kind per file and rank."""
    return _variant(situation, shared=False)


def one_shared_file(situation: Situation) -> Variant:
    """One call of each kind per rank: one file for all that it had."""
    return _variant(situation, shared=True)


def _variant(situation: Situation, *, shared: bool) -> Variant:
    means = _mean_seconds(situation)
    return Variant(
        rewritten(situation.workload, lambda rank, steps: _only_once(rank, steps, means, shared=shared)),
        rewritten(situation.workload, lambda rank, steps: _as_seen(rank, steps, means)),
    )


def _mean_seconds(situation: Situation) -> Means:
    found = {}
    for kind in CALLS.values():
        rows = situation.trace.where(situation.trace.of_kind(kind))
        rank = column(rows, "rank")
        calls = np.bincount(rank, minlength=situation.trace.ranks)
        spent = np.bincount(rank, situation.durations(rows), situation.trace.ranks)
        found[kind] = spent / np.maximum(calls, 1)
    return found


def _as_seen(rank: int, steps: Iterator[Operation], means: Means) -> Iterator[Operation]:
    """Metadata calls as the time they took."""
    for step in steps:
        yield compute(float(means[CALLS[step.kind]][rank])) if step.kind in CALLS else step


def _only_once(rank: int, steps: Iterator[Operation], means: Means, *, shared: bool) -> Iterator[Operation]:
    seen: set[tuple[Kind, str]] = set()
    for step in steps:
        if step.kind not in CALLS:
            yield step
            continue
        key = (step.kind, "" if shared else str(step.operands[0]))
        if key not in seen:
            seen.add(key)
            yield compute(float(means[CALLS[step.kind]][rank]))
