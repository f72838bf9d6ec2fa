"""Comma-separated values: the table of `Trace.to_arrow`, for whatever reads nothing else."""

from __future__ import annotations

import io

import pyarrow as pa

from striate.trace.trace import Trace


def encode(trace: Trace) -> bytes:
    """The whole file, with a header line; missing names are empty."""
    from pyarrow import csv

    table = trace.to_arrow()
    for at, name in enumerate(table.column_names):
        if pa.types.is_dictionary(table.column(name).type):
            table = table.set_column(at, name, table.column(name).cast(pa.string()))
    sink = io.BytesIO()
    csv.write_csv(table, sink)
    return sink.getvalue()
