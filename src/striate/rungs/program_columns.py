"""Programs of many ranks, every operand a constant, written row by row."""

from __future__ import annotations

import numpy as np

from striate.workload.kinds import OPERANDS, Kind
from striate.workload.program import ProgramTable


class StreamColumns:
    """A program a rank, every operand a constant, row by row: streams are too long for anything slower."""

    def __init__(self) -> None:
        self.kind: list[int] = []
        self.constant: list[int] = []
        self.first_operand: list[int] = [0]
        self.first_row: list[int] = [0]

    def add(self, kind: Kind, *operands: int) -> None:
        assert len(operands) == len(OPERANDS[kind]), kind
        self.kind.append(kind)
        self.constant.extend(operands)
        self.first_operand.append(len(self.constant))

    def end_program(self) -> None:
        self.first_row.append(len(self.kind))

    def table(self) -> ProgramTable:
        operands, ranks = len(self.constant), len(self.first_row) - 1
        return ProgramTable(
            first_row=np.array(self.first_row, np.uint32),
            kind=np.array(self.kind, np.uint8),
            communicator=np.zeros(len(self.kind), np.int32),
            first_operand=np.array(self.first_operand, np.uint32),
            constant=np.array(self.constant, np.int64),
            per_rank=np.zeros(operands, np.int64),
            table=np.full(operands, -1, np.int32),
            first_stride=np.zeros(operands + 1, np.uint32),
            stride=np.empty(0, np.int64),
            first_value=np.zeros(1, np.int64),
            value=np.empty(0, np.int64),
            program_of_rank=np.arange(ranks, dtype=np.int32),
        )
