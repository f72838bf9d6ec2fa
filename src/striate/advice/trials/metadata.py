"""Metadata calls as they were seen: what opening, closing and looking at files took each rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from striate.advice.trials.situation import Situation, column
from striate.trace.trace import Trace
from striate.workload.kinds import Kind
from striate.workload.operations import Operation, compute

CALLS = ("open", "close", "stat", "delete")
_KINDS = {Kind.OPEN: "open", Kind.CLOSE: "close", Kind.STAT: "stat", Kind.ERASE: "delete"}


def metadata_rows(situation: Situation) -> Trace:
    """Calls about files rather than their content."""
    return situation.trace.where(situation.trace.of_kind(*CALLS))


def mean_seconds(situation: Situation) -> dict[str, Any]:
    """Kind of call -> mean seconds of one, a value a rank."""
    found = {}
    for kind in CALLS:
        rows = situation.trace.where(situation.trace.of_kind(kind))
        rank = column(rows, "rank")
        calls = np.bincount(rank, minlength=situation.trace.ranks)
        spent = np.bincount(rank, situation.durations(rows), situation.trace.ranks)
        found[kind] = spent / np.maximum(calls, 1)
    return found


def as_seen(rank: int, steps: Iterator[Operation], means: dict[str, Any]) -> Iterator[Operation]:
    """Metadata calls as the time they took."""
    for step in steps:
        if step.kind in _KINDS:
            yield compute(float(means[_KINDS[step.kind]][rank]))
        else:
            yield step


def only_once(
    rank: int, steps: Iterator[Operation], means: dict[str, Any], *, shared: bool
) -> Iterator[Operation]:
    """The same with one call of each kind a file, or with `shared` a rank: one file for all that it had."""
    seen: set[tuple[Kind, str]] = set()
    for step in steps:
        if step.kind not in _KINDS:
            yield step
            continue
        key = (step.kind, "" if shared else str(step.operands[0]))
        if key not in seen:
            seen.add(key)
            yield compute(float(means[_KINDS[step.kind]][rank]))
