"""A program table whose computing takes longer by a factor, for all ranks or for each its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from striate.workload.kinds import Kind
from striate.workload.operand_ranges import lengths
from striate.workload.program import Int64s, ProgramTable


def slowed(programs: ProgramTable, factor: float | NDArray[np.float64]) -> ProgramTable:
    """Every time of a compute operation times `factor`, to the nearest picosecond; instructions stay as they are.

    With a factor for each rank, what a loop adds per pass is scaled by their mean.
    """
    each = np.broadcast_to(np.asarray(factor, np.float64), (programs.ranks,))
    if (each == 1.0).all():
        return programs
    if (each == each[0]).all():
        return _slowed_alike(programs, float(each[0]))
    times = _times(programs)
    constant, per_rank, table = programs.constant.copy(), programs.per_rank.copy(), programs.table.copy()
    ranks = np.arange(programs.ranks, dtype=np.int64)
    values = [np.broadcast_to(programs.base(operand, ranks), ranks.shape) for operand in times.tolist()]
    constant[times] = per_rank[times] = 0
    table[times] = np.arange(len(times)) + len(programs.first_value) - 1  # each has a table of its own
    stride = _scaled_where(programs.stride, _strides_of(programs, times), float(each.mean()))
    return _with_tables(
        replace(programs, constant=constant, per_rank=per_rank, table=table, stride=stride),
        [_scaled(value, each) for value in values],
    )


def _slowed_alike(programs: ProgramTable, factor: float) -> ProgramTable:
    """The same factor for all ranks; tables of times are scaled as a whole, each once."""
    times = _times(programs)
    constant, per_rank, table = programs.constant.copy(), programs.per_rank.copy(), programs.table.copy()
    constant[times] = _scaled(constant[times], factor)
    per_rank[times] = _scaled(per_rank[times], factor)
    stride = _scaled_where(programs.stride, _strides_of(programs, times), factor)
    tabled = times[table[times] >= 0]
    used, first, which = np.unique(table[tabled], return_index=True, return_inverse=True)
    turn = np.argsort(np.argsort(first))  # in order of their first use
    # A table may belong to other operands too, so its slow form is a new one.
    table[tabled] = turn[which.ravel()] + len(programs.first_value) - 1
    ranks, last = np.arange(programs.ranks, dtype=np.int64), len(programs.value) - 1
    # Tables of several applications as one have values for the ranks of their own application alone.
    slow = [
        _scaled(programs.value[np.clip(programs.first_value[number] + ranks, 0, last)], factor)
        for number in used[np.argsort(first)].tolist()
    ]
    return _with_tables(
        replace(programs, constant=constant, per_rank=per_rank, table=table, stride=stride), slow
    )


def _times(programs: ProgramTable) -> Int64s:
    """The operands that are times of computing."""
    return programs.first_operand[np.flatnonzero(programs.kind == Kind.COMPUTE)].astype(np.int64)


def _strides_of(programs: ProgramTable, operands: Int64s) -> NDArray[np.bool_]:
    """Which strides belong to one of the operands."""
    chosen = np.zeros(len(programs.constant), bool)
    chosen[operands] = True
    return np.repeat(chosen, lengths(programs.first_stride))


def _with_tables(programs: ProgramTable, more: list[Int64s]) -> ProgramTable:
    ends = np.cumsum([len(programs.value), *(len(values) for values in more)])
    return replace(
        programs,
        first_value=np.concatenate([programs.first_value[:-1], ends]).astype(np.int64),
        value=np.concatenate([programs.value, *more]),
    )


def _scaled(column: Int64s, factor: float | NDArray[np.float64]) -> Int64s:
    return np.asarray(np.rint(column * factor), np.int64)


def _scaled_where(column: Int64s, chosen: NDArray[np.bool_], factor: float) -> Int64s:
    column = column.copy()
    column[chosen] = _scaled(column[chosen], factor)
    return column
