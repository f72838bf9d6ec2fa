"""Workloads on disk: one Parquet file, one row an operation of the text; `docs/data-model.md` describes it.

Rows whose `kind` is null carry arrays: who runs which program, values by rank, colours, byte runs, counts.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from striate.errors import WorkloadError
from striate.workload.application import (
    Application,
    Communicator,
    ExtentLists,
    File,
    collective_text,
    layout_text,
)
from striate.workload.kinds import OPERANDS, Kind
from striate.workload.text import Int64s, Text

if TYPE_CHECKING:
    import pyarrow as pa

    from striate.workload.workload import Workload

SCHEMA = "striate.workload/1"
NAMES = tuple(dict.fromkeys(name for names in OPERANDS.values() for name in names))
_NONE_WHERE_MISSING = ("algorithm", "counts")  # of a barrier, of a reduce_scatter in files of old
_LABELS = {kind.label: kind for kind in Kind}
_MOST_RANKS = 2**26  # a file of a few bytes must not ask for all memory
_MOST_LOOPS = 64  # one inside the other


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one application says about itself beside its rows."""

    name: str
    ranks: int
    programs: int
    communicators: list[str]
    files: list[File]
    regions: list[str]
    counts: int
    start_picoseconds: int
    algorithms: list[str] = []


def save(workload: Workload, path: Path) -> None:
    """Write the workload; an existing file is replaced only by a whole new one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = [_rows(number, application) for number, application in enumerate(workload.applications)]
    headers = [_header(application) for application in workload.applications]
    metadata = {"striate": SCHEMA, "applications": msgspec.json.encode(headers)}
    table = pa.concat_tables(tables).replace_schema_metadata(metadata)
    part = path.with_name(f".{path.name}.part-{os.getpid()}")
    try:
        pq.write_table(table, part, compression="zstd")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _header(application: Application) -> _Header:
    return _Header(
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


def _schema() -> pa.Schema:
    import pyarrow as pa

    varies = pa.list_(
        pa.struct(
            [
                ("operand", pa.string()),
                ("per_rank", pa.int64()),
                ("table", pa.int32()),
                ("strides", pa.list_(pa.int64())),
            ]
        )
    )
    plain = [
        ("application", pa.int32()),
        ("program", pa.int32()),
        ("kind", pa.string()),
        ("communicator", pa.int32()),
    ]
    operands = [(name, pa.int64()) for name in NAMES]
    return pa.schema(
        [*plain, *operands, ("varies", varies), ("array", pa.string()), ("values", pa.list_(pa.int64()))]
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
    return pa.Table.from_pylist(records, schema=_schema())


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


def load(path: Path) -> Workload:
    """Read a workload; every number that leads somewhere is checked before it is followed."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from striate.workload.workload import Workload

    try:
        metadata = pq.read_schema(path).metadata or {}
        if metadata.get(b"striate") != SCHEMA.encode():
            found = metadata.get(b"striate", b"another Parquet file")[:60].decode(errors="replace")
            raise WorkloadError(f"expected a workload ({SCHEMA}), got {found}")
        table = pq.read_table(path)
        table = _complete(table)
        headers = msgspec.json.decode(metadata.get(b"applications", b""), type=list[_Header])
        applications = tuple(_application(table, number, header) for number, header in enumerate(headers))
    except WorkloadError as error:
        raise error.in_source(str(path)) from None
    except (pa.ArrowException, msgspec.DecodeError, UnicodeDecodeError, OverflowError) as error:
        raise WorkloadError(f"not a workload: {error}", source=str(path)) from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise WorkloadError(f"not a workload: {error}", source=str(path)) from None  # Arrow's own complaints
    if not applications:
        raise WorkloadError("the file holds no application", source=str(path))
    return Workload(applications)


def _complete(table: pa.Table) -> pa.Table:
    """The table with the column that older files lack; raises WorkloadError when another is missing."""
    import pyarrow as pa

    wanted = _schema()
    place = wanted.get_field_index("algorithm")
    if len(table.schema) == len(wanted) - 1 and "algorithm" not in table.schema.names:
        table = table.add_column(place, "algorithm", pa.nulls(table.num_rows, pa.int64()))
    if not table.schema.equals(wanted, check_metadata=False):
        raise WorkloadError("the columns are not those of a workload")
    return table


def _application(table: pa.Table, number: int, header: _Header) -> Application:
    import pyarrow.compute as pc

    mine = table.filter(pc.equal(table["application"], number))
    carries = pc.is_null(mine["kind"])
    arrays = mine.filter(carries)
    named = dict(zip(arrays["array"].to_pylist(), (_column(item) for item in arrays["values"]), strict=True))
    _expect(1 <= header.ranks <= _MOST_RANKS, f"expected 1 to {_MOST_RANKS} ranks, got {header.ranks}")
    _expect(0 <= header.start_picoseconds < 2**63, "the start lies outside the clock")
    text = _text(mine.filter(pc.invert(carries)), header, named)
    names = enumerate(header.communicators)
    communicators = tuple(
        Communicator(name, _sized(named, f"color {i}", header.ranks), _sized(named, f"key {i}", header.ranks))
        for i, name in names
    )
    counts = tuple(_counts(named, i, header.ranks) for i in range(min(header.counts, len(named))))
    return Application(
        header.name,
        text,
        communicators,
        _files(header.files),
        tuple(header.regions),
        _extents(named),
        counts,
        tuple(header.algorithms),
        header.start_picoseconds,
    )


def _expect(condition: bool, message: str, at: str | None = None) -> None:
    if not condition:
        raise WorkloadError(message, at=at)


def _column(item: Any) -> Int64s:
    values = item.values
    if values is None:
        return np.empty(0, np.int64)
    _expect(values.null_count == 0, "an array has holes")
    return np.asarray(values.to_numpy(zero_copy_only=False), np.int64)


def _sized(named: dict[str, Int64s], name: str, length: int) -> Int64s | None:
    column = named.get(name)
    if column is not None:
        _expect(len(column) == length, f"expected {length} values, got {len(column)}", f"array {name!r}")
    return column


def _counts(named: dict[str, Int64s], number: int, ranks: int) -> Int64s:
    matrix = _sized(named, f"counts {number}", ranks * ranks)
    if matrix is None:
        raise WorkloadError("the array is missing", at=f"array 'counts {number}'")
    return matrix.reshape(ranks, ranks)


def _files(files: list[File]) -> tuple[File, ...]:
    at = 0
    for file in files:
        _expect(
            file.first == at and 1 <= file.count <= _MOST_RANKS, f"file {file.name!r:.60} is out of order"
        )
        layout_text(file.layout, file.name)
        collective_text(file.collective, file.name)
        at += file.count
    return tuple(files)


def _extents(named: dict[str, Int64s]) -> ExtentLists:
    parts = [named.get(f"extent {part}") for part in ("first", "offset", "length")]
    if all(part is None for part in parts):
        return ExtentLists.of([])
    first, offset, length = (np.empty(0, np.int64) if part is None else part for part in parts)
    sound = (
        len(first) > 0
        and first[0] == 0
        and (first[:-1] <= first[1:]).all()
        and first[-1] == len(offset) == len(length)
    )
    _expect(bool(sound), "the byte runs do not fit together", "array 'extent first'")
    return ExtentLists(first, offset, length)


def _text(rows: pa.Table, header: _Header, named: dict[str, Int64s]) -> Text:
    program = _filled(rows, "program")
    _expect(bool((np.diff(program) >= 0).all()), "programs are out of order", "column program")
    _expect(not len(program) or (program[0] >= 0 and program[-1] < header.programs), "a program is missing")
    _expect(
        1 <= header.programs <= header.ranks, f"expected 1 to {header.ranks} programs, got {header.programs}"
    )
    kinds = [_kind(label, row) for row, label in enumerate(rows["kind"].to_pylist())]
    _balanced(kinds, program)
    operands = [(row, name) for row, kind in enumerate(kinds) for name in OPERANDS[kind]]
    communicator = _filled(rows, "communicator")
    families = len(header.communicators)
    structural = np.isin(np.array(kinds, int), (Kind.LOOP, Kind.END))
    outside = ((communicator < 0) | (communicator >= families)) & ~structural
    _expect(families > 0 and not outside.any(), "an operation uses a communicator that is not there")
    columns = {name: _filled(rows, name) for name in NAMES}
    varies = [_variations(parts, row) for row, parts in enumerate(rows["varies"].to_pylist())]
    _check_loops(kinds, columns["count"], varies)
    depth = _depths(kinds)
    parts = [varies[row].get(name) for row, name in operands]
    strides = [[] if part is None else list(part["strides"] or ()) for part in parts]
    for (row, name), steps in zip(operands, strides, strict=True):
        _expect(
            len(steps) <= depth[row] and None not in steps,
            f"{name} has more strides than loops",
            f"row {row}",
        )
    tables = _tables(named, header.ranks)
    table = np.array([-1 if part is None else part["table"] for part in parts], np.int64)
    _expect(bool(((table >= -1) & (table < len(tables))).all()), "an operand uses a table that is not there")
    constant = np.array([columns[name][row] for row, name in operands], np.int64)
    per_rank = np.array([0 if part is None else part["per_rank"] or 0 for part in parts], np.int64)
    largest = np.array([np.abs(values.astype(float)).max() for values in tables] + [0.0])
    varied = np.abs(per_rank.astype(float)) * header.ranks + largest[table]
    small = (varied == 0) | (np.abs(constant.astype(float)) + varied < 2.0**63)
    _expect(bool(small.all()), "an operand exceeds 2^63 - 1")
    program_of_rank = _programs_of_ranks(named, header)
    return Text(
        first_row=np.searchsorted(program, np.arange(header.programs + 1)).astype(np.uint32),
        kind=np.array(kinds, np.uint8),
        communicator=communicator.astype(np.int32),
        first_operand=_starts([len(OPERANDS[kind]) for kind in kinds]).astype(np.uint32),
        constant=constant,
        per_rank=per_rank,
        table=table.astype(np.int32),
        first_stride=_starts([len(steps) for steps in strides]).astype(np.uint32),
        stride=np.array([step for steps in strides for step in steps], np.int64),
        first_value=_starts([len(values) for values in tables]),
        value=np.concatenate([*tables, np.empty(0, np.int64)]),
        program_of_rank=program_of_rank,
    )


def _variations(parts: list[Any] | None, row: int) -> dict[str, dict[str, Any]]:
    sound = all(part and part["operand"] is not None and part["table"] is not None for part in parts or ())
    _expect(sound, "an operand varies without a name or a table", f"row {row}")
    return {part["operand"]: part for part in parts or ()}


def _check_loops(kinds: list[Kind], count: Int64s, varies: list[dict[str, dict[str, Any]]]) -> None:
    """The passes of a loop are a number, the same for all ranks."""
    for row, kind in enumerate(kinds):
        if kind is Kind.LOOP:
            _expect(count[row] >= 0, f"expected count of at least 0, got {count[row]}", f"row {row}")
            _expect(not varies[row], "the passes of a loop may not vary", f"row {row}")


def _filled(rows: pa.Table, name: str) -> Int64s:
    missing = -1 if name in _NONE_WHERE_MISSING else 0
    return np.asarray(rows[name].fill_null(missing).to_numpy(), np.int64)


def _kind(label: str, row: int) -> Kind:
    if label not in _LABELS:
        raise WorkloadError(f"no operation is called {label!r:.60}", at=f"row {row}")
    return _LABELS[label]


def _balanced(kinds: list[Kind], program: Int64s) -> None:
    open_at: list[int] = []
    for row, kind in enumerate(kinds):
        if open_at and program[open_at[-1]] != program[row]:
            break
        if kind is Kind.LOOP:
            open_at.append(row)
            _expect(
                len(open_at) <= _MOST_LOOPS, f"loops are nested more than {_MOST_LOOPS} deep", f"row {row}"
            )
        elif kind is Kind.END:
            _expect(bool(open_at), "a loop ends that did not begin", f"row {row}")
            open_at.pop()
    _expect(not open_at, "a loop does not end", f"row {open_at[-1]}" if open_at else None)


def _depths(kinds: list[Kind]) -> list[int]:
    depth, depths = 0, []
    for kind in kinds:
        depth -= kind is Kind.END
        depths.append(depth)
        depth += kind is Kind.LOOP
    return depths


def _tables(named: dict[str, Int64s], ranks: int) -> list[Int64s]:
    tables: list[Int64s] = []
    while (table := _sized(named, f"table {len(tables)}", ranks)) is not None:
        tables.append(table)
    return tables


def _programs_of_ranks(named: dict[str, Int64s], header: _Header) -> NDArray[np.int32]:
    column = _sized(named, "program_of_rank", header.ranks)
    if column is None:
        _expect(header.programs == 1, "the array is missing", "array 'program_of_rank'")
        return np.zeros(header.ranks, np.int32)
    _expect(bool(((column >= 0) & (column < header.programs)).all()), "a rank has no program")
    return column.astype(np.int32)


def _starts(lengths: list[int]) -> Int64s:
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.int64)
