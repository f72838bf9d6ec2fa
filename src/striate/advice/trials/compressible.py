"""Data that compress well and fast: fewer bytes to write, for some work of the CPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from striate.advice.facts import Sample
from striate.advice.item import Evidence
from striate.advice.trials.edits import is_access, sized
from striate.advice.trials.finding import Finding
from striate.advice.trials.situation import Situation, column
from striate.tuning.change import Change
from striate.units import about_rate
from striate.workload.kinds import WRITES
from striate.workload.operations import Operation, compute
from striate.workload.rewrite import rewritten

WORTH = 0.8  # the share that may be left at most


def look(situation: Situation) -> Finding | None:
    good = {name: sample for name, sample in situation.samples.items() if sample.share <= WORTH}
    rows = situation.accesses.where(situation.accesses.of_kind("write"))
    chosen = np.array([situation.file_name(int(file)) in good for file in rows.column("file")], bool)
    if not chosen.any():
        return None
    size = column(rows, "bytes")[chosen]
    name, sample = min(good.items(), key=lambda entry: entry[1].share)
    words = (
        f"a sample of {name.rsplit('/', 1)[-1]} shrinks to {sample.share:.0%} with {sample.codec}, "
        f"at {about_rate(1 / sample.seconds_per_byte)}"
    )
    return Finding(
        title="The data compress well",
        evidence=Evidence(
            int(chosen.sum()), int(size.sum()), float(situation.durations(rows)[chosen].sum()), words
        ),
        change=Change(
            f"Compress with {sample.codec} before writing",
            code=f"numcodecs.get_codec({{'id': '{sample.codec}'}}).encode(data)  # HDF5: a filter on a chunked dataset",
            runtime={"codec": sample.codec},
        ),
        verify=f"bytes written in a new trace: about {sample.share:.0%} of now",
        after=lambda: rewritten(situation.workload, lambda rank, steps: _compressed(steps, good)),
    )


def _compressed(steps: Iterator[Operation], samples: Mapping[str, Sample]) -> Iterator[Operation]:
    for step in steps:
        sample = samples.get(str(step.operands[0])) if is_access(step) and step.kind in WRITES else None
        if sample is None or isinstance(step.operands[5], tuple):
            yield step
            continue
        block, count = step.operands[2], step.operands[3]
        yield compute(block * count * sample.seconds_per_byte)
        yield sized(step, max(1, round(block * sample.share)))
