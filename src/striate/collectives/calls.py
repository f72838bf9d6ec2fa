"""The collective calls of a program: the distinct ones that all ranks make alike, and what each group calls in turn."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from striate.arrow import distinct
from striate.collectives.choice import Choice
from striate.collectives.registry import FAMILY, PLACED
from striate.collectives.shapes import split
from striate.errors import PredictionError
from striate.workload.application import Application
from striate.workload.kinds import DEFAULT_ALGORITHM, OPERANDS, VARYING, Kind
from striate.workload.program import Int64s
from striate.workload.walk import ProgramLine, lines

OPEN_BYTES = 32  # what the first of a group tells about a file: core/include/striate/programs/program_run.hpp
MOST_CALLS = 2**26  # of one group, spelt out
_MOST_SCHEDULES = 2**16
_MEETINGS = frozenset(kind for kind in Kind if Kind.BARRIER <= kind <= Kind.REDUCE_SCATTER) | {Kind.OPEN}


class Call(NamedTuple):
    """A call as all members make it; `algorithm` is the number of the one it names."""

    kind: Kind
    members: int
    root: int
    bytes: int
    algorithm: int = DEFAULT_ALGORITHM


@dataclass(frozen=True, slots=True, eq=False)
class Chooser:
    """Names the algorithm of a call: its own, or the one that the rules choose."""

    application: Application
    choice: Choice

    def name(self, kind: Kind, members: int, size_bytes: float, algorithm: int) -> str:
        if algorithm != DEFAULT_ALGORITHM:
            return self.application.algorithms[algorithm]
        return self.choice.pick(kind.label, members, size_bytes)

    def is_placed(self, kind: Kind, name: str) -> bool:
        """Whether the schedule depends on which ranks share a node."""
        return is_placed(kind, name) or self.choice.is_plugin(kind.label, name)

    def asked(self, call: Listed, nodes: NDArray[np.integer[Any]] | None) -> Asked | None:
        """How a listed call is made; None where all members say the same and where they run does not matter."""
        members = len(call.group)
        name = self.name(call.kind, members, float(np.mean(call.sizes)), call.algorithm)
        options: dict[str, Any] = {}
        if self.choice.is_plugin(call.kind.label, name):
            options["machine"] = self.choice.machine
        if self.is_placed(call.kind, name):
            options["nodes"] = np.arange(members) if nodes is None else nodes[call.group]
        elif call.kind not in VARYING:
            return None
        place = np.asarray(options.get("nodes", 0)).tobytes()
        return Asked(call.kind.label, members, name, options, (*call.key, name, place))


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A listed call with its algorithm's name and options; calls of equal `key` have equal schedules."""

    kind: str
    members: int
    name: str
    options: dict[str, Any]
    key: tuple[Any, ...]


def is_placed(kind: Kind, name: str) -> bool:
    """Whether the schedule of a built-in algorithm depends on which ranks share a node."""
    return (FAMILY.get(kind.label, kind.label), name) in PLACED


def distinct_calls(application: Application) -> set[Call]:
    """Every call of a kind in which all members say the same, once; opening a file, the first tells the others."""
    found: set[Call] = set()
    for line in lines(application, kinds=_MEETINGS):
        if line.kind is Kind.OPEN:
            sizes = distinct(application.groups(line.communicator).size(line.ranks)).tolist()
            found.update(Call(Kind.BCAST, size, 0, OPEN_BYTES) for size in sizes if size > 1)
        if is_collective(line.kind) and line.kind not in VARYING:
            found.update(_values(line))
            if len(found) > _MOST_SCHEDULES:
                raise PredictionError(
                    f"expected at most {_MOST_SCHEDULES} different collective calls, got more",
                    at=application.name,
                )
    return found


def is_collective(kind: int) -> bool:
    return Kind.BARRIER <= kind <= Kind.REDUCE_SCATTER


def _values(line: ProgramLine) -> Iterator[Call]:
    names = [name for name in ("root", "bytes", "algorithm") if name in OPERANDS[line.kind]]
    members = line.application.groups(line.communicator).size(line.ranks)
    first = np.stack([members, *(line.column(name) for name in names)], axis=1)
    alike = bool((first == first[0]).all())  # as a rule: then a million ranks need no sorting
    distinct = first[:1] if alike else np.unique(first, axis=0)
    for moves in line.passes(*names):
        moved = np.stack([np.zeros_like(moves[0]), *moves], axis=1) if moves else np.zeros((1, 1), np.int64)
        rows = np.unique((distinct[:, None, :] + moved[None, :, :]).reshape(-1, distinct.shape[1]), axis=0)
        for row in rows.tolist():
            value = dict(zip(names, row[1:], strict=True))
            yield Call(line.kind, row[0], value.get("root", 0), value.get("bytes", 0), value["algorithm"])


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """One call of one group with the sizes of all its members: a vector, or a table for alltoallv."""

    kind: Kind
    group: Int64s  # world ranks in order
    root: int
    sizes: Any
    algorithm: int

    @property
    def key(self) -> tuple[Any, ...]:
        return self.kind, len(self.group), self.root, np.asarray(self.sizes).tobytes(), self.algorithm


@dataclass(frozen=True, slots=True, eq=False)
class _Sequence:
    """The calls of one program on one communicator in order: their rows, and the passes of the loops around."""

    row: Int64s
    index: NDArray[np.int64]  # per call and depth
    shape: Int64s  # equal for calls that say the same, rank by rank

    def moved(self, strides: Int64s, call: int) -> int:
        return int((self.index[call, : len(strides)] * strides).sum())


class CallSequences:
    """Spells out, group by group, the calls that only their place tells apart."""

    def __init__(self, application: Application, placed: AbstractSet[Kind]) -> None:
        """Those of kinds whose sizes vary by rank, and of the `placed` kinds, which depend on where ranks run."""
        self._application = application
        found = {
            line.row: line.communicator
            for line in lines(application, kinds=VARYING | placed)
            if is_collective(line.kind)
        }
        self._rows = set(found)
        self.communicators = frozenset(found.values())  # those on which such calls are made
        self._of_program: dict[tuple[int, int], _Sequence] = {}

    def of_groups(self, communicator: int) -> Iterator[tuple[list[Listed], Int64s]]:
        """`of_group` of each group of the communicator in turn."""
        groups = self._application.groups(communicator)
        if communicator not in self.communicators:
            yield from repeat(([], np.empty(0, np.int64)), len(groups.first) - 1)
            return
        for low, high in pairwise(groups.first.tolist()):
            yield self.of_group(communicator, groups.member[low:high])

    def of_group(self, communicator: int, group: Int64s) -> tuple[list[Listed], Int64s]:
        """The different calls of the group's members, and which of them is made when."""
        numbers = distinct(self._application.programs.program_of_rank[group])
        sequences = [self._sequence(int(program), communicator) for program in numbers]
        if len(lengths := sorted({len(sequence.row) for sequence in sequences})) != 1:
            raise PredictionError(
                f"expected all {len(group)} ranks of a communicator to make the same number of collective "
                f"calls, got {lengths[0]} calls on some ranks and {lengths[-1]} calls on others",
                at=self._application.name,
            )
        shapes = np.stack([sequence.shape for sequence in sequences])
        _, calls, order = np.unique(shapes, axis=1, return_index=True, return_inverse=True)
        by_program = dict(zip(numbers.tolist(), sequences, strict=True))
        return [self._listed(group, by_program, int(call)) for call in calls], order.ravel().astype(np.int64)

    def _sequence(self, program: int, communicator: int) -> _Sequence:
        key = program, communicator
        if key not in self._of_program:
            self._of_program[key] = self._spelt_out(program, communicator)
        return self._of_program[key]

    def _spelt_out(self, program: int, communicator: int) -> _Sequence:
        programs = self._application.programs
        stack: list[list[tuple[Int64s, NDArray[np.int64]]]] = [[]]
        counts: list[int] = []
        depth = _deepest(programs.kind[programs.rows_of(program)])
        for row in programs.rows_of(program):
            kind = programs.kind[row]
            if kind == Kind.LOOP:
                counts.append(int(programs.constant[programs.operand(row, "count")]))
                stack.append([])
            elif kind == Kind.END:
                body = stack.pop()
                count = counts.pop()
                if body:
                    stack[-1].append(_repeated(body, count, len(counts), self._application.name))
            elif row in self._rows and programs.communicator[row] == communicator:
                stack[-1].append((np.array([row]), np.zeros((1, depth), np.int64)))
        rows, index = _joined(stack[0], depth)
        return _Sequence(rows, index, self._shapes(rows, index))

    def _shapes(self, rows: Int64s, index: NDArray[np.int64]) -> Int64s:
        """Calls of one row differ where a loop moves their root or sizes."""
        programs = self._application.programs
        moved = np.zeros((len(rows), 3), np.int64)
        for row in distinct(rows).tolist():
            kind, mine = Kind(int(programs.kind[row])), rows == row
            for at, name in enumerate(("bytes", "root", "counts")):
                if name in OPERANDS[kind]:
                    strides = programs.strides(programs.operand(row, name))
                    moved[mine, at] = index[mine, : len(strides)] @ strides
        _, shape = np.unique(np.column_stack([rows, moved]), axis=0, return_inverse=True)
        return np.asarray(shape, np.int64).ravel()

    def _listed(self, group: Int64s, sequences: dict[int, _Sequence], call: int) -> Listed:
        programs = self._application.programs
        kind = Kind(int(programs.kind[next(iter(sequences.values())).row[call]]))
        value = {name: self._column(group, sequences, call, name) for name in OPERANDS[kind]}
        root = int(value["root"][0]) if "root" in value else 0
        return Listed(kind, group, root, self._sizes(kind, group, value), int(value["algorithm"][0]))

    def _column(self, group: Int64s, sequences: dict[int, _Sequence], call: int, name: str) -> Int64s:
        """An operand of all members in one call."""
        programs = self._application.programs
        numbers = programs.program_of_rank[group]
        column = np.empty(len(group), np.int64)
        for program, sequence in sequences.items():
            mine = numbers == program
            operand = programs.operand(int(sequence.row[call]), name)
            column[mine] = programs.base(operand, group[mine]) + sequence.moved(
                programs.strides(operand), call
            )
        return column

    def _sizes(self, kind: Kind, group: Int64s, value: dict[str, Int64s]) -> Any:
        counts = self._application.counts
        if kind is Kind.ALLTOALLV:
            return np.stack(
                [
                    counts[number][rank, : len(group)]
                    for number, rank in zip(value["counts"].tolist(), group.tolist(), strict=True)
                ]
            )
        if kind is Kind.REDUCE_SCATTER:
            number = int(value["counts"][0])
            if number < 0:
                return split(int(value["bytes"][0]), len(group))
            return counts[number][int(group[0]), : len(group)]
        return value["bytes"] if kind in VARYING else np.int64(value["bytes"][0])


def _deepest(kinds: NDArray[np.uint8]) -> int:
    depth = np.cumsum((kinds == Kind.LOOP).astype(np.int64) - (kinds == Kind.END))
    return int(depth.max(initial=0))


def _joined(parts: list[tuple[Int64s, NDArray[np.int64]]], depth: int) -> tuple[Int64s, NDArray[np.int64]]:
    if not parts:
        return np.empty(0, np.int64), np.empty((0, depth), np.int64)
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([index for _, index in parts])


def _repeated(
    body: list[tuple[Int64s, NDArray[np.int64]]], count: int, depth: int, source: str
) -> tuple[Int64s, NDArray[np.int64]]:
    rows, index = _joined(body, body[0][1].shape[1])
    if len(rows) * count > MOST_CALLS:
        raise PredictionError(
            f"expected at most {MOST_CALLS} collective calls whose sizes may differ between ranks, "
            f"got {len(rows) * count}",
            at=source,
        )
    whole = np.tile(index, (count, 1))
    whole[:, depth] = np.repeat(np.arange(count), len(rows))
    return np.tile(rows, count), whole
