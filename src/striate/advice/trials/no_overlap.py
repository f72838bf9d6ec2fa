"""Writes that the program waits for, though it has other work to do meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from striate.advice.item import Evidence
from striate.advice.trials.edits import is_plain
from striate.advice.trials.finding import Finding
from striate.advice.trials.situation import Situation, column
from striate.tuning.change import Change
from striate.units import about_seconds
from striate.workload.kinds import Kind
from striate.workload.operations import PENDING, Operation, wait
from striate.workload.rewrite import rewritten

LEAST_SECONDS = 1e-3  # of work after a write on the same rank, for the write to hide behind


def look(situation: Situation) -> Finding | None:
    rows = situation.accesses
    rank, start, end = (column(rows, name) for name in ("rank", "start", "end"))
    waits = rows.of_kind("write") & ~rows.column("collective") & (rows.column("request") < 0)
    gap = np.zeros(len(rows))
    gap[:-1] = np.where(rank[1:] == rank[:-1], (start[1:] - end[:-1]) / 1e9, 0.0)
    chosen = waits & (gap >= LEAST_SECONDS)
    if not chosen.any():
        return None
    size, seconds = column(rows, "bytes")[chosen], situation.durations(rows)[chosen]
    words = (
        f"{int(chosen.sum()):,} writes are blocking, and {about_seconds(float(gap[chosen].sum()))} of other work "
        "follows them"
    )
    return Finding(
        title="Writing and computing do not overlap",
        evidence=Evidence(int(chosen.sum()), int(size.sum()), float(seconds.sum()), words),
        change=Change(
            "Start the write, continue, and wait before the buffer is reused",
            code="request = file.Iwrite_at(offset, data); compute(); request.Wait()",
            runtime={"iwrite_all": True},
        ),
        verify="striate info of a new trace: less time in I/O at as many bytes",
        before=lambda: situation.whole,
        after=lambda: rewritten(situation.whole, _overlapped),
    )


def _overlapped(rank: int, steps: Iterator[Operation]) -> Iterator[Operation]:
    """A write is waited for when the rank does anything but compute next."""
    open_: Operation | None = None
    for step in steps:
        if open_ is not None and step.kind is not Kind.COMPUTE:
            yield wait(open_)
            open_ = None
        if is_plain(step) and step.kind is Kind.WRITE:
            open_ = Operation(Kind.WRITE, (*step.operands[:-1], PENDING), step.communicator)
            yield open_
        else:
            yield step
    if open_ is not None:
        yield wait(open_)
