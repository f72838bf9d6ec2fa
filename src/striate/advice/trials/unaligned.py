"""Accesses that do not begin where a strip of the file system begins, and so touch one server more."""

from __future__ import annotations

from collections.abc import Iterator

from striate.advice.item import Evidence
from striate.advice.trials.edits import is_plain, place, plain
from striate.advice.trials.finding import Finding
from striate.advice.trials.situation import Situation, column
from striate.tuning.change import Change
from striate.units import about_size
from striate.workload.operations import Operation
from striate.workload.rewrite import rewritten


def look(situation: Situation) -> Finding | None:
    unit = int(situation.cluster.settings.stripe_unit)
    rows = situation.accesses
    offset, size = column(rows, "offset"), column(rows, "bytes")
    chosen = (offset % unit != 0) & (offset >= 0) & (size >= unit) & ~rows.column("collective")
    if not chosen.any():
        return None
    count, total = int(chosen.sum()), int(size[chosen].sum())
    words = f"{count:,} accesses of at least a strip ({about_size(unit)}) begin inside one"
    return Finding(
        title="Accesses are not aligned with the strips",
        evidence=Evidence(count, total, float(situation.durations(rows)[chosen].sum()), words),
        change=Change(
            f"Let every rank's part begin at a multiple of {unit:,} bytes",
            hints={"striping_unit": str(unit)},
            code=f"offset = -(-offset // {unit}) * {unit}  # HDF5: H5Pset_alignment(plist, {unit}, {unit})",
        ),
        verify=f"offsets of a new trace modulo {unit:,} are 0",
        after=lambda: rewritten(situation.workload, lambda rank, steps: _aligned(steps, unit)),
    )


def _aligned(steps: Iterator[Operation], unit: int) -> Iterator[Operation]:
    for step in steps:
        if is_plain(step) and place(step)[2] >= unit:
            file, offset, size = place(step)
            yield plain(step.kind, file, offset // unit * unit, size)
        else:
            yield step
