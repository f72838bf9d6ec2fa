"""Our own format: one Parquet file, one row per operation, the header as JSON in the file's metadata."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pyarrow as pa

from striate.trace.header import SCHEMA
from striate.whole_file import whole_file

if TYPE_CHECKING:
    from striate.trace.trace import Trace

_RUNS = pa.list_(pa.struct([("offset", pa.int64()), ("length", pa.int64())]))


def write(trace: Trace, path: Path) -> None:
    """Write the trace; an existing file is replaced only by a whole new one."""
    import pyarrow.parquet as pq

    metadata: dict[str, str | bytes] = {"striate": SCHEMA, "trace": msgspec.json.encode(trace.header)}
    if trace.samples.num_rows:
        metadata["resources"] = _inside(trace.samples)
    if trace.occupancy.num_rows:
        metadata["occupancy"] = _inside(trace.occupancy)
    for module, records in trace.records.items():
        metadata[f"records {module}"] = _inside(records)
    table = trace.table.append_column("runs", _runs(trace)).replace_schema_metadata(metadata)
    with whole_file(path) as place:
        pq.write_table(table, place, compression="zstd")


def _inside(table: pa.Table) -> bytes:
    """A table as a Parquet file of its own, in letters: metadata is text to some readers."""
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return base64.b64encode(sink.getvalue())


def _runs(trace: Trace) -> pa.Array:
    """The byte runs of a list beside the first row that refers to it; null everywhere else."""
    numbers = trace.column("extents")
    used, first = np.unique(numbers, return_index=True)
    holds = dict(zip(first[used >= 0].tolist(), used[used >= 0].tolist(), strict=True))
    rows = np.full(len(trace) + 1, 0, np.int32)
    present = np.zeros(len(trace), bool)
    offsets, lengths = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for row, number in sorted(holds.items()):
        runs = trace.lists[number]
        offsets.append(runs.offsets)
        lengths.append(runs.sizes)
        rows[row + 1] = len(runs)
        present[row] = True
    values = pa.StructArray.from_arrays(
        [pa.array(np.concatenate(offsets)), pa.array(np.concatenate(lengths))], ["offset", "length"]
    )
    starts = pa.array(np.cumsum(rows, dtype=np.int32))
    return pa.ListArray.from_arrays(starts, values, mask=pa.array(~present)).cast(_RUNS)
