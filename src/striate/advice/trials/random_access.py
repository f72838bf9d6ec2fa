"""Accesses that jump back and forth in a file: in the order of the file they need fewer and shorter seeks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from striate.advice.item import Evidence
from striate.advice.trials.edits import in_order
from striate.advice.trials.finding import Finding
from striate.advice.trials.situation import Situation, column
from striate.tuning.change import Change
from striate.units import about_size
from striate.workload.operations import Operation
from striate.workload.rewrite import rewritten

LEAST_SHARE = 0.25  # of the accesses go back
LEAST = 8
BUFFER = 4 * 2**20


def look(situation: Situation) -> Finding | None:
    rows = situation.accesses
    rank, file, offset, size = (column(rows, name) for name in ("rank", "file", "offset", "bytes"))
    known = (offset >= 0) & ~rows.column("collective")
    order = np.lexsort((np.arange(len(rows)), file, rank))  # each rank's accesses of a file, as they came
    back = np.zeros(len(rows), bool)
    first, second = order[:-1], order[1:]
    same = (rank[first] == rank[second]) & (file[first] == file[second]) & known[first] & known[second]
    back[second[same & (offset[second] < offset[first] + size[first])]] = True
    if back.sum() < max(LEAST, LEAST_SHARE * known.sum()):
        return None
    count, total = int(back.sum()), int(size[back].sum())
    words = f"{count:,} of {int(known.sum()):,} accesses begin before the end of the previous one"
    return Finding(
        title="A file is accessed in random order",
        evidence=Evidence(count, total, float(situation.durations(rows)[back].sum()), words),
        change=Change(
            "Sort accesses by their offset in the file, and make them in one call",
            hints={"romio_ds_read": "enable", "romio_cb_read": "enable"},
            code="order = numpy.argsort(offsets)  # then one MPI_Type_create_hindexed and one MPI_File_read_all",
            runtime={"buffer": "64 MiB"},
        ),
        verify=f"accesses that go back in a new trace: none; requests of up to {about_size(BUFFER)}",
        after=lambda: rewritten(situation.workload, _ordered),
    )


def _ordered(rank: int, steps: Iterator[Operation]) -> Iterator[Operation]:
    return in_order(steps, BUFFER)
