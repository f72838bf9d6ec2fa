"""Entries as one Arrow table: what goes to Parquet, CSV, pandas and DuckDB."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import msgspec
import pyarrow as pa

from striate.results.entry import Entry

SCHEMA = "striate.results/1"
_FIELDS = (
    *(("number", pa.int64()), ("made", pa.string()), ("kind", pa.string()), ("workload", pa.string())),
    *(("cluster", pa.string()), ("layout", pa.string()), ("ranks", pa.int64()), ("seconds", pa.float64())),
    *(("low", pa.float64()), ("high", pa.float64()), ("measured", pa.float64()), ("setup", pa.string())),
    *(("versions", pa.string()), ("results", pa.string())),
)


def to_arrow(found: Sequence[Entry]) -> pa.Table:
    """One row per entry; set-up, versions and results stay JSON text."""
    schema = pa.schema(_FIELDS, metadata={"striate": SCHEMA})
    return pa.Table.from_pylist([_row(entry) for entry in found], schema=schema)


def to_parquet(found: Sequence[Entry]) -> bytes:
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(to_arrow(found), sink, compression="zstd")
    return sink.getvalue()


def to_csv(found: Sequence[Entry]) -> bytes:
    from striate.spreadsheet import csv_of

    return csv_of(to_arrow(found))


def _row(entry: Entry) -> dict[str, Any]:
    names = ("number", "made", "kind", "workload", "cluster", "layout", "ranks", "measured")
    row = {name: getattr(entry, name) for name in names}
    if entry.seconds is not None:
        row |= {"seconds": entry.seconds.estimate, "low": entry.seconds.low, "high": entry.seconds.high}
    documents = {name: getattr(entry, name) for name in ("setup", "versions", "results")}
    return row | {name: msgspec.json.encode(value).decode() for name, value in documents.items()}
