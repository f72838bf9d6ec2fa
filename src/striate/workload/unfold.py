"""The slow, readable twin of every engine: one rank's operations one after the other, loops unrolled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from striate.workload.application import Application
from striate.workload.kinds import OPERANDS, Kind


@dataclass(frozen=True, slots=True)
class ProgramStep:
    """One operation as it happens: its row in the program table, kind, communicator and operands by name."""

    row: int
    kind: Kind
    communicator: int
    operands: dict[str, int]


def unfold(application: Application, rank: int) -> Iterator[ProgramStep]:
    """Every operation of `rank` in order."""
    programs = application.programs
    rows = programs.rows_of(int(programs.program_of_rank[rank]))
    yield from _run(application, rank, rows.start, rows.stop, ())


def _run(
    application: Application, rank: int, start: int, stop: int, indices: tuple[int, ...]
) -> Iterator[ProgramStep]:
    programs = application.programs
    row = start
    while row < stop:
        kind = Kind(int(programs.kind[row]))
        values = _operands(application, rank, row, kind, indices)
        if kind is Kind.LOOP:
            end = matching_end(application, row)
            for index in range(values["count"]):
                yield from _run(application, rank, row + 1, end, (*indices, index))
            row = end
        else:
            yield ProgramStep(row, kind, int(programs.communicator[row]), values)
        row += 1


def _operands(
    application: Application, rank: int, row: int, kind: Kind, indices: tuple[int, ...]
) -> dict[str, int]:
    programs = application.programs
    values = {}
    for name in OPERANDS[kind]:
        operand = programs.operand(row, name)
        strides = programs.strides(operand)
        moved = sum(int(stride) * index for stride, index in zip(strides, indices, strict=False))
        values[name] = int(programs.base(operand, np.int64(rank))) + moved  # type: ignore[arg-type]
    return values


def matching_end(application: Application, row: int) -> int:
    """The row of the END that closes the LOOP at `row`."""
    depth = 0
    for at in range(row, application.programs.rows):
        kind = application.programs.kind[at]
        depth += int(kind == Kind.LOOP) - int(kind == Kind.END)
        if depth == 0:
            return at
    raise AssertionError("a loop is never left open by a ProgramWriter")
