"""A file for every rank, or several: one shared file needs one open."""

from __future__ import annotations

import numpy as np

from striate.advice.item import Evidence
from striate.advice.trials.finding import Finding
from striate.advice.trials.metadata import as_seen, mean_seconds, metadata_rows, only_once
from striate.advice.trials.situation import Situation, column
from striate.tuning.change import Change
from striate.workload.rewrite import rewritten

MANY = 16  # files, and two a rank at least


def look(situation: Situation) -> Finding | None:
    trace = situation.trace
    writes = trace.where(trace.of_kind("write"))
    pairs = np.unique(np.stack([column(writes, "file"), column(writes, "rank")], axis=1), axis=0)
    files, owners = np.unique(pairs[:, 0], return_counts=True)
    private = files[(owners == 1) & (files >= 0)]
    if len(private) < max(MANY, 2 * trace.ranks):
        return None
    opened = metadata_rows(situation)
    chosen = opened.where(np.isin(opened.column("file"), private))
    means = mean_seconds(situation)
    words = f"{len(private):,} files are written by one rank each, {len(private) / trace.ranks:.3g} a rank"
    return Finding(
        title="Many files where one would be enough",
        evidence=Evidence(len(chosen), 0, float(situation.durations(chosen).sum()), words),
        change=Change(
            "Write one shared file, every rank at its own offset, in collective calls",
            hints={"romio_cb_write": "enable"},
            code="file.Write_at_all(rank * size, data)  # one MPI.File.Open for all ranks",
            runtime={"servers": max(1, trace.ranks // 16)},
        ),
        verify="striate info of a new trace: one file in place of them",
        before=lambda: rewritten(situation.workload, lambda rank, steps: as_seen(rank, steps, means)),
        after=lambda: rewritten(
            situation.workload, lambda rank, steps: only_once(rank, steps, means, shared=True)
        ),
    )
