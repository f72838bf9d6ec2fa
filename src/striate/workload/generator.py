"""Workloads from generator programs: a Python function per rank that yields its operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from striate._core import Folder
from striate.errors import WorkloadError
from striate.layout.extent_lists import ExtentNumbers
from striate.layout.extents import Extents
from striate.workload.application import Application, File, communicator_table, expect_ranks
from striate.workload.calls.operation import PENDING, Operation, Several
from striate.workload.calls.requests import RequestSlots
from striate.workload.kinds import OPERANDS, Kind
from striate.workload.program import Int64s
from striate.workload.transforms.fold import FREE_AT, ShapeNumbers, shared_programs


@dataclass(frozen=True, slots=True)
class Repeated:
    """`count` passes of blocking operations, told by the first two of them: what moves goes on moving alike."""

    first: tuple[Operation, ...]
    second: tuple[Operation, ...]
    count: int


Program = Callable[[int, int], Iterable[Operation | Several | Repeated]]


class _Names:
    """Numbers for names, extents and counts, in order of first use."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}
        self.regions: dict[str, int] = {}
        self.extents = ExtentNumbers()
        self.algorithms: dict[str, int] = {}
        self.counts: list[dict[int, np.ndarray[Any, Any]]] = []

    def resolve(self, operation: Operation, counts_row: int) -> tuple[int, ...]:
        """The operands as numbers; the request is left for the caller."""
        values = []
        for name, value in zip(OPERANDS[operation.kind], operation.operands, strict=True):
            if value is PENDING:
                values.append(0)
            elif name == "file":
                values.append(self.files.setdefault(str(value), len(self.files)))
            elif name == "region":
                values.append(self.regions.setdefault(str(value), len(self.regions)))
            elif name == "extents" and isinstance(value, Extents):
                values.append(self.extents.number(value))
            elif name == "algorithm" and isinstance(value, str):
                values.append(self.algorithms.setdefault(value, len(self.algorithms)))
            elif name == "counts" and isinstance(value, np.ndarray):
                values.append(counts_row)
            else:
                values.append(_whole(value, name, operation.kind))
        return tuple(values)


def _whole(value: Any, name: str, kind: Kind) -> int:
    if isinstance(value, int | np.integer) and abs(int(value)) < 2**63:
        return int(value)
    raise WorkloadError(f"expected a whole number below 2^63 as {name} of {kind.label}, got {value!r:.60}")


def application_of(
    program: Program,
    *,
    ranks: int,
    name: str,
    communicators: Mapping[str, object],
    files: Iterable[str] = (),
    folds: bool = True,
) -> Application:
    """Run the generator of every rank once and fold what it yields; refuses anything but operations.

    `files` are numbered first, in this order; others in the order of their first use. Without `folds` no repetition is
    looked for: times that were measured are all different.
    """
    expect_ranks(ranks)
    table = communicator_table(communicators, ranks)
    numbers = {communicator.name: number for number, communicator in enumerate(table)}
    names = _Names()
    names.files.update((file, number) for number, file in enumerate(dict.fromkeys(files)))
    shapes, folded = ShapeNumbers(), []
    for rank in range(ranks):
        folder = Folder(folds)
        try:
            _fold(_begun(program, rank, ranks), _Folding(folder, shapes, names, numbers, rank, ranks))
        except WorkloadError as error:
            raise WorkloadError(error.message, at=error.at or f"rank {rank}", source=name) from None
        except Exception as error:
            error.add_note(f"in the program {name!r}, as rank {rank} of {ranks}")
            raise
        folded.append(folder.rows())
    programs = shared_programs(shapes.shapes(), folded)
    return Application(
        name,
        programs,
        table,
        tuple(File(file, number) for file, number in names.files.items()),
        tuple(names.regions),
        names.extents.lists(),
        tuple(_matrix(rows, ranks) for rows in names.counts),
        tuple(names.algorithms),
    )


def _begun(program: Program, rank: int, ranks: int) -> Iterable[Operation | Several | Repeated]:
    if not callable(program):
        raise WorkloadError(f"expected a function program(rank, ranks), got {program!r:.60}")
    operations = program(rank, ranks)
    if not isinstance(operations, Iterable):
        raise WorkloadError(
            f"expected program(rank, ranks) to yield operations, got the return value {operations!r:.60}"
        )
    return operations


def _matrix(rows: dict[int, np.ndarray[Any, Any]], ranks: int) -> np.ndarray[Any, Any]:
    matrix = np.zeros((ranks, ranks), np.int64)
    for rank, row in rows.items():
        matrix[rank, : len(row)] = row
    return matrix


@dataclass(frozen=True, slots=True, eq=False)
class _Folding:
    """What one rank's operations are folded with."""

    folder: Folder
    shapes: ShapeNumbers
    names: _Names
    numbers: Mapping[str, int]  # of communicators
    rank: int
    ranks: int


def _fold(operations: Iterable[Operation | Several | Repeated], into: _Folding) -> None:
    names, numbers, folder = into.names, into.numbers, into.folder
    requests, rows = RequestSlots(), dict[bytes, int]()

    def leaves(operation: Operation) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The shape and the free values of every row."""
        if operation.communicator not in numbers:
            known = ", ".join(numbers)
            raise WorkloadError(
                f"expected one of the program's communicators ({known}), got {operation.communicator!r}"
            )
        counts = operation.operands[1] if "counts" in OPERANDS[operation.kind] else None
        row = (
            _note_counts(names, counts, rows, into.rank, into.ranks) if isinstance(counts, np.ndarray) else 0
        )
        for kind, values in _with_requests(operation, names.resolve(operation, row), requests):
            free_at = FREE_AT[kind]
            free = tuple([values[i] for i in free_at])
            fixed = tuple([0 if i in free_at else value for i, value in enumerate(values)])
            yield into.shapes.number(kind, numbers[operation.communicator], fixed), free

    for index, item in enumerate(_checked(operations)):
        try:
            if isinstance(item, Repeated):
                first, second = (
                    [leaf for one in part for leaf in leaves(one)] for part in (item.first, item.second)
                )
                _add_loop(folder, first, second, item.count)
                continue
            for shape, free in list(leaves(item)):
                folder.add(shape, free)
        except WorkloadError as error:
            kind = item.first[0].kind if isinstance(item, Repeated) else item.kind
            raise WorkloadError(
                error.message, at=f"rank {into.rank}, operation {index} ({kind.label})"
            ) from None


def _add_loop(
    folder: Folder,
    first: list[tuple[int, tuple[int, ...]]],
    second: list[tuple[int, tuple[int, ...]]],
    count: int,
) -> None:
    folder.add_loop(
        [shape for shape, _ in first],
        [len(free) for _, free in first],
        [value for _, free in first for value in free],
        [value for _, free in second for value in free],
        count,
    )


def _checked(operations: Iterable[Operation | Several | Repeated]) -> Iterator[Operation | Repeated]:
    for index, operation in enumerate(operations):
        if isinstance(operation, Several):
            yield from operation
            continue
        if not isinstance(operation, Operation | Repeated):
            raise WorkloadError(
                f"expected an operation such as compute('1 ms'), got {operation!r:.60} as operation {index}"
            )
        yield operation


def _note_counts(names: _Names, row: Int64s, seen: dict[bytes, int], rank: int, ranks: int) -> int:
    """The number of `row` among the different rows of this rank, so that a repeated call can be folded."""
    if len(row) > ranks:
        raise WorkloadError(f"expected at most {ranks} message sizes, one per rank, got {len(row)}")
    number = seen.setdefault(row.tobytes(), len(seen))
    if number == len(names.counts):
        names.counts.append({})
    names.counts[number][rank] = row
    return number


def _with_requests(
    operation: Operation, values: tuple[int, ...], requests: RequestSlots
) -> list[tuple[Kind, tuple[int, ...]]]:
    """The rows of an operation, with the slots of what it begins, awaits or asks for."""
    if operation.kind is Kind.WAIT:
        slots = [requests.finish(awaited) for awaited in operation.awaited]
        return [(Kind.WAIT, (slot,)) for slot in slots if slot is not None]
    if operation.kind is Kind.TEST:
        return [(Kind.TEST, (requests.in_flight(asked),)) for asked in operation.awaited]
    if operation.kind is Kind.WAITANY:
        offered = requests.offer(operation.awaited, waits=values[0] > 0)
        return [*((Kind.OFFER, one) for one in offered), (Kind.WAITANY, values)]
    if operation.kind is Kind.WAITALL:
        requests.finish_all()
    if operation.is_pending:
        return [(operation.kind, (*values[:-1], requests.begin(operation)))]
    return [(operation.kind, values)]
