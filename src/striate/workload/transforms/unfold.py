"""The slow, readable twin of every engine: one rank's operations one after the other, loops unrolled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from striate.workload.application import Application
from striate.workload.kinds import KINDS, OPERANDS, Kind
from striate.workload.program import ProgramTable

_LOOP, _END = Kind.LOOP, Kind.END


@dataclass(frozen=True, slots=True)
class ProgramStep:
    """One operation as it happens: its row in the program table, kind, communicator and operands by name."""

    row: int
    kind: Kind
    communicator: int
    operands: dict[str, int]


def unfold(application: Application, rank: int) -> Iterator[ProgramStep]:
    """Every operation of `rank` in order."""
    rows = _RankRows.of(application.programs, rank)
    yield from rows.run(0, len(rows.kind), ())


@dataclass(frozen=True, slots=True, eq=False)
class _RankRows:
    """The rows of one rank's program as plain lists, its own values put in."""

    first: int  # row of the program table
    kind: list[Kind]
    communicator: list[int]
    values: list[list[int]]  # in the first pass of all loops
    strides: list[list[tuple[int, ...]]]  # of each operand; empty where no loop moves any
    end: dict[int, int]  # row of a LOOP -> row of its END

    @classmethod
    def of(cls, programs: ProgramTable, rank: int) -> _RankRows:
        rows = programs.rows_of(int(programs.program_of_rank[rank]))
        bounds = programs.first_operand[rows.start : rows.stop + 1].astype(np.int64)
        begin, operands = int(bounds[0]), slice(int(bounds[0]), int(bounds[-1]))
        values = programs.constant[operands] + programs.per_rank[operands] * rank
        tabled = np.flatnonzero(programs.table[operands] >= 0)
        table = programs.table[operands][tabled]
        values[tabled] += programs.value[programs.first_value[table] + rank]
        starts = programs.first_stride[operands.start : operands.stop + 1].tolist()
        moves = programs.stride[starts[0] : starts[-1]].tolist()
        strides = [tuple(moves[a - starts[0] : b - starts[0]]) for a, b in pairwise(starts)]
        flat, places = values.tolist(), (bounds - begin).tolist()
        kinds = [KINDS[number] for number in programs.kind[rows.start : rows.stop].tolist()]
        each = [strides[a:b] for a, b in pairwise(places)]
        return cls(
            rows.start,
            kinds,
            programs.communicator[rows.start : rows.stop].tolist(),
            [flat[a:b] for a, b in pairwise(places)],
            [one if any(one) else [] for one in each],
            _ends(kinds),
        )

    def run(self, start: int, stop: int, indices: tuple[int, ...]) -> Iterator[ProgramStep]:
        row = start
        while row < stop:
            kind, values = self.kind[row], self.values[row]
            if self.strides[row]:
                values = [
                    value + sum(stride * index for stride, index in zip(strides, indices, strict=False))
                    for value, strides in zip(values, self.strides[row], strict=True)
                ]
            if kind is _LOOP:
                for index in range(values[0]):
                    yield from self.run(row + 1, self.end[row], (*indices, index))
                row = self.end[row]
            else:
                operands = dict(zip(OPERANDS[kind], values, strict=True))
                yield ProgramStep(self.first + row, kind, self.communicator[row], operands)
            row += 1


def _ends(kinds: list[Kind]) -> dict[int, int]:
    """The row of the END that closes each LOOP."""
    open_at: list[int] = []
    found = {}
    for row, kind in enumerate(kinds):
        if kind is _LOOP:
            open_at.append(row)
        elif kind is _END:
            found[open_at.pop()] = row
    return found
