"""The rows of a workload file as a program table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from striate.errors import WorkloadError
from striate.workload.kinds import OPERANDS, Kind
from striate.workload.program import Int64s, ProgramTable
from striate.workload.stored.load_arrays import expect, sized
from striate.workload.stored.parquet_form import NAMES, WorkloadHeader

if TYPE_CHECKING:
    import pyarrow as pa

_NONE_WHERE_MISSING = ("algorithm", "counts")  # of a barrier, of a reduce_scatter in files of old
_LABELS = {kind.label: kind for kind in Kind}
_MOST_LOOPS = 64  # one inside the other


def programs_of(rows: pa.Table, header: WorkloadHeader, named: dict[str, Int64s]) -> ProgramTable:
    """The rows of one application; refuses what leads nowhere."""
    program = _filled(rows, "program")
    expect(bool((np.diff(program) >= 0).all()), "programs are out of order", "column program")
    expect(not len(program) or (program[0] >= 0 and program[-1] < header.programs), "a program is missing")
    expect(
        1 <= header.programs <= header.ranks, f"expected 1 to {header.ranks} programs, got {header.programs}"
    )
    kinds = [_kind(label, row) for row, label in enumerate(rows["kind"].to_pylist())]
    _balanced(kinds, program)
    operands = [(row, name) for row, kind in enumerate(kinds) for name in OPERANDS[kind]]
    communicator = _filled(rows, "communicator")
    families = len(header.communicators)
    structural = np.isin(np.array(kinds, int), (Kind.LOOP, Kind.END))
    outside = ((communicator < 0) | (communicator >= families)) & ~structural
    expect(families > 0 and not outside.any(), "an operation uses a communicator that is not there")
    columns = {name: _filled(rows, name) for name in NAMES}
    varies = [_variations(parts, row) for row, parts in enumerate(rows["varies"].to_pylist())]
    _check_loops(kinds, columns["count"], varies)
    depth = _depths(kinds)
    parts = [varies[row].get(name) for row, name in operands]
    strides = [[] if part is None else list(part["strides"] or ()) for part in parts]
    for (row, name), steps in zip(operands, strides, strict=True):
        expect(
            len(steps) <= depth[row] and None not in steps,
            f"{name} has more strides than loops",
            f"row {row}",
        )
    tables = _tables(named, header.ranks)
    table = np.array([-1 if part is None else part["table"] for part in parts], np.int64)
    expect(bool(((table >= -1) & (table < len(tables))).all()), "an operand uses a table that is not there")
    constant = np.array([columns[name][row] for row, name in operands], np.int64)
    per_rank = np.array([0 if part is None else part["per_rank"] or 0 for part in parts], np.int64)
    largest = np.array([np.abs(values.astype(float)).max() for values in tables] + [0.0])
    varied = np.abs(per_rank.astype(float)) * header.ranks + largest[table]
    small = (varied == 0) | (np.abs(constant.astype(float)) + varied < 2.0**63)
    expect(bool(small.all()), "an operand exceeds 2^63 - 1")
    program_of_rank = _programs_of_ranks(named, header)
    return ProgramTable(
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
    expect(sound, "an operand varies without a name or a table", f"row {row}")
    return {part["operand"]: part for part in parts or ()}


def _check_loops(kinds: list[Kind], count: Int64s, varies: list[dict[str, dict[str, Any]]]) -> None:
    """The passes of a loop are a number, the same for all ranks."""
    for row, kind in enumerate(kinds):
        if kind is Kind.LOOP:
            expect(count[row] >= 0, f"expected count of at least 0, got {count[row]}", f"row {row}")
            expect(not varies[row], "the passes of a loop may not vary", f"row {row}")


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
            expect(
                len(open_at) <= _MOST_LOOPS, f"loops are nested more than {_MOST_LOOPS} deep", f"row {row}"
            )
        elif kind is Kind.END:
            expect(bool(open_at), "a loop ends that did not begin", f"row {row}")
            open_at.pop()
    expect(not open_at, "a loop does not end", f"row {open_at[-1]}" if open_at else None)


def _depths(kinds: list[Kind]) -> list[int]:
    depth, depths = 0, []
    for kind in kinds:
        depth -= kind is Kind.END
        depths.append(depth)
        depth += kind is Kind.LOOP
    return depths


def _tables(named: dict[str, Int64s], ranks: int) -> list[Int64s]:
    tables: list[Int64s] = []
    while (table := sized(named, f"table {len(tables)}", ranks)) is not None:
        tables.append(table)
    return tables


def _programs_of_ranks(named: dict[str, Int64s], header: WorkloadHeader) -> NDArray[np.int32]:
    column = sized(named, "program_of_rank", header.ranks)
    if column is None:
        expect(header.programs == 1, "the array is missing", "array 'program_of_rank'")
        return np.zeros(header.ranks, np.int32)
    expect(bool(((column >= 0) & (column < header.programs)).all()), "a rank has no program")
    return column.astype(np.int32)


def _starts(lengths: list[int]) -> Int64s:
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.int64)
