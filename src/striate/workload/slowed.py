"""A program table whose computing takes longer by a factor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from striate.workload.kinds import Kind
from striate.workload.program import Int64s, ProgramTable


def slowed(programs: ProgramTable, factor: float) -> ProgramTable:
    """Every time of a compute operation times `factor`, to the nearest picosecond; instructions stay as they are."""
    if factor == 1.0:
        return programs
    times = programs.first_operand[np.flatnonzero(programs.kind == Kind.COMPUTE)].astype(np.int64)
    constant, per_rank, table = programs.constant.copy(), programs.per_rank.copy(), programs.table.copy()
    stride = programs.stride.copy()
    values, first_value = [programs.value], programs.first_value.tolist()
    copies: dict[int, int] = {}  # a table may belong to other operands too, so its slow form is a new one
    for operand in times.tolist():
        for column in (constant, per_rank):
            column[operand] = round(int(column[operand]) * factor)
        part = slice(int(programs.first_stride[operand]), int(programs.first_stride[operand + 1]))
        stride[part] = _scaled(stride[part], factor)
        number = int(table[operand])
        if number >= 0:
            if number not in copies:
                old = programs.value[programs.first_value[number] : programs.first_value[number + 1]]
                copies[number] = len(first_value) - 1
                values.append(_scaled(old, factor))
                first_value.append(first_value[-1] + len(old))
            table[operand] = copies[number]
    return replace(
        programs,
        constant=constant,
        per_rank=per_rank,
        table=table,
        stride=stride,
        first_value=np.array(first_value, np.int64),
        value=np.concatenate(values),
    )


def _scaled(column: Int64s, factor: float) -> Int64s:
    return np.asarray(np.rint(column * factor), np.int64)
