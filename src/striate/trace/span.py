"""When a run begins and ends: one definition for what is told, compared and replayed.

A run begins when the first rank has left MPI_Init and ends when the last one enters MPI_Finalize: starting and ending
processes is the launcher's time. Where these calls were not recorded, it is the recorded duration from time 0, or else
the time from the first start to the last end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from striate.trace.trace import Trace


def run_span(trace: Trace) -> tuple[int, int]:
    """The first and the last nanosecond of the run."""
    if not len(trace):
        return 0, int(trace.header.duration)
    start, end = trace.column("start"), trace.column("end")
    begun, ended = end[trace.of_kind("init")], start[trace.of_kind("finalize")]
    known = bool(trace.header.duration)
    first = int(begun.min()) if len(begun) else 0 if known else int(start.min())
    last = int(trace.header.duration) if known else int(end.max())
    if len(ended) and not known:
        last = int(ended.max())
    return first, max(first, last)
