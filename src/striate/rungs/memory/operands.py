"""Average operands of all rows of a program table, over ranks and passes, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.workload.kinds import Kind, position
from striate.workload.operand_ranges import (
    Floats,
    lengths,
    means_over_ranks,
    moved_by_loops,
    passes_around,
    program_of_row,
    times_of_rows,
)
from striate.workload.program import Int64s, ProgramTable


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
        passes = passes_around(programs)
        average = means_over_ranks(programs)
        for operands, reach in moved_by_loops(programs, passes):
            average[operands] += reach / 2
        return cls(programs, ranks[program_of_row(programs)], times_of_rows(programs, passes), average)

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


def strided(programs: ProgramTable) -> NDArray[np.bool_]:
    """Per operand: whether a loop moves it."""
    found: NDArray[np.bool_] = lengths(programs.first_stride) > 0
    return found
