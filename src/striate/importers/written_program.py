"""Programs that other tools' descriptions ask for: written as SPMD, within what a short text may cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from striate.errors import WorkloadError
from striate.units import LARGEST
from striate.workload import Spmd
from striate.workload.affine import Affine

MOST_RANKS = 2**24
MOST_OPERATIONS = 2**16  # that are written out; loops count once
MOST_CELLS = 2**24  # of operands that differ by rank: 8 bytes each
MASK_CELLS = 8  # per rank of a block of some ranks: they are sorted into programs


class WrittenProgram(Spmd):
    """An SPMD program that is refused when it grows beyond what this process should hold: the text is not ours."""

    def __init__(
        self, ranks: int, *, name: str, source: str, communicators: Mapping[str, object] | None = None
    ) -> None:
        self._source = source
        if ranks > MOST_RANKS:
            raise self._refuse(f"expected a benchmark with at most {MOST_RANKS:,} ranks, got {ranks}")
        super().__init__(ranks, name=name, communicators=communicators)
        self._operations, self._cells = 0, 0

    def add(self, operation: Any) -> Any:
        """Append an operation; raises WorkloadError when there are too many."""
        self._operations += 1
        self._cells += self.ranks * sum(map(_differs_by_rank, getattr(operation, "operands", ())))
        self._expect_room()
        return super().add(operation)

    @contextmanager
    def only(self, ranks: Any) -> Iterator[None]:
        """The block is for those ranks only."""
        self._cells += MASK_CELLS * self.ranks
        self._expect_room()
        with super().only(ranks):
            yield

    def expect_bytes(self, last: int, *, at: str) -> None:
        """Refuse files that reach further than offsets do."""
        if last > LARGEST:
            raise self._refuse("expected a file of less than 8 EiB, got a larger file", at=at)

    def _expect_room(self) -> None:
        if self._operations > MOST_OPERATIONS or self._cells > MOST_CELLS:
            raise self._refuse(
                f"expected a benchmark with at most {MOST_OPERATIONS:,} operations (each loop body counted once) and "
                f"{MOST_CELLS:,} values that differ between ranks, "
                f"got {self._operations:,} operations and {self._cells:,} values"
            )

    def _refuse(self, message: str, at: str | None = None) -> WorkloadError:
        return WorkloadError(message, at=at, source=self._source)


def _differs_by_rank(operand: Any) -> bool:
    return isinstance(operand.base if isinstance(operand, Affine) else operand, np.ndarray)
