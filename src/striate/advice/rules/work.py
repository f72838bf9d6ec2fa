"""What the program could do besides: compute while it writes, and write fewer bytes."""

from __future__ import annotations

import numpy as np

from striate.advice.diagnosis import Diagnosis, Unjudged, Verdict
from striate.advice.facts import Facts
from striate.advice.item import Evidence
from striate.interval import Interval
from striate.trace.analysis.tables import front
from striate.tuning.change import Change
from striate.units import about_rate, about_seconds

LEAST_SECONDS = 1e-3  # of work after a write on the same rank, for the write to hide behind
WORTH = 0.8  # the share of a compressed file that may be left at most


def no_overlap(facts: Facts) -> Verdict:
    """Writes that are waited for, where computing after them is seen."""
    if not facts.saw_all_calls:
        return Unjudged("the calls between its accesses: time outside I/O may be computing or waiting")
    rows = facts.trace.where(front(facts.trace))
    rank, start, end = (rows.column(name).astype(np.int64) for name in ("rank", "start", "end"))
    waits = rows.of_kind("write") & ~rows.column("collective") & (rows.column("request") < 0)
    gap = np.zeros(len(rows))
    gap[:-1] = np.where(rank[1:] == rank[:-1], (start[1:] - end[:-1]) / 1e9, 0.0)
    chosen = waits & (gap >= LEAST_SECONDS)
    took = (end - start) / 1e9
    hidden = np.bincount(rank[chosen], np.minimum(took, gap)[chosen], facts.ranks)
    most = float(hidden.max(initial=0.0))
    if not chosen.any() or not facts.matters(most):
        return None
    words = (
        f"{int(chosen.sum()):,} writes are blocking, and "
        f"{about_seconds(float(gap[chosen].sum()))} of other work follows"
    )
    return Diagnosis(
        title="Writing and computing do not overlap",
        evidence=Evidence.of(chosen, rows.column("bytes")[chosen], took[chosen], words),
        why="The rank waits for its write, although its next computation does not need the file.",
        wall=Interval(float(hidden.mean()), most, most),
        change=Change(
            "Start the write, continue, and wait before the buffer is reused",
            code="request = file.Iwrite_at(offset, data); compute(); request.Wait()",
            runtime={"iwrite_all": True},
        ),
        verify="striate info of a new trace: less time in I/O at as many bytes",
        saved=(0.2, 1.0),
    )


def compressible(facts: Facts) -> Verdict:
    """Written files, still here, whose sample shrinks."""
    good = {name: sample for name, sample in facts.samples.items() if sample.share <= WORTH}
    layer = facts.storage
    if not facts.samples or layer is None:
        return Unjudged(
            "the written files themselves: none was sampled (`--open-files` samples those that still exist)"
        )
    files = np.array([facts.name(number) in good for number in range(layer.files)], bool)
    mine = layer.in_files(files)
    spent = np.where(mine, layer.seconds("write"), 0.0)
    wall = facts.wall(layer, spent)
    if not mine.any() or not facts.matters(wall.estimate):
        return None
    name, sample = min(good.items(), key=lambda entry: entry[1].share)
    size = float(layer.moved("write")[mine].sum())
    work = size / facts.ranks * sample.seconds_per_byte
    rate = about_rate(1 / sample.seconds_per_byte)
    words = (
        f"a sample of {name.rsplit('/', 1)[-1]} shrinks to {sample.share:.0%} with {sample.codec}, at {rate}"
    )
    return Diagnosis(
        title="The data compress well",
        evidence=Evidence(int(layer.calls("write")[mine].sum()), int(size), float(spent.sum()), words),
        why="Fewer bytes to write, for some CPU time.",
        wall=wall,
        change=Change(
            f"Compress with {sample.codec} before writing",
            code=f"numcodecs.get_codec({{'id': '{sample.codec}'}}).encode(data)  # HDF5: a filter on a chunked dataset",
            runtime={"codec": sample.codec},
        ),
        verify=f"bytes written in a new trace: about {sample.share:.0%} of now",
        saved=(0.0, max(1 - sample.share - work / max(wall.high, 1e-12), 0.01)),
        certainty="assumed",
    )
