"""A program table whose computing takes longer by a factor, for all ranks or for each its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from striate.workload.kinds import Kind
from striate.workload.program import Int64s, ProgramTable


def slowed(programs: ProgramTable, factor: float | NDArray[np.float64]) -> ProgramTable:
    """Every time of a compute operation times `factor`, to the nearest picosecond; instructions stay as they are.

    With a factor for each rank, what a loop adds per pass is scaled by their mean.
    """
    each = np.broadcast_to(np.asarray(factor, np.float64), (programs.ranks,))
    if (each == 1.0).all():
        return programs
    even = bool((each == each[0]).all())
    times = programs.first_operand[np.flatnonzero(programs.kind == Kind.COMPUTE)].astype(np.int64)
    constant, per_rank, table = programs.constant.copy(), programs.per_rank.copy(), programs.table.copy()
    stride = programs.stride.copy()
    values, first_value = [programs.value], programs.first_value.tolist()
    copies: dict[int, int] = {}  # a table may belong to other operands too, so its slow form is a new one
    ranks = np.arange(programs.ranks, dtype=np.int64)
    for operand in times.tolist():
        part = slice(int(programs.first_stride[operand]), int(programs.first_stride[operand + 1]))
        stride[part] = _scaled(stride[part], float(each.mean()))
        number = int(table[operand])
        if even:
            for column in (constant, per_rank):
                column[operand] = round(int(column[operand]) * float(each[0]))
            old = programs.value[slice(*programs.first_value[number : number + 2])] if number >= 0 else None
            key = number
        else:
            old = np.broadcast_to(programs.base(operand, ranks), ranks.shape)
            constant[operand] = per_rank[operand] = 0
            key = -1 - operand  # a table of its own
        if old is None:
            continue
        if key not in copies:
            copies[key] = len(first_value) - 1
            values.append(_scaled(old, each if not even else float(each[0])))
            first_value.append(first_value[-1] + len(old))
        table[operand] = copies[key]
    return replace(
        programs,
        constant=constant,
        per_rank=per_rank,
        table=table,
        stride=stride,
        first_value=np.array(first_value, np.int64),
        value=np.concatenate(values),
    )


def _scaled(column: Int64s, factor: float | NDArray[np.float64]) -> Int64s:
    return np.asarray(np.rint(column * factor), np.int64)
