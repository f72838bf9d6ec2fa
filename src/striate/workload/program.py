"""The program table of an application: programs as columns, loops kept as loops, ranks as values of operands.

An operand is `constant + per_rank * rank + table[rank] + sum of stride * index` over the loops around it, the
outermost first. So a million ranks and a million passes cost as much memory as one of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.workload.kinds import POSITIONS, Kind

Int64s = NDArray[np.int64]
Value = int | Int64s  # one number for all ranks, or one number per rank


@dataclass(frozen=True, slots=True, eq=False)
class ProgramTable:
    """Columns of one application; see `core/include/striate/programs/program.hpp` for the same in the core."""

    first_row: NDArray[np.uint32]
    kind: NDArray[np.uint8]
    communicator: NDArray[np.int32]
    first_operand: NDArray[np.uint32]
    constant: Int64s
    per_rank: Int64s
    table: NDArray[np.int32]
    first_stride: NDArray[np.uint32]
    stride: Int64s
    first_value: Int64s
    value: Int64s
    program_of_rank: NDArray[np.int32]

    @property
    def ranks(self) -> int:
        return len(self.program_of_rank)

    @property
    def count(self) -> int:
        return len(self.first_row) - 1

    @property
    def rows(self) -> int:
        return len(self.kind)

    def rows_of(self, program: int) -> range:
        return range(int(self.first_row[program]), int(self.first_row[program + 1]))

    def ranks_of(self, program: int) -> Int64s:
        """The ranks that run `program`, ascending."""
        return np.flatnonzero(self.program_of_rank == program).astype(np.int64)

    def operand(self, row: int, name: str) -> int:
        """The index of the named operand of `row`."""
        return int(self.first_operand[row]) + POSITIONS[int(self.kind[row])][name]

    def base(self, operand: int, ranks: Value) -> Value:
        """The operand's value for `ranks` in the first pass of every loop: a number when it is the same for all."""
        value: Value = int(self.constant[operand])
        if self.per_rank[operand]:
            value = value + int(self.per_rank[operand]) * ranks
        table = int(self.table[operand])
        if table >= 0:
            value = value + self.value[self.first_value[table] + ranks]
        return value

    def strides(self, operand: int) -> Int64s:
        """What each enclosing loop adds to the operand a pass, outermost first; shorter means zeros."""
        return self.stride[int(self.first_stride[operand]) : int(self.first_stride[operand + 1])]

    @property
    def nbytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in self.__slots__)


@dataclass(slots=True)
class Operand:
    """One operand while a program table is being written."""

    base: Value
    strides: tuple[int, ...] = ()


@dataclass(slots=True)
class Row:
    """One operation while a program table is being written."""

    kind: Kind
    communicator: int
    operands: Sequence[Operand]


@dataclass(slots=True)
class ProgramWriter:
    """Collects programs row by row and packs them into a `ProgramTable`."""

    ranks: int
    _rows: list[Row] = field(default_factory=list)
    _first_row: list[int] = field(default_factory=lambda: [0])
    _program_of_rank: NDArray[np.int32] | None = None
    _tables: list[Int64s] = field(default_factory=list)
    _table_of: dict[bytes, int] = field(default_factory=dict)

    def add_program(self, rows: Sequence[Row], ranks: Int64s | None) -> None:
        """The program of `ranks` (None: all); an array operand holds one value for each of *these* ranks."""
        if self._program_of_rank is None:
            self._program_of_rank = np.zeros(self.ranks, np.int32)
        members = slice(None) if ranks is None else ranks
        self._program_of_rank[members] = len(self._first_row) - 1
        self._rows.extend(
            Row(row.kind, row.communicator, [self._packed(operand, ranks) for operand in row.operands])
            for row in rows
        )
        self._first_row.append(len(self._rows))

    def table(self) -> ProgramTable:
        """The finished columns."""
        operands = [operand for row in self._rows for operand in row.operands]
        packed = [operand.base for operand in operands]  # by now (constant, per_rank, table) triples
        columns = np.array(packed, np.int64).reshape(-1, 3)
        program_of_rank = self._program_of_rank
        return ProgramTable(
            first_row=np.array(self._first_row, np.uint32),
            kind=np.array([row.kind for row in self._rows], np.uint8),
            communicator=np.array([row.communicator for row in self._rows], np.int32),
            first_operand=_starts([len(row.operands) for row in self._rows], np.uint32),
            constant=np.ascontiguousarray(columns[:, 0]),
            per_rank=np.ascontiguousarray(columns[:, 1]),
            table=columns[:, 2].astype(np.int32),
            first_stride=_starts([len(operand.strides) for operand in operands], np.uint32),
            stride=np.array([stride for operand in operands for stride in operand.strides], np.int64),
            first_value=_starts([len(table) for table in self._tables], np.int64),
            value=np.concatenate(self._tables) if self._tables else np.empty(0, np.int64),
            program_of_rank=np.zeros(self.ranks, np.int32) if program_of_rank is None else program_of_rank,
        )

    def _packed(self, operand: Operand, ranks: Int64s | None) -> Operand:
        strides = operand.strides
        while strides and strides[-1] == 0:
            strides = strides[:-1]
        triple = self._triple(operand.base, ranks)
        return Operand(triple, strides)  # type: ignore[arg-type]

    def _triple(self, base: Value, ranks: Int64s | None) -> tuple[int, int, int]:
        if not isinstance(base, np.ndarray):
            return int(base), 0, -1
        numbers = np.arange(self.ranks, dtype=np.int64) if ranks is None else ranks
        constant, slope = straight_line(numbers, base)
        if slope is not None:
            return constant, slope, -1
        table = np.zeros(self.ranks, np.int64)
        table[numbers] = base
        key = table.tobytes()
        if key not in self._table_of:
            self._table_of[key] = len(self._tables)
            self._tables.append(table)
        return 0, 0, self._table_of[key]


def straight_line(numbers: Int64s, values: Int64s) -> tuple[int, int | None]:
    """(constant, slope) with `values == constant + slope * numbers`, or (0, None) when no integers do that."""
    if len(values) == 0 or not (values != values[0]).any():
        return (int(values[0]) if len(values) else 0), 0
    rise, run = int(values[1]) - int(values[0]), int(numbers[1]) - int(numbers[0])
    if rise % run:
        return 0, None
    slope = rise // run
    constant = int(values[0]) - slope * int(numbers[0])
    if max(abs(constant), abs(slope) * max(int(numbers[-1]), 1)) >= 2**62:
        return 0, None  # the check below must not overflow
    return (constant, slope) if np.array_equal(values, constant + slope * numbers) else (0, None)


def _starts(lengths: list[int], dtype: Any) -> NDArray[Any]:
    starts = np.zeros(len(lengths) + 1, dtype)
    np.cumsum(lengths, out=starts[1:])
    return starts
