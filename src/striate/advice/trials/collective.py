"""Changes to how a shared file is accessed: one collective call, and no data sieving below it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from striate.advice.trials.edits import is_plain, place
from striate.advice.trials.situation import Situation, Variant, io_alone
from striate.trace.analysis.tables import front
from striate.workload.collective_io import CollectiveMethod
from striate.workload.kinds import Kind
from striate.workload.operations import Operation, read_all, write_all
from striate.workload.transforms.rewrite import rewritten
from striate.workload.workload import Workload

SMALL = 2**20
BUFFER = 16 * 2**20
LEAST = 8  # small accesses per rank
_FREE = frozenset((Kind.COMPUTE, Kind.REGION_BEGIN, Kind.REGION_END, Kind.OPEN, Kind.CLOSE))


def in_one_call(situation: Situation) -> Variant | None:
    """Small independent accesses of a shared file become one collective call per rank, through aggregators.

    There are as many aggregators as hosts, or as ranks: what the middling machine prefers.
    """
    found = _shared_file(situation)
    if found is None:
        return None
    name, verb = found
    together = rewritten(situation.workload, lambda rank, steps: _together(steps, name, verb))
    together.check()
    tried = []
    for count in sorted({max(1, len(situation.trace.header.hosts)), situation.trace.ranks}):
        after = together.with_collective({name: str(CollectiveMethod("two-phase", count, BUFFER))})
        tried.append((situation.times(after)[1], count, after))
    _, count, after = min(tried, key=lambda one: one[:2])
    hints = {"cb_nodes": str(count), "cb_config_list": "*:*", "cb_buffer_size": str(BUFFER)}
    return Variant(after, hints=hints)


def _shared_file(situation: Situation) -> tuple[str, Kind] | None:
    """The file with most small independent accesses by all ranks, and whether they read or write."""
    rows, best = situation.accesses, None
    for kind, verb in (("write", Kind.WRITE), ("read", Kind.READ)):
        small = rows.of_kind(kind) & ~rows.column("collective") & (rows.column("bytes") < SMALL)
        small &= (rows.column("file") >= 0) & (rows.column("offset") >= 0)
        files, counts = np.unique(rows.column("file")[small], return_counts=True)
        for file, count in zip(files.tolist(), counts.tolist(), strict=True):
            ranks = len(np.unique(rows.column("rank")[small & (rows.column("file") == file)]))
            enough = ranks > 1 and count >= LEAST * ranks
            if enough and (best is None or count > best[0]):
                best = (count, file, verb)
    return None if best is None else (situation.file_name(best[1]), best[2])


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


def without_sieving(situation: Situation) -> Variant:
    """The system calls below MPI-IO without reads of files that the program only writes."""
    trace = situation.trace
    files = len(trace.header.files) + 1
    asked = trace.where(front(trace))
    reads_asked, writes_asked = np.zeros(files, bool), np.zeros(files, bool)
    reads_asked[asked.column("file")[asked.of_kind("read")]] = True
    writes_asked[asked.column("file")[asked.of_kind("write") & asked.at_level("mpi-io")]] = True
    below = trace.at_level("posix") & trace.of_kind("read", "write")
    unasked = below & trace.of_kind("read")
    unasked &= writes_asked[trace.column("file")] & ~reads_asked[trace.column("file")]
    after, before = (io_alone(Workload.from_trace(trace.where(rows))) for rows in (below & ~unasked, below))
    return Variant(after, before)
