"""Loops and ranges of all rows of a program table at once: what `walk.lines` finds row by row, as columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.workload.kinds import Kind
from striate.workload.program import Int64s, ProgramTable

Floats = NDArray[np.float64]
_LOOP, _END = int(Kind.LOOP), int(Kind.END)
_EXACT = 2.0**53  # sums of whole numbers below it are exact in floating point


def lengths(starts: NDArray[np.uint32]) -> Int64s:
    """How many entries lie from each start to the next."""
    ends = starts.astype(np.int64)
    return np.asarray(ends[1:] - ends[:-1], np.int64)


def program_of_row(programs: ProgramTable) -> Int64s:
    """The program that each row belongs to."""
    return np.repeat(np.arange(programs.count, dtype=np.int64), lengths(programs.first_row))


def row_of_operand(programs: ProgramTable) -> Int64s:
    """The row that each operand belongs to."""
    return np.repeat(np.arange(programs.rows, dtype=np.int64), lengths(programs.first_operand))


def passes_around(programs: ProgramTable) -> list[Floats]:
    """Per depth, the outermost loop first: passes of the loop around each row there, 1 where there is none."""
    begins, ends = programs.kind == _LOOP, programs.kind == _END
    depth = np.cumsum(begins, dtype=np.int64) - np.cumsum(ends, dtype=np.int64)
    rows = np.arange(programs.rows)
    found = []
    for level in range(1, int(depth.max(initial=0)) + 1):
        opens = begins & (depth == level)
        opened = np.maximum.accumulate(np.where(opens, rows, 0))
        count = programs.constant[programs.first_operand[opened]]
        found.append(np.where((depth >= level) & ~opens, count, 1).astype(np.float64))
    return found


def moved_by_loops(programs: ProgramTable, passes: list[Floats]) -> Iterator[tuple[Int64s, Floats]]:
    """Per depth: the operands that the loop there moves, and how far its last pass is from its first."""
    strides, of_operand = lengths(programs.first_stride), row_of_operand(programs)
    for level, count in enumerate(passes):
        moved = np.flatnonzero(strides > level).astype(np.int64)
        step = programs.stride[programs.first_stride[moved].astype(np.int64) + level]
        yield moved, step.astype(np.float64) * np.maximum(count[of_operand[moved]] - 1, 0)


def ranks_by_program(programs: ProgramTable) -> list[Int64s]:
    """The ranks that run each program, ascending."""
    order = np.argsort(programs.program_of_rank, kind="stable").astype(np.int64)
    sizes = np.bincount(programs.program_of_rank, minlength=programs.count)
    return np.split(order, np.cumsum(sizes)[:-1])


def values_by_table(programs: ProgramTable) -> Iterator[tuple[Int64s, Int64s]]:
    """Operands that share a table of values within one program, and these values for the program's ranks."""
    tabled = np.flatnonzero(programs.table >= 0)
    if not len(tabled):
        return
    program = program_of_row(programs)[row_of_operand(programs)[tabled]]
    pairs = np.stack([program, programs.table[tabled]], axis=1)
    distinct, which = np.unique(pairs, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=len(distinct)))
    ranks = ranks_by_program(programs)
    for (owner, table), end, begin in zip(distinct.tolist(), ends, (0, *ends[:-1]), strict=True):
        if len(ranks[owner]):
            yield tabled[order[begin:end]], programs.value[programs.first_value[table] + ranks[owner]]


def times_of_rows(programs: ProgramTable, passes: list[Floats] | None = None) -> Floats:
    """How often each rank comes to each row: the product of the passes of the loops around it."""
    around = passes_around(programs) if passes is None else passes
    return np.asarray(np.multiply.reduce(around, axis=0)) if around else np.ones(programs.rows)


def means_over_ranks(programs: ProgramTable) -> Floats:
    """Operands in the first pass of all loops, averaged over the ranks that have them."""
    ranks = np.bincount(programs.program_of_rank, minlength=programs.count)
    sums = np.bincount(
        programs.program_of_rank, np.arange(programs.ranks, dtype=float), minlength=programs.count
    )
    middle = sums / np.maximum(ranks, 1)
    of_operand = program_of_row(programs)[row_of_operand(programs)]
    mean: Floats = programs.constant + programs.per_rank * middle[of_operand]
    for operands, values in values_by_table(programs):
        mean[operands] += float(np.add.reduce(values, dtype=np.float64)) / len(values)  # quicker than np.mean
    return mean


@dataclass(frozen=True, slots=True, eq=False)
class OperandRanges:
    """Per operand: its lowest and highest value over the ranks and passes of its row; per row: passes of all loops.

    A range is wider than need be where loops and ranks move an operand against each other, never narrower; `exact`
    is False where the numbers are too large to be added in floating point.
    """

    programs: ProgramTable
    program: Int64s  # of each row
    walked: NDArray[np.bool_]  # rows that some rank comes to, if loops have passes
    times: Floats  # per row: how often each rank comes to it
    low: Floats
    high: Floats
    exact: NDArray[np.bool_]

    @classmethod
    def of(cls, programs: ProgramTable) -> OperandRanges:
        of_row = program_of_row(programs)
        ranks = np.bincount(programs.program_of_rank, minlength=programs.count)
        first, last = np.full(programs.count, programs.ranks), np.zeros(programs.count, np.int64)
        numbers = np.arange(programs.ranks)
        np.minimum.at(first, programs.program_of_rank, numbers)
        np.maximum.at(last, programs.program_of_rank, numbers)
        of_operand = of_row[row_of_operand(programs)]
        constant = programs.constant.astype(np.float64)
        ends = [programs.per_rank.astype(np.float64) * rank[of_operand] for rank in (first, last)]
        low, high = constant + np.minimum(*ends), constant + np.maximum(*ends)
        size = np.abs(constant) + np.maximum(np.abs(ends[0]), np.abs(ends[1]))
        for operands, values in values_by_table(programs):
            lowest, highest = float(values.min()), float(values.max())
            low[operands] += lowest
            high[operands] += highest
            size[operands] += max(abs(lowest), abs(highest))
        passes = passes_around(programs)
        for operands, reach in moved_by_loops(programs, passes):
            low[operands] += np.minimum(reach, 0)
            high[operands] += np.maximum(reach, 0)
            size[operands] += np.abs(reach)
        times = times_of_rows(programs, passes)
        return cls(programs, of_row, ranks[of_row] > 0, times, low, high, size < _EXACT)

    def rows(self, kind: int) -> Int64s:
        """The rows of a kind that ranks come to."""
        return np.flatnonzero((self.programs.kind == kind) & self.walked).astype(np.int64)

    def column(self, rows: Int64s, position: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Lowest and highest value of the operands at one position, and where these are exact."""
        at = self.programs.first_operand[rows].astype(np.int64) + position
        return self.low[at], self.high[at], self.exact[at]
