"""The program table of an application: programs as columns, loops kept as loops, ranks as values of operands.

An operand is `constant + per_rank * rank + table[rank] + sum of stride * index` over the loops around it, the
outermost first. So a million ranks and a million passes cost as much memory as one of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.workload.kinds import KINDS, OPERANDS, POSITIONS, Kind

Int64s = NDArray[np.int64]
Value = int | Int64s  # one number for all ranks, or one number per rank
_WIDTHS = np.array([len(OPERANDS[kind]) for kind in KINDS], np.int64)


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


@dataclass(frozen=True, slots=True, eq=False)
class ProgramColumns:
    """One program while a table is being written: rows as columns, operands as one column per rank that has it."""

    kind: NDArray[np.uint8]
    communicator: NDArray[np.int32]
    values: Int64s  # ranks x operands
    strides: Int64s  # how many of them each operand has
    stride: Int64s


class ProgramWriter:
    """Collects programs and packs them into a `ProgramTable`."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self._first_row = [0]
        self._program_of_rank = np.zeros(ranks, np.int32)
        self._kind: list[NDArray[np.uint8]] = []
        self._communicator: list[NDArray[np.int32]] = []
        self._triples: list[Int64s] = []  # constant, per_rank, table of each operand
        self._strides: list[Int64s] = []
        self._stride: list[Int64s] = []
        self._tables: list[Int64s] = []
        self._table_of: dict[bytes, int] = {}

    def add_program(self, rows: Sequence[Row], ranks: Int64s | None) -> None:
        """The program of `ranks` (None: all); an array operand holds one value for each of *these* ranks."""
        operands = [operand for row in rows for operand in row.operands]
        members = np.arange(self.ranks, dtype=np.int64) if ranks is None else ranks
        strides = [_without_zeros(operand.strides) for operand in operands]
        self._add(
            np.array([row.kind for row in rows], np.uint8),
            np.array([row.communicator for row in rows], np.int32),
            np.array([self._triple(operand.base, members) for operand in operands], np.int64).reshape(-1, 3),
            np.array([len(one) for one in strides], np.int64),
            np.array([stride for one in strides for stride in one], np.int64),
            members,
        )

    def add_columns(self, program: ProgramColumns, ranks: Int64s) -> None:
        """The program of `ranks`, whose values are in its rows."""
        triples = self._triples_of(program.values, ranks)
        columns = (program.kind, program.communicator, triples, program.strides, program.stride)
        self._add(*columns, ranks)

    def _add(
        self,
        kind: NDArray[np.uint8],
        communicator: NDArray[np.int32],
        triples: Int64s,
        strides: Int64s,
        stride: Int64s,
        ranks: Int64s,
    ) -> None:
        self._program_of_rank[ranks] = len(self._first_row) - 1
        self._first_row.append(self._first_row[-1] + len(kind))
        self._kind.append(kind)
        self._communicator.append(communicator)
        self._triples.append(triples)
        self._strides.append(strides)
        self._stride.append(stride)

    def table(self) -> ProgramTable:
        """The finished columns."""
        kind = np.concatenate([*self._kind, np.empty(0, np.uint8)])
        triples = np.concatenate([*self._triples, np.empty((0, 3), np.int64)])
        strides = np.concatenate([*self._strides, np.empty(0, np.int64)])
        return ProgramTable(
            first_row=np.array(self._first_row, np.uint32),
            kind=kind,
            communicator=np.concatenate([*self._communicator, np.empty(0, np.int32)]),
            first_operand=_starts(_WIDTHS[kind], np.uint32),
            constant=np.ascontiguousarray(triples[:, 0]),
            per_rank=np.ascontiguousarray(triples[:, 1]),
            table=triples[:, 2].astype(np.int32),
            first_stride=_starts(strides, np.uint32),
            stride=np.concatenate([*self._stride, np.empty(0, np.int64)]),
            first_value=_starts([len(table) for table in self._tables], np.int64),
            value=np.concatenate(self._tables) if self._tables else np.empty(0, np.int64),
            program_of_rank=self._program_of_rank,
        )

    def _triples_of(self, values: Int64s, ranks: Int64s) -> Int64s:
        """Of every operand: one number for all ranks, a straight line over them, or a table; `values` is per rank."""
        triples = np.zeros((values.shape[1], 3), np.int64)
        triples[:, 0], triples[:, 2] = values[0], -1
        for operand in np.flatnonzero((values != values[0]).any(axis=0)).tolist():
            triples[operand] = self._triple(np.ascontiguousarray(values[:, operand]), ranks)
        return triples

    def _triple(self, base: Value, ranks: Int64s) -> tuple[int, int, int]:
        if not isinstance(base, np.ndarray):
            return int(base), 0, -1
        constant, slope = straight_line(ranks, base)
        if slope is not None:
            return constant, slope, -1
        table = np.zeros(self.ranks, np.int64)
        table[ranks] = base
        key = table.tobytes()
        if key not in self._table_of:
            self._table_of[key] = len(self._tables)
            self._tables.append(table)
        return 0, 0, self._table_of[key]


def _without_zeros(strides: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of inner loops that move nothing are left out."""
    while strides and strides[-1] == 0:
        strides = strides[:-1]
    return strides


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


def _starts(lengths: Sequence[int] | Int64s, dtype: Any) -> NDArray[Any]:
    starts = np.zeros(len(lengths) + 1, dtype)
    np.cumsum(lengths, out=starts[1:])
    return starts
