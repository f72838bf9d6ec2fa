"""Workloads to disk: one Parquet file, one row per operation of the program table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from striate.whole_file import whole_file
from striate.workload.application import Application
from striate.workload.kinds import OPERANDS, Kind
from striate.workload.program import Int64s, ProgramTable
from striate.workload.stored.parquet_form import SCHEMA, WorkloadHeader, schema

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


def _header(application: Application) -> WorkloadHeader:
    return WorkloadHeader(
        application.name,
        application.ranks,
        application.programs.count,
        [communicator.name for communicator in application.communicators],
        list(application.files),
        list(application.regions),
        len(application.counts),
        application.start_picoseconds,
        list(application.algorithms),
        application.reused_buffer,
    )


def _rows(number: int, application: Application) -> pa.Table:
    import pyarrow as pa

    programs = application.programs
    records: list[dict[str, Any]] = []
    for program in range(programs.count):
        for row in programs.rows_of(program):
            kind = Kind(int(programs.kind[row]))
            record: dict[str, Any] = {"application": number, "program": program, "kind": kind.label}
            record["communicator"] = int(programs.communicator[row])
            record |= {name: int(programs.constant[programs.operand(row, name)]) for name in OPERANDS[kind]}
            record["varies"] = [
                part for name in OPERANDS[kind] if (part := _variation(programs, row, name))
            ] or None
            records.append(record)
    for name, values in _arrays(application):
        records.append({"application": number, "array": name, "values": values})
    return pa.Table.from_pylist(records, schema=schema())


def _variation(programs: ProgramTable, row: int, name: str) -> dict[str, Any] | None:
    operand = programs.operand(row, name)
    per_rank, table = int(programs.per_rank[operand]), int(programs.table[operand])
    strides = programs.strides(operand).tolist()
    if not per_rank and table < 0 and not strides:
        return None
    return {"operand": name, "per_rank": per_rank, "table": table, "strides": strides}


def _arrays(application: Application) -> list[tuple[str, Int64s]]:
    programs = application.programs
    arrays: list[tuple[str, Any]] = []
    if programs.count > 1:
        arrays.append(("program_of_rank", programs.program_of_rank))
    for number in range(len(programs.first_value) - 1):
        start, end = int(programs.first_value[number]), int(programs.first_value[number + 1])
        arrays.append((f"table {number}", programs.value[start:end]))
    for number, communicator in enumerate(application.communicators):
        for part in ("color", "key"):
            if (column := getattr(communicator, part)) is not None:
                arrays.append((f"{part} {number}", column))
    if len(application.extents):
        lists = application.extents
        arrays += [
            ("extent first", lists.first),
            ("extent offset", lists.offsets),
            ("extent length", lists.sizes),
        ]
    arrays += [(f"counts {number}", matrix.ravel()) for number, matrix in enumerate(application.counts)]
    return [(name, np.asarray(values, np.int64)) for name, values in arrays]
