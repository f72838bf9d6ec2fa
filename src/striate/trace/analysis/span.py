"""When a run begins and ends: one definition for what is told, predicted, compared, replayed and shown.

A run begins when the first rank has left MPI_Init and ends when the last one enters MPI_Finalize: starting and ending
processes is the launcher's time. Where these calls were not recorded, it is the recorded duration from time 0, or else
the time from the first start to the last end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa

from striate.arrow import array, as_numpy

if TYPE_CHECKING:
    from striate.trace.trace import Trace


def run_span(trace: Trace) -> tuple[int, int]:
    """The first and the last nanosecond of the run."""
    if not len(trace):
        return 0, int(trace.header.duration)
    start, end = trace.column("start"), trace.column("end")
    begun, ended = end[trace.of_kind("init")], start[trace.of_kind("finalize")]
    known = int(trace.header.duration)
    first = int(begun.min()) if len(begun) else 0 if known else int(start.min())
    last = int(ended.max()) if len(ended) else known or int(end.max())
    return first, max(first, last)


def from_beginning(trace: Trace) -> Trace:
    """The same trace with times that count from the beginning of the run; what was before has times below 0."""
    first, last = run_span(trace)
    if not first:
        return trace
    header = msgspec.structs.replace(
        trace.header, started=trace.header.started + first, duration=last - first
    )
    table = _earlier(trace.table, ("start", "end", "complete"), first)
    return replace(
        trace,
        table=table,
        header=header,
        samples=_earlier(trace.samples, ("time",), first),
        occupancy=_earlier(trace.occupancy, ("start", "end"), first),
    )


def _earlier(table: pa.Table, names: tuple[str, ...], by: int) -> pa.Table:
    for name in names:
        table = table.set_column(
            table.schema.get_field_index(name), name, array(as_numpy(table.column(name)) - by)
        )
    return table
