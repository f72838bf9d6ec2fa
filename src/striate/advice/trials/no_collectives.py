"""Ranks access one file side by side, each for itself: a collective call could make few large accesses of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from striate.advice.item import Evidence
from striate.advice.trials.edits import is_plain, place
from striate.advice.trials.finding import Finding
from striate.advice.trials.situation import Situation, column
from striate.tuning.change import Change
from striate.units import about_size
from striate.workload.collective_io import CollectiveMethod
from striate.workload.kinds import Kind
from striate.workload.operations import Operation, read_all, write_all
from striate.workload.rewrite import rewritten
from striate.workload.workload import Workload

SMALL = 2**20
BUFFER = 16 * 2**20
LEAST = 8  # small accesses per rank
_FREE = frozenset((Kind.COMPUTE, Kind.REGION_BEGIN, Kind.REGION_END, Kind.OPEN, Kind.CLOSE))


def look(situation: Situation) -> Finding | None:
    found = _shared_file(situation)
    if found is None:
        return None
    file, kind = found
    rows = situation.accesses
    chosen = (rows.column("file") == file) & rows.of_kind(kind) & ~rows.column("collective")
    size = column(rows, "bytes")[chosen]
    seconds = float(situation.durations(rows)[chosen].sum())
    if not situation.is_worth(seconds):
        return None
    name = situation.file_name(file)
    verb = Kind.WRITE if kind == "write" else Kind.READ
    together = rewritten(situation.workload, lambda rank, steps: _together(steps, name, verb))
    together.check()
    count, after = _best(situation, together, name)
    words = (
        f"{len(size):,} accesses of {about_size(size.mean())} on average by independent calls, to one file"
    )
    return Finding(
        title="Ranks access a shared file independently",
        evidence=Evidence(len(size), int(size.sum()), seconds, words),
        change=Change(
            "Use the collective call, with a file view or a datatype for all that a rank has",
            hints={
                f"romio_cb_{kind}": "enable",
                "cb_nodes": str(count),
                "cb_config_list": "*:*",
                "cb_buffer_size": str(BUFFER),
            },
            code=f"file.{kind.capitalize()}_all(data)  # after file.Set_view(offset, etype, filetype)",
            runtime={"servers": count, "buffer": "64 MiB"},
        ),
        verify=f"striate info of a new trace: {kind}_all calls, and accesses of about {about_size(BUFFER)} below them",
        after=lambda: after,
    )


def _best(situation: Situation, together: Workload, name: str) -> tuple[int, Workload]:
    """As many aggregators as hosts, or as ranks: what the middling machine prefers."""
    tried = []
    for count in sorted({max(1, len(situation.trace.header.hosts)), situation.trace.ranks}):
        after = together.with_collective({name: str(CollectiveMethod("two-phase", count, BUFFER))})
        tried.append((situation.times(after)[1], count, after))
    _, count, after = min(tried, key=lambda one: one[:2])
    return count, after


def _shared_file(situation: Situation) -> tuple[int, str] | None:
    """The file with most small independent accesses by all ranks, and whether they read or write."""
    rows, best = situation.accesses, None
    for kind in ("write", "read"):
        small = rows.of_kind(kind) & ~rows.column("collective") & (rows.column("bytes") < SMALL)
        small &= (rows.column("file") >= 0) & (rows.column("offset") >= 0)
        files, counts = np.unique(rows.column("file")[small], return_counts=True)
        for file, count in zip(files.tolist(), counts.tolist(), strict=True):
            ranks = len(np.unique(rows.column("rank")[small & (rows.column("file") == file)]))
            enough = ranks > 1 and count >= LEAST * ranks
            if enough and (best is None or count > best[0]):
                best = (count, file, kind)
    return None if best is None else (best[1], best[2])


def _together(steps: Iterator[Operation], name: str, verb: Kind) -> Iterator[Operation]:
    """All of a rank's accesses of the file as one collective call at the end of what leads up to them.

    A program that communicates in between keeps its order up to there; the check of the result refuses the rest.
    """
    offsets: list[int] = []
    sizes: list[int] = []
    later: list[Operation] = []
    for step in steps:
        if is_plain(step) and step.kind is verb and place(step)[0] == name:
            _, offset, size = place(step)
            offsets.append(offset)
            sizes.append(size)
            yield from later
            later = []
        elif step.kind in _FREE:
            yield step
        else:
            later.append(step)
    order = np.argsort(offsets, kind="stable")
    runs = [offsets[at] for at in order], [sizes[at] for at in order]
    call = write_all if verb is Kind.WRITE else read_all
    yield call(name, extents=runs)
    yield from later
