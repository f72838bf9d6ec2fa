"""Occupancy of the servers of a simulation over time: bytes in memory, requests that wait; slices of equal width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from striate.arrow import empty
from striate.errors import TraceError

# Bytes on their way to the disks, bytes in the read cache, requests that wait before the disks.
AMOUNTS = ("dirty", "cached", "waiting")
SCHEMA = pa.schema(
    [
        ("server", pa.string()),
        ("start", pa.int64()),  # nanoseconds
        ("end", pa.int64()),
        *((name, pa.float64()) for name in AMOUNTS),  # on average
        *((f"most_{name}", pa.int64()) for name in AMOUNTS),
    ]
)


def no_occupancy() -> pa.Table:
    """The table of a trace that was not simulated."""
    return empty(SCHEMA)


def checked(occupancy: pa.Table) -> pa.Table:
    """The same table with exactly our columns; raises TraceError where it does not hold together."""
    if occupancy.schema.names != SCHEMA.names:
        raise TraceError(f"expected columns {', '.join(SCHEMA.names)}", at="occupancy")
    try:
        table = occupancy.cast(SCHEMA)
    except pa.ArrowException as error:
        raise TraceError(f"expected numbers: {str(error)[:100]}", at="occupancy") from None
    if any(column.null_count for column in table.columns):
        raise TraceError(
            "expected a value in every row of the table of server occupancy, found an empty cell",
            at="occupancy",
        )
    start, end = (np.asarray(table.column(name).to_numpy()) for name in ("start", "end"))
    if ((start < -(2**62)) | (end > 2**62) | (start > end)).any():
        raise TraceError(
            "expected time slices of server occupancy within 146 years of the start of the trace, none ending "
            "before it begins",
            at="occupancy",
        )
    values = [np.asarray(table.column(name).to_numpy()) for name in SCHEMA.names[3:]]
    if any(not np.isfinite(column).all() or (column < 0).any() for column in values):
        raise TraceError(
            "expected 0 or more bytes and requests in every time slice of server occupancy", at="occupancy"
        )
    return table.combine_chunks()


def slices(server: str, start: Any, end: Any, averages: list[Any], most: list[Any]) -> pa.Table:
    """The rows of one server; `averages` and `most` in the order of `AMOUNTS`."""
    columns = [pa.array([server] * len(start), pa.string()), pa.array(start), pa.array(end)]
    columns += [pa.array(column) for column in (*averages, *most)]
    return pa.Table.from_arrays(columns, schema=SCHEMA)
