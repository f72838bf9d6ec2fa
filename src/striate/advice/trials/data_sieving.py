"""Reads that nobody asked for: the MPI library reads a block, puts small pieces into it, and writes it back."""

from __future__ import annotations

import numpy as np

from striate.advice.item import Evidence
from striate.advice.trials.finding import Finding
from striate.advice.trials.situation import Situation, column, io_alone
from striate.trace.tables import front
from striate.tuning.change import Change
from striate.units import about_size
from striate.workload.workload import Workload

LEAST = 8


def look(situation: Situation) -> Finding | None:
    trace = situation.trace
    files = len(trace.header.files) + 1
    asked = trace.where(front(trace))
    reads_asked, writes_asked = np.zeros(files, bool), np.zeros(files, bool)
    through = asked.at_level("mpi-io")
    reads_asked[asked.column("file")[asked.of_kind("read")]] = True
    writes_asked[asked.column("file")[asked.of_kind("write") & through]] = True
    below = trace.at_level("posix") & trace.of_kind("read", "write")
    unasked = below & trace.of_kind("read")
    unasked &= writes_asked[trace.column("file")] & ~reads_asked[trace.column("file")]
    if unasked.sum() < LEAST:
        return None
    done = trace.where(below)
    before = io_alone(Workload.from_trace(done))
    rows = trace.where(unasked)
    size = int(column(rows, "bytes").sum())
    words = f"{len(rows):,} reads, {about_size(size)}, of files that the program only writes"
    return Finding(
        title="The MPI library reads data that the program only writes",
        evidence=Evidence(len(rows), size, float(situation.durations(rows).sum()), words),
        change=Change(
            "Turn data sieving off for writes, or write in collective calls that fill whole blocks",
            hints={"romio_ds_write": "disable", "romio_cb_write": "enable"},
        ),
        verify="striate info of a new trace: no POSIX reads of these files",
        before=lambda: before,
        after=lambda: io_alone(Workload.from_trace(trace.where(below & ~unasked))),
    )
