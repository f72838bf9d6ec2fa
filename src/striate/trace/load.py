"""Reads our own format: Parquet as `docs/data-model.md` describes it."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from striate.errors import TraceError
from striate.layout.extent_lists import ExtentLists
from striate.layout.extents import Extents
from striate.limits import ReadBudget
from striate.trace.columns import WORDS, expect_columns, normalised
from striate.trace.header import SCHEMA, Header
from striate.trace.trace import Trace

MAGIC = b"PAR1"
_MOST_COLUMNS = 32  # values of a row, those of its byte runs included, on average
_MOST_HEADER = 2**28


def recognises(path: Path, head: bytes) -> bool:
    return head.startswith(MAGIC)


def is_trace(path: Path) -> bool:
    """True for a Parquet file that says it is a trace of any version; False for all else, damaged or not."""
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError, ValueError):  # names of columns may be no UTF-8
        return False
    return bytes(metadata.get(b"striate", b"")).startswith(b"striate.trace/")


def read(path: Path) -> Trace:
    """Read what `Trace.save` wrote; raises TraceError on anything else."""
    import pyarrow.parquet as pq

    try:
        budget = ReadBudget.of(path)
        schema = pq.read_schema(path)
        header = _header(schema.metadata or {})
        expect_columns(schema.names)
        file = pq.ParquetFile(path, read_dictionary=[*WORDS, "function"])
        budget.take_table(path, file.metadata, _MOST_COLUMNS)
        table = file.read()
        rows = normalised(table)
        lists, numbers = _lists(table, np.asarray(rows.column("extents").to_numpy()))
        metadata = file.schema_arrow.metadata or {}
        samples = _inside(metadata[b"resources"], budget) if b"resources" in metadata else None
        occupancy = _inside(metadata[b"occupancy"], budget) if b"occupancy" in metadata else None
        records = {
            key[8:].decode(errors="replace"): _inside(content, budget)
            for key, content in metadata.items()
            if key.startswith(b"records ")
        }
    except TraceError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError) as error:
        raise TraceError(f"a damaged Parquet file: {str(error).splitlines()[0][:200]}") from None
    at = rows.column_names.index("extents")
    return Trace.of(
        rows.set_column(at, "extents", pa.array(numbers)), header, lists, samples, records, occupancy
    )


def _header(metadata: dict[bytes, bytes]) -> Header:
    found = metadata.get(b"striate", b"").decode(errors="replace")
    if found == "striate.timeline/1":
        raise TraceError(
            "this is a timeline of the old format striate.timeline/1: "
            "create it again with `striate predict --timeline`"
        )
    if found != SCHEMA:
        raise TraceError(f"expected a trace of schema {SCHEMA}, got {found[:60] or 'another Parquet file'}")
    content = metadata.get(b"trace", b"")
    if len(content) > _MOST_HEADER:
        raise TraceError(f"expected a trace header of at most {_MOST_HEADER} bytes, got {len(content)}")
    try:
        return msgspec.json.decode(content, type=Header)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TraceError(f"a damaged header: {error}") from None


def _inside(content: bytes, budget: ReadBudget) -> pa.Table:
    """A table that stands in the metadata as a Parquet file in letters."""
    import pyarrow.parquet as pq

    packed = base64.b64decode(content, validate=True)
    file = pq.ParquetFile(io.BytesIO(packed))
    budget.take_table(packed, file.metadata, _MOST_COLUMNS)
    return file.read()


def _holds_runs(kind: pa.DataType) -> bool:
    """True for lists of (offset, length), whole numbers of 64 bits."""
    if not pa.types.is_list(kind) or not pa.types.is_struct(kind.value_type):
        return False
    fields = {
        kind.value_type.field(at).name: kind.value_type.field(at).type
        for at in range(kind.value_type.num_fields)
    }
    return fields == {"offset": pa.int64(), "length": pa.int64()}


def _lists(table: pa.Table, numbers: Any) -> tuple[ExtentLists, Any]:
    """The lists in the order of the rows that hold them, and the rows' numbers made to fit."""
    if not (numbers >= 0).any():
        return ExtentLists.of(), np.full(len(numbers), -1, np.int32)
    if "runs" not in table.column_names:
        raise TraceError("expected a column 'runs' with lists of byte runs, found none")
    if not _holds_runs(table.schema.field("runs").type):
        raise TraceError(f"expected byte runs, found {table.schema.field('runs').type}", at="column runs")
    runs = table.column("runs").combine_chunks()
    holding = np.flatnonzero(runs.is_valid().to_numpy(zero_copy_only=False))
    listed = numbers[holding]
    new = np.full(int(numbers.max()) + 1, -1, np.int32) if numbers.max() < 2**26 else None
    if new is None or (listed < 0).any() or len(np.unique(listed)) != len(listed):
        raise TraceError(
            "expected a different number from 0 to 2^26 - 1 for each list of byte runs", at="column extents"
        )
    new[listed] = np.arange(len(listed))
    used = numbers >= 0
    missing = numbers[used][new[numbers[used]] < 0]
    if len(missing):
        raise TraceError(
            f"expected the number of one of the lists of byte runs in the column `runs`, got {int(missing[0])}",
            at="column extents",
        )
    lists = []
    for row in holding.tolist():
        entry = runs[row].values
        lists.append(Extents.trusted(entry.field("offset").to_numpy(), entry.field("length").to_numpy()))
    return ExtentLists.of(lists), np.where(used, new[np.maximum(numbers, 0)], -1).astype(np.int32)
