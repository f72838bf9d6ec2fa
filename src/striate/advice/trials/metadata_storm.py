"""Files opened, closed and looked at again and again."""

from __future__ import annotations

import numpy as np

from striate.advice.item import Evidence
from striate.advice.trials.finding import Finding
from striate.advice.trials.metadata import as_seen, mean_seconds, metadata_rows, only_once
from striate.advice.trials.situation import Situation, column
from striate.tuning.change import Change
from striate.workload.rewrite import rewritten

AGAIN = 2.0  # calls a file, rank and kind, on average
LEAST = 16


def look(situation: Situation) -> Finding | None:
    rows = metadata_rows(situation)
    if len(rows) < LEAST:
        return None
    calls = np.stack([column(rows, name) for name in ("rank", "file", "kind")], axis=1)
    needed = len(np.unique(calls, axis=0))
    if len(rows) < AGAIN * needed:
        return None
    means = mean_seconds(situation)
    seconds = float(situation.durations(rows).sum())
    words = f"{len(rows):,} opens, closes and stats of files where {needed:,} would do"
    return Finding(
        title="Files are opened repeatedly",
        evidence=Evidence(len(rows), 0, seconds, words),
        change=Change(
            "Open every file once, keep it open, and let one rank stat it and broadcast the result",
            hints={"romio_no_indep_rw": "true"},
            code="file = MPI.File.Open(comm, path, mode)  # before the loop; file.Close() after it",
        ),
        verify=f"metadata calls of a new trace: about {needed:,}",
        before=lambda: rewritten(situation.workload, lambda rank, steps: as_seen(rank, steps, means)),
        after=lambda: rewritten(
            situation.workload, lambda rank, steps: only_once(rank, steps, means, shared=False)
        ),
    )
