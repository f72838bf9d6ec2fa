"""The rhythm of a program: how many bursts of computation and of I/O it goes through, loops kept as loops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from striate.workload.kinds import ACCESSES, KINDS, REMOTE_ACCESSES, Kind
from striate.workload.program import ProgramTable

COMPUTE, COMMUNICATE, ACCESS = range(3)
_LOOP, _END = int(Kind.LOOP), int(Kind.END)


def activity(kind: Kind) -> int | None:
    """What an operation counts as; None for waiting, opening, closing and marking."""
    if kind is Kind.COMPUTE:
        return COMPUTE
    if kind in ACCESSES:
        return ACCESS
    sends = Kind.SEND <= kind <= Kind.SENDRECV or kind in REMOTE_ACCESSES
    communicates = sends or Kind.BARRIER <= kind <= Kind.REDUCE_SCATTER
    return COMMUNICATE if communicates else None


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Runs of equal activity in a stretch of operations; the first and last may join their neighbours."""

    first: int | None = None
    last: int | None = None
    runs: tuple[int, int, int] = (0, 0, 0)

    @classmethod
    def of(cls, kind: Kind) -> Rhythm:
        return cls.of_stretch((kind,))

    @classmethod
    def of_stretch(cls, kinds: Iterable[int]) -> Rhythm:
        """Single operations, one after the other."""
        runs = [0, 0, 0]
        first = last = None
        for kind in kinds:
            found = _ACTIVITIES[kind]
            if found is None or found == last:
                continue
            runs[found] += 1
            first, last = found if first is None else first, found
        return cls(first, last, (runs[0], runs[1], runs[2]))

    def then(self, other: Rhythm) -> Rhythm:
        """One stretch after another."""
        if self.first is None or other.first is None:
            return other if self.first is None else self
        runs = [mine + theirs for mine, theirs in zip(self.runs, other.runs, strict=True)]
        if self.last == other.first:
            runs[other.first] -= 1
        return Rhythm(self.first, other.last, (runs[0], runs[1], runs[2]))

    def repeated(self, times: int) -> Rhythm:
        """The stretch `times` over, without walking it that often."""
        if times == 0 or self.first is None:
            return Rhythm()
        runs = [times * count for count in self.runs]
        if self.first == self.last:
            runs[self.first] -= times - 1
        return Rhythm(self.first, self.last, (runs[0], runs[1], runs[2]))

    @property
    def io_bursts(self) -> int:
        return self.runs[ACCESS]

    @property
    def computation_bursts(self) -> int:
        """Runs of computing, each with the communication after it; or those of communication where there are none."""
        return self.runs[COMPUTE] or self.runs[COMMUNICATE]


_ACTIVITIES = tuple(activity(kind) for kind in KINDS)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows of a program that belong to one phase, and their rhythm."""

    rows: range
    rhythm: Rhythm


def phases_of(programs: ProgramTable, program: int) -> list[Stretch]:
    """A phase per outermost loop that does I/O; what stands between goes with the loop after it.

    A program without such a loop, or with one, is one phase.
    """
    found: list[Stretch] = []
    begin, rhythm = programs.rows_of(program).start, Rhythm()
    kinds = _Kinds.of(programs, program)
    for block in _outermost(programs, kinds):
        rhythm = rhythm.then(block.rhythm)
        if kinds.at(block.rows.start) == _LOOP and block.rhythm.io_bursts:
            found.append(Stretch(range(begin, block.rows.stop), rhythm))
            begin, rhythm = block.rows.stop, Rhythm()
    end = programs.rows_of(program).stop
    if found and begin < end:
        last = found.pop()
        return [*found, Stretch(range(last.rows.start, end), last.rhythm.then(rhythm))]
    return found or [Stretch(programs.rows_of(program), rhythm)]


@dataclass(frozen=True, slots=True)
class _Kinds:
    """Kinds of a program's rows as plain numbers: looking one up in an array is slow."""

    rows: range
    numbers: list[int]

    @classmethod
    def of(cls, programs: ProgramTable, program: int) -> _Kinds:
        rows = programs.rows_of(program)
        return cls(rows, programs.kind[rows.start : rows.stop].tolist())

    def at(self, row: int) -> int:
        return self.numbers[row - self.rows.start]

    def single(self, row: int) -> list[int]:
        """Operations from `row` on, up to a loop's begin or end."""
        first = row - self.rows.start
        marks = (at for at in range(first, len(self.numbers)) if self.numbers[at] in (_LOOP, _END))
        return self.numbers[first : next(marks, len(self.numbers))]


def _outermost(programs: ProgramTable, kinds: _Kinds) -> list[Stretch]:
    """Whole loops and the operations between them, in order."""
    blocks = []
    row = kinds.rows.start
    while row < kinds.rows.stop:
        rhythm, following = _block(programs, kinds, row)
        blocks.append(Stretch(range(row, following), rhythm))
        row = following
    return blocks


def _block(programs: ProgramTable, kinds: _Kinds, row: int) -> tuple[Rhythm, int]:
    """The loop, or the operations up to one, that begin at `row`, and the row after them."""
    if kinds.at(row) != _LOOP:
        single = kinds.single(row)
        return Rhythm.of_stretch(single), row + len(single)
    times = int(programs.constant[programs.operand(row, "count")])
    inside, row = Rhythm(), row + 1
    while kinds.at(row) != _END:
        rhythm, row = _block(programs, kinds, row)
        inside = inside.then(rhythm)
    return inside.repeated(times), row + 1
