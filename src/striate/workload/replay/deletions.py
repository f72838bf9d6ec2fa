"""Which deletions of files a program asked for, where two levels of calls were recorded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from striate.trace.trace import Trace


def within_mpi_deletes(trace: Trace) -> NDArray[np.bool_]:
    """Deletions below MPI-IO that a call of MPI_File_delete made: the two rows are one deletion.

    All others below MPI-IO are deletions of their own: a program that calls unlink for a file it wrote through MPI-IO,
    and a close of a file that is deleted with it.
    """
    found = np.zeros(len(trace), bool)
    deletes, above = trace.of_kind("delete"), trace.at_level("mpi-io")
    rows = np.flatnonzero(deletes & (above | trace.at_level("posix")))
    if not len(rows) or not above[rows].any():
        return found
    rank, thread, start, end = (trace.column(name)[rows] for name in ("rank", "thread", "start", "end"))
    order = np.lexsort((~above[rows], start, thread, rank))
    rows, rank, thread, end = (column[order] for column in (rows, rank, thread, end))
    last = np.maximum.accumulate(np.where(above[rows], np.arange(len(rows)), -1))
    inside = ~above[rows] & (last >= 0) & (rank == rank[last]) & (thread == thread[last]) & (end <= end[last])
    found[rows[inside]] = True
    return found
