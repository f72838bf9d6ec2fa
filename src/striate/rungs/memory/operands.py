"""Average operands of all rows of a program table, over ranks and passes, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.workload.kinds import Kind, position
from striate.workload.program import Int64s, ProgramTable

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AverageRows:
    """Per row: how many ranks do it, and how often each; per operand: its average."""

    programs: ProgramTable
    ranks: Floats
    times: Floats
    average: Floats  # per operand

    @classmethod
    def of(cls, programs: ProgramTable) -> AverageRows:
        ranks = np.bincount(programs.program_of_rank, minlength=programs.count).astype(float)
        of_row = program_of_row(programs)
        of_operand = np.repeat(of_row, _lengths(programs.first_operand))
        times, halfway = _passes(programs)
        average = _over_ranks(programs, ranks, of_operand) + halfway
        return cls(programs, ranks[of_row], times, average)

    def rows(self, *kinds: Kind) -> Int64s:
        """Rows of these kinds."""
        return np.flatnonzero(np.isin(self.programs.kind, kinds)).astype(np.int64)

    def operand(self, rows: Int64s, kind: Kind, name: str) -> Int64s:
        """Where the operand `name` of rows of `kind` stands."""
        return self.programs.first_operand[rows].astype(np.int64) + position(kind, name)

    def column(self, rows: Int64s, kind: Kind, name: str) -> Floats:
        """The average of an operand of rows of `kind`, or of kinds with the same operands."""
        found: Floats = self.average[self.operand(rows, kind, name)]
        return found


def program_of_row(programs: ProgramTable) -> Int64s:
    """The program that each row belongs to."""
    return np.repeat(np.arange(programs.count, dtype=np.int64), _lengths(programs.first_row))


def strided(programs: ProgramTable) -> NDArray[np.bool_]:
    """Per operand: whether a loop moves it."""
    found: NDArray[np.bool_] = _lengths(programs.first_stride) > 0
    return found


def _lengths(starts: NDArray[np.uint32]) -> Int64s:
    ends = starts.astype(np.int64)
    found: Int64s = ends[1:] - ends[:-1]
    return found


def _over_ranks(programs: ProgramTable, ranks: Floats, of_operand: Int64s) -> Floats:
    """Operands in the first pass, averaged over the ranks that have them."""
    sums = np.bincount(
        programs.program_of_rank, np.arange(programs.ranks, dtype=float), minlength=programs.count
    )
    middle = sums / np.maximum(ranks, 1)
    average: Floats = programs.constant + programs.per_rank * middle[of_operand]
    members: dict[int, Int64s] = {}
    for operand in np.flatnonzero(programs.table >= 0).tolist():
        program = int(of_operand[operand])
        if program not in members:
            members[program] = programs.ranks_of(program)
        if len(members[program]):
            places = programs.first_value[programs.table[operand]] + members[program]
            average[operand] += float(np.mean(programs.value[places]))
    return average


def _passes(programs: ProgramTable) -> tuple[Floats, Floats]:
    """Per row how often each rank comes to it; per operand what loops have added halfway through."""
    times = np.ones(programs.rows)
    halfway = np.zeros(len(programs.constant))
    counts: list[float] = []
    product = 1.0
    first_operand, first_stride = programs.first_operand.tolist(), programs.first_stride.tolist()
    strides = programs.stride.tolist()
    for row, kind in enumerate(programs.kind.tolist()):
        times[row] = product
        if kind == Kind.LOOP:
            counts.append(float(programs.constant[first_operand[row]]))
            product *= counts[-1]
        elif kind == Kind.END:
            counts.pop()
            product = float(np.prod(counts)) if counts else 1.0
        elif counts:
            for operand in range(first_operand[row], first_operand[row + 1]):
                for stride, count in zip(
                    strides[first_stride[operand] : first_stride[operand + 1]], counts, strict=False
                ):
                    halfway[operand] += stride * (count - 1) / 2
    return times, halfway
