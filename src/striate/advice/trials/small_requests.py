"""Small requests that follow one another: a buffer would make them few and large."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from striate.advice.item import Evidence
from striate.advice.trials.edits import joined
from striate.advice.trials.finding import Finding
from striate.advice.trials.situation import Situation, column
from striate.tuning.change import Change
from striate.units import about_size
from striate.workload.operations import Operation
from striate.workload.rewrite import rewritten

SMALL = 64 * 2**10
BUFFER = 4 * 2**20
LEAST = 8  # requests that could be joined


def look(situation: Situation) -> Finding | None:
    rows = situation.accesses
    rank, file, kind = (column(rows, name) for name in ("rank", "file", "kind"))
    offset, size = column(rows, "offset"), column(rows, "bytes")
    small = (size < SMALL) & ~rows.column("collective") & (offset >= 0)
    follows = np.zeros(len(rows), bool)
    follows[1:] = (
        (rank[1:] == rank[:-1])
        & (file[1:] == file[:-1])
        & (kind[1:] == kind[:-1])
        & (offset[1:] == offset[:-1] + size[:-1])
    )
    chosen = small & follows
    if chosen.sum() < LEAST:
        return None
    seconds = situation.durations(rows)[chosen].sum()
    count, total = int(chosen.sum()), int(size[chosen].sum())
    words = f"{count:,} requests of {about_size(total / count)} on average begin where the previous one ended"
    return Finding(
        title="Small consecutive requests",
        evidence=Evidence(count, total, float(seconds), words),
        change=Change(
            f"Aggregate them in a buffer of {about_size(BUFFER)} and write or read that",
            environment={"FORT_BUFFERED": "true", "FORT_BLOCKSIZE": str(BUFFER)},
            code=f'file = open(path, "wb", buffering={BUFFER})  # C: setvbuf(file, NULL, _IOFBF, {BUFFER})',
            runtime={"buffer": "64 MiB"},
        ),
        verify=f"striate info of a new trace: requests of about {about_size(BUFFER)}, {count:,} fewer",
        after=lambda: rewritten(situation.workload, _buffered),
    )


def _buffered(rank: int, steps: Iterator[Operation]) -> Iterator[Operation]:
    return joined(steps, BUFFER)
