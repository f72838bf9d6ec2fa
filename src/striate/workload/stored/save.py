"""Workloads to disk: one Parquet file, one row an operation of the text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from striate.whole_file import whole_file
from striate.workload.application import Application
from striate.workload.kinds import OPERANDS, Kind
from striate.workload.program import Int64s, Text
from striate.workload.stored.parquet_form import SCHEMA, Header, schema

if TYPE_CHECKING:
    import pyarrow as pa

    from striate.workload.workload import Workload


def save(workload: Workload, path: Path) -> None:
    """Write the workload; an existing file is replaced only by a whole new one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = [_rows(number, application) for number, application in enumerate(workload.applications)]
    headers = [_header(application) for application in workload.applications]
    metadata = {"striate": SCHEMA, "applications": msgspec.json.encode(headers)}
    table = pa.concat_tables(tables).replace_schema_metadata(metadata)
    with whole_file(path) as place:
        pq.write_table(table, place, compression="zstd")


def _header(application: Application) -> Header:
    return Header(
        application.name,
        application.ranks,
        application.text.programs,
        [communicator.name for communicator in application.communicators],
        list(application.files),
        list(application.regions),
        len(application.counts),
        application.start_picoseconds,
        list(application.algorithms),
    )


def _rows(number: int, application: Application) -> pa.Table:
    import pyarrow as pa

    text = application.text
    records: list[dict[str, Any]] = []
    for program in range(text.programs):
        for row in text.rows_of(program):
            kind = Kind(int(text.kind[row]))
            record: dict[str, Any] = {"application": number, "program": program, "kind": kind.label}
            record["communicator"] = int(text.communicator[row])
            record |= {name: int(text.constant[text.operand(row, name)]) for name in OPERANDS[kind]}
            record["varies"] = [
                part for name in OPERANDS[kind] if (part := _variation(text, row, name))
            ] or None
            records.append(record)
    for name, values in _arrays(application):
        records.append({"application": number, "array": name, "values": values})
    return pa.Table.from_pylist(records, schema=schema())


def _variation(text: Text, row: int, name: str) -> dict[str, Any] | None:
    operand = text.operand(row, name)
    per_rank, table = int(text.per_rank[operand]), int(text.table[operand])
    strides = text.strides(operand).tolist()
    if not per_rank and table < 0 and not strides:
        return None
    return {"operand": name, "per_rank": per_rank, "table": table, "strides": strides}


def _arrays(application: Application) -> list[tuple[str, Int64s]]:
    text = application.text
    arrays: list[tuple[str, Any]] = []
    if text.programs > 1:
        arrays.append(("program_of_rank", text.program_of_rank))
    for number in range(len(text.first_value) - 1):
        start, end = int(text.first_value[number]), int(text.first_value[number + 1])
        arrays.append((f"table {number}", text.value[start:end]))
    for number, communicator in enumerate(application.communicators):
        for part in ("color", "key"):
            if (column := getattr(communicator, part)) is not None:
                arrays.append((f"{part} {number}", column))
    if len(application.extents):
        arrays += [
            (f"extent {part}", getattr(application.extents, part)) for part in ("first", "offset", "length")
        ]
    arrays += [(f"counts {number}", matrix.ravel()) for number, matrix in enumerate(application.counts)]
    return [(name, np.asarray(values, np.int64)) for name, values in arrays]
