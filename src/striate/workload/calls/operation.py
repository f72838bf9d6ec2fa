"""One call of a program, and calls that are made of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from striate import units
from striate.errors import WorkloadError
from striate.workload.application import WORLD
from striate.workload.kinds import BLOCKING, DEFAULT_ALGORITHM, Kind
from striate.workload.program import Int64s

PENDING = object()  # stands for a request slot until the operation joins a program
Number = Any  # int, text with a unit, array over ranks, or an expression of a loop

_size = lru_cache(maxsize=4096)(units.size)


@dataclass(slots=True, eq=False)
class Operation:
    """One call. `operands` are in the order of `kinds.OPERANDS`; names and lists are resolved later."""

    kind: Kind
    operands: tuple[Any, ...]
    communicator: str = WORLD
    awaited: tuple[Operation, ...] = ()  # wait, test, waitany: which operations

    @property
    def is_pending(self) -> bool:
        """True when the call returns before the operation is complete."""
        return not self.awaited and bool(self.operands) and self.operands[-1] is PENDING


@dataclass(frozen=True, slots=True, eq=False)
class Several:
    """Operations that make up one call, in order; awaited, all of them are that are still in flight."""

    operations: tuple[Operation, ...]

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations)

    @property
    def pending(self) -> tuple[Operation, ...]:
        """Those that are in flight when the call returns."""
        done = {id(one) for operation in self.operations for one in operation.awaited}
        return tuple(one for one in self.operations if one.is_pending and id(one) not in done)


def each(operations: Iterable[Operation | Several]) -> tuple[Operation, ...]:
    """The single operations to be awaited."""
    return tuple(
        one
        for operation in operations
        for one in (operation.pending if isinstance(operation, Several) else (operation,))
    )


def bytes_of(size: Number) -> Number:
    """Bytes from a number or a text such as "64 KiB"; other numbers are left as they are."""
    return _size(size) if isinstance(size, str) else size


def whole_numbers(values: Sequence[int], what: str) -> Int64s:
    """A column of whole numbers; refuses anything else."""
    column = np.asarray(values)
    whole = column.ndim == 1 and (column.dtype.kind in "iu" or not column.size)
    if not whole or (column.size and int(column.max()) >= 2**63):
        raise WorkloadError(f"expected whole numbers below 2^63 as {what}, got {values!r:.60}")
    return column.astype(np.int64)


def total_bytes(sizes: Int64s, what: str) -> int:
    """The sum of a column of sizes; refuses negative ones, and a sum that 63 bits do not hold."""
    if sizes.size and (sizes.min() < 0 or sizes.astype(float).sum() >= 2.0**63):
        raise WorkloadError(
            f"expected {what} in bytes of at least 0, with a sum below 2^63, got {sizes.tolist()!r:.60}"
        )
    return int(sizes.sum())


def request(blocking: bool) -> object:
    """The operand that says whether a call blocks."""
    return BLOCKING if blocking else PENDING


def algorithm_operand(name: str | None) -> object:
    """The operand that names a collective algorithm, or leaves the choice to rules."""
    return DEFAULT_ALGORITHM if name is None else name
