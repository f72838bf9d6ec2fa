"""Folded operations of all ranks as one program table: ranks whose operations have one shape share a program.

The core folds each rank's operations back into loops as they arrive (`core/include/striate/programs/fold.hpp`). What of
an operation must be equal to fold is its shape; its free operands may move from pass to pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate._core import FoldedRows
from striate.workload.kinds import KINDS, OPERANDS, Kind
from striate.workload.program import Int64s, ProgramColumns, ProgramTable, ProgramWriter

FREE = ("offset", "file", "tag")  # operands that may move by a stride from pass to pass
FREE_AT = {kind: tuple(i for i, name in enumerate(names) if name in FREE) for kind, names in OPERANDS.items()}
_WIDTH = np.array([len(OPERANDS[kind]) for kind in KINDS], np.int64)
_IS_FREE = np.zeros((len(KINDS), int(_WIDTH.max())), bool)
for _kind in KINDS:
    _IS_FREE[_kind, list(FREE_AT[_kind])] = True
_IS_FREE[Kind.LOOP, 0] = True  # its passes are written among the free values
_BRACKETS = (
    (int(Kind.LOOP), -1, (0,)),
    (int(Kind.END), -1, ()),
)  # shapes 0 and 1: where a loop begins and ends


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """Shapes by their numbers: kind, communicator, and operands, of which free ones are 0."""

    kind: NDArray[np.uint8]
    communicator: NDArray[np.int32]
    first: Int64s  # of its operands
    operands: Int64s
    is_free: NDArray[np.bool_]  # per operand

    @classmethod
    def of(cls, kind: Int64s, communicator: Int64s, operands: Int64s) -> Shapes:
        """Of operations; those that begin and end a loop come first."""
        kinds = np.concatenate([[one[0] for one in _BRACKETS], kind]).astype(np.int64)
        widths = _WIDTH[kinds]
        return cls(
            kinds.astype(np.uint8),
            np.concatenate([[one[1] for one in _BRACKETS], communicator]).astype(np.int32),
            (np.cumsum(widths) - widths).astype(np.int64),
            np.concatenate([[value for one in _BRACKETS for value in one[2]], operands]).astype(np.int64),
            _IS_FREE[kinds][np.arange(_IS_FREE.shape[1]) < widths[:, None]],
        )


BRACKETS = len(_BRACKETS)  # operations are numbered from here on


class ShapeNumbers:
    """Numbers for shapes in order of first use."""

    def __init__(self) -> None:
        self._number: dict[tuple[int, int, tuple[int, ...]], int] = {
            shape: number for number, shape in enumerate(_BRACKETS)
        }

    def number(self, kind: Kind, communicator: int, operands: tuple[int, ...]) -> int:
        return self._number.setdefault((kind, communicator, operands), len(self._number))

    def shapes(self) -> Shapes:
        own = list(self._number)[BRACKETS:]
        columns = np.array([(kind, communicator) for kind, communicator, _ in own], np.int64).reshape(-1, 2)
        operands = np.array([value for _, _, values in own for value in values], np.int64)
        return Shapes.of(columns[:, 0], columns[:, 1], operands)


def shared_programs(shapes: Shapes, folded: Sequence[FoldedRows]) -> ProgramTable:
    """The programs of ranks 0, 1, ...; where ranks share one, what differs becomes a value per rank."""
    groups: dict[bytes, list[int]] = {}
    for rank, rows in enumerate(folded):
        groups.setdefault(_skeleton(shapes, rows), []).append(rank)
    writer = ProgramWriter(len(folded))
    for ranks in groups.values():
        writer.add_columns(_columns(shapes, [folded[rank] for rank in ranks]), np.array(ranks, np.int64))
    return writer.table()


def _skeleton(shapes: Shapes, rows: FoldedRows) -> bytes:
    """Kinds, communicators and loops: what ranks must share to share a program."""
    parts = (shapes.kind[rows.shape], shapes.communicator[rows.shape], rows.pair)
    loops = (rows.count, rows.first_stride, rows.stride)
    return b"".join(part.tobytes() for part in (np.array([len(rows.shape)]), *parts, *loops))


def _columns(shapes: Shapes, members: Sequence[FoldedRows]) -> ProgramColumns:
    """The program that ranks with one skeleton share."""
    one = members[0]
    shape = np.stack([rows.shape for rows in members])
    kind = shapes.kind[one.shape]
    width = _WIDTH[kind]
    row = np.repeat(np.arange(len(kind)), width)
    place = np.arange(len(row)) - np.repeat(np.cumsum(width) - width, width)
    at = shapes.first[shape][:, row] + place
    values = shapes.operands[at]
    is_free = shapes.is_free[at[0]]
    values[:, is_free] = np.stack([rows.free for rows in members])
    strides = np.zeros(len(row), np.int64)
    strides[is_free] = np.diff(one.first_stride)
    return ProgramColumns(kind, shapes.communicator[one.shape], values, strides, one.stride)
