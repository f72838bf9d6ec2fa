"""Walks an application's programs row by row with the loops around each row: what validation and summaries share."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from striate.errors import WorkloadError
from striate.workload.application import Application
from striate.workload.kinds import KINDS, OPERANDS, Kind
from striate.workload.program import Int64s, Value

_LOOP, _END = int(Kind.LOOP), int(Kind.END)


@dataclass(eq=False)
class ProgramLine:
    """One row for all the ranks that run it."""

    application: Application
    program: int
    row: int
    ranks: Int64s
    counts: tuple[int, ...]  # passes of the enclosing loops, outermost first
    index: int  # how many operations a rank has done before it comes here first
    kind: Kind

    @property
    def communicator(self) -> int:
        return int(self.application.programs.communicator[self.row])

    @property
    def times(self) -> int:
        """How often each rank does it."""
        return math.prod(self.counts)

    def first(self, name: str) -> Value:
        """The operand in the first pass: a number, or an array over `ranks`."""
        programs = self.application.programs
        return programs.base(programs.operand(self.row, name), self.ranks)

    def column(self, name: str) -> Int64s:
        """The operand in the first pass, one value per rank."""
        first = self.first(name)
        return np.full(self.ranks.shape, first, np.int64) if isinstance(first, int) else first

    def strides(self, name: str) -> tuple[int, ...]:
        programs = self.application.programs
        strides = [int(stride) for stride in programs.strides(programs.operand(self.row, name))]
        return tuple(strides + [0] * (len(self.counts) - len(strides)))

    def lowest(self, name: str) -> Any:
        return self._moved(name, min)

    def highest(self, name: str) -> Any:
        return self._moved(name, max)

    def _moved(self, name: str, pick: Callable[[int, int], int]) -> Any:
        first = self.first(name)
        steps = zip(self.strides(name), self.counts, strict=True)
        reach = sum(pick(0, stride * (count - 1)) for stride, count in steps)
        furthest = abs(first) if isinstance(first, int) else np.abs(np.asarray(first, float)).max()
        if float(furthest) + abs(reach) < 2.0**62:
            return first + reach
        return np.asarray(first, float) + float(reach)  # integers would wrap round

    def moving(self, *names: str) -> list[int]:
        """The depths of the loops that move any of the operands `names`."""
        by_name = [self.strides(name) for name in names]
        return [depth for depth in range(len(self.counts)) if any(strides[depth] for strides in by_name)]

    def still(self, *names: str) -> int:
        """How often each pass through the loops that move `names` happens."""
        moving = self.moving(*names)
        return math.prod(count for depth, count in enumerate(self.counts) if depth not in moving)

    def passes(self, *names: str) -> Iterator[tuple[Int64s, ...]]:
        """What every pass that moves `names` adds to each of them, in blocks of passes.

        Refuses more than 2^27 passes and ranks together, which nobody could wait for.
        """
        depths = self.moving(*names)
        shape = tuple(self.counts[depth] for depth in depths)
        self.refuse("a peer, tag or size differs in too many iterations of a loop", self._many(shape) > 2**27)
        block = max(1, 2**18 // len(self.ranks))
        for start in range(0, math.prod(shape), block):
            numbers = np.arange(start, min(start + block, math.prod(shape)))
            indices = np.unravel_index(numbers, shape) if shape else ()
            yield tuple(
                sum(
                    (self.strides(name)[depth] * at for depth, at in zip(depths, indices, strict=True)),
                    np.zeros(len(numbers), np.int64),
                )
                for name in names
            )

    def _many(self, shape: tuple[int, ...]) -> int:
        return math.prod(shape) * len(self.ranks) if shape else 0

    def refuse(self, found: str, bad: object = True) -> None:
        """Raise WorkloadError for the first rank where `bad` is true; does nothing when it is true nowhere."""
        if not np.asarray(bad, bool).any():
            return
        where = np.broadcast_to(np.asarray(bad, bool), self.ranks.shape)
        at = int(np.argmax(where))
        message = found.format(**{name: self._shown(name, at) for name in OPERANDS[self.kind]})
        raise WorkloadError(message, at=self.place(int(self.ranks[at])), source=self.application.name)

    def _shown(self, name: str, at: int) -> str:
        """The operand's value for the rank at place `at`, from the lowest to the highest where loops move it."""
        ends = (self.lowest(name), self.highest(name))
        low, high = (int(np.broadcast_to(end, self.ranks.shape)[at]) for end in ends)
        return f"{low}" if low == high else f"{low} to {high}"

    def place(self, rank: int) -> str:
        return f"rank {rank}, operation {self.index} ({self.kind.label})"


def lines(
    application: Application, only: int | None = None, kinds: Collection[Kind] | None = None
) -> Iterator[ProgramLine]:
    """Every row that is an operation and is done at least once, program by program, or of one program.

    With `kinds`, those of other kinds are passed over, which is much quicker.
    """
    programs = application.programs
    kept = None if kinds is None else frozenset(int(kind) for kind in kinds)
    if kept is not None and not np.isin(programs.kind, list(kept)).any():
        return
    kind_of = programs.kind.tolist()
    for program in range(programs.count) if only is None else (only,):
        ranks = programs.ranks_of(program)
        if not len(ranks):
            continue
        counts: list[int] = []
        index, starts = 0, []
        for row in programs.rows_of(program):
            kind = kind_of[row]
            if kind == _LOOP:
                counts.append(int(programs.constant[programs.operand(row, "count")]))
                starts.append(index)
            elif kind == _END:
                index = starts[-1] + (index - starts.pop()) * counts.pop()
            elif 0 not in counts:
                if kept is None or kind in kept:
                    yield ProgramLine(application, program, row, ranks, tuple(counts), index, KINDS[kind])
                index += 1
