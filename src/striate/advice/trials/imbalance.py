"""One rank moves much more than the others, and they wait for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from striate.advice.item import Evidence
from striate.advice.trials.edits import is_plain, place, plain, sized
from striate.advice.trials.finding import Finding
from striate.advice.trials.situation import Situation, column
from striate.tuning.change import Change
from striate.units import about_size
from striate.workload.operations import Operation
from striate.workload.rewrite import rewritten

UNEVEN = 2.0  # the busiest rank's bytes over the mean


def look(situation: Situation) -> Finding | None:
    rows = situation.accesses
    rank, size = column(rows, "rank"), column(rows, "bytes")
    moved = np.bincount(rank, size, situation.trace.ranks)
    mean = moved.mean()
    if situation.trace.ranks < 2 or mean <= 0 or moved.max() < UNEVEN * mean:
        return None
    busiest = int(np.argmax(moved))
    mine = rank == busiest
    words = f"rank {busiest} moves {about_size(moved[busiest])}, the mean is {about_size(mean)}"
    seconds = float(situation.durations(rows)[mine].sum())
    servers = min(situation.trace.ranks, 16)
    return Finding(
        title="Few ranks do most of the I/O",
        evidence=Evidence(int(mine.sum()), int(moved[busiest]), seconds, words),
        change=Change(
            "Give every rank an equal part, or let a collective call share the work",
            hints={"romio_cb_write": "enable", "romio_cb_read": "enable", "cb_nodes": str(servers)},
            code="file.Write_at_all(rank * part, data)  # in place of a gather to one rank and its write",
            runtime={"servers": servers},
        ),
        verify="striate info of a new trace: the slowest rank's I/O time is near the mean",
        after=lambda: rewritten(situation.workload, lambda rank, steps: _even(rank, steps, moved)),
    )


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
        from striate.workload.kinds import Kind

        yield plain(Kind.WRITE, "evened", rank * round(mean), round(mean))
