"""A rank that takes much longer than the others for as many bytes: its node, its path or its server is slow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from striate.advice.item import Evidence
from striate.advice.trials.finding import Finding
from striate.advice.trials.situation import Situation, column
from striate.tuning.change import Change
from striate.units import about_seconds
from striate.workload.operations import Operation, compute
from striate.workload.rewrite import rewritten

SLOW = 2.0  # times the median of the ranks with as many bytes
LEAST_RANKS = 4


def look(situation: Situation) -> Finding | None:
    rows = situation.accesses
    rank, size = column(rows, "rank"), column(rows, "bytes")
    moved = np.bincount(rank, size, situation.trace.ranks)
    io = situation.io_seconds
    busiest = int(np.argmax(io))
    like = (moved > 0.8 * moved[busiest]) & (moved < 1.25 * moved[busiest]) & (moved > 0)
    if like.sum() < LEAST_RANKS or io[busiest] < SLOW * np.median(io[like]):
        return None
    slow = np.flatnonzero(like & (io >= SLOW * np.median(io[like])))
    excess = np.zeros(situation.trace.ranks)
    excess[slow] = io[slow] - np.quantile(io[like], 0.75)
    mine = np.isin(rank, slow)
    words = (
        f"{len(slow):,} ranks, such as {busiest}, spend up to {about_seconds(io[busiest])} in I/O; "
        f"the median of ranks with as many bytes is {about_seconds(float(np.median(io[like])))}"
    )
    return Finding(
        title="Some ranks are much slower than others",
        evidence=Evidence(int(mine.sum()), int(size[mine].sum()), float(io[slow].sum()), words),
        change=Change(
            f"Look at {_hosts(situation, slow)} and at the servers of its files; leave it out of the next run",
            commands=("srun --exclude=HOST ...", "lfs getstripe FILE  # is one of its targets slow for all?"),
        ),
        verify="striate info of a new trace: the slowest rank's I/O time is near the mean",
        before=lambda: rewritten(situation.workload, lambda rank, steps: _late(rank, steps, excess)),
        after=lambda: situation.workload,
    )


def _late(rank: int, steps: Iterator[Operation], excess: Any) -> Iterator[Operation]:
    yield from steps
    if excess[rank] > 0:
        yield compute(float(excess[rank]))


def _hosts(situation: Situation, ranks: Any) -> str:
    header = situation.trace.header
    if not header.host_of_rank:
        return f"the nodes of ranks {', '.join(str(rank) for rank in ranks[:8])}"
    return ", ".join(sorted({header.hosts[header.host_of_rank[rank]] for rank in ranks.tolist()})[:8])
