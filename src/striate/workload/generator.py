"""Workloads from generator programs: a Python function per rank that yields its operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from striate.errors import WorkloadError
from striate.layout.extent_lists import ExtentNumbers
from striate.layout.extents import Extents
from striate.workload.application import Application, File, communicator_table, expect_ranks
from striate.workload.calls.operation import PENDING, Operation, Several
from striate.workload.calls.requests import RequestSlots
from striate.workload.fold import Folder, Leaf, Loop, Node
from striate.workload.kinds import OPERANDS, Kind
from striate.workload.program import Int64s, Operand, ProgramWriter, Row


@dataclass(frozen=True, slots=True)
class Repeated:
    """`count` passes of blocking operations, told by the first two of them: what moves goes on moving alike."""

    first: tuple[Operation, ...]
    second: tuple[Operation, ...]
    count: int


Program = Callable[[int, int], Iterable[Operation | Several | Repeated]]
_FREE = ("offset", "file", "tag")  # operands that may move by a stride from pass to pass
_FREE_AT = {
    kind: tuple(i for i, name in enumerate(names) if name in _FREE) for kind, names in OPERANDS.items()
}


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
    folded = []
    for rank in range(ranks):
        try:
            folded.append(_fold(_begun(program, rank, ranks), names, numbers, rank, ranks, folds))
        except WorkloadError as error:
            raise WorkloadError(error.message, at=error.at or f"rank {rank}", source=name) from None
        except Exception as error:
            error.add_note(f"in the program {name!r}, as rank {rank} of {ranks}")
            raise
    programs = _merge(folded, ranks)
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
            f"expected program(rank, ranks) to yield operations, it returned {operations!r:.60}"
        )
    return operations


def _matrix(rows: dict[int, np.ndarray[Any, Any]], ranks: int) -> np.ndarray[Any, Any]:
    matrix = np.zeros((ranks, ranks), np.int64)
    for rank, row in rows.items():
        matrix[rank, : len(row)] = row
    return matrix


def _fold(
    operations: Iterable[Operation | Several | Repeated],
    names: _Names,
    numbers: Mapping[str, int],
    rank: int,
    ranks: int,
    folds: bool,
) -> list[Node]:
    folder, requests, rows = Folder(), RequestSlots(), dict[bytes, int]()

    def leaves(operation: Operation) -> Iterator[Leaf]:
        if operation.communicator not in numbers:
            raise WorkloadError(f"no communicator {operation.communicator!r}; there are {', '.join(numbers)}")
        counts = operation.operands[1] if "counts" in OPERANDS[operation.kind] else None
        row = _note_counts(names, counts, rows, rank, ranks) if isinstance(counts, np.ndarray) else 0
        for kind, values in _with_requests(operation, names.resolve(operation, row), requests):
            free_at = _FREE_AT[kind]
            free = tuple(values[i] for i in free_at)
            fixed = tuple(0 if i in free_at else value for i, value in enumerate(values))
            yield Leaf((kind, numbers[operation.communicator], fixed), free)

    for index, item in enumerate(_checked(operations)):
        try:
            if isinstance(item, Repeated):
                first, second = (
                    [leaf for one in part for leaf in leaves(one)] for part in (item.first, item.second)
                )
                folder.add_loop(first, second, item.count)
                continue
            found = list(leaves(item))
        except WorkloadError as error:
            kind = item.first[0].kind if isinstance(item, Repeated) else item.kind
            raise WorkloadError(error.message, at=f"rank {rank}, operation {index} ({kind.label})") from None
        if not folds:
            folder.nodes.extend(found)
            continue
        for leaf in found:
            folder.add(leaf.shape, leaf.free)
    return folder.nodes


def _checked(operations: Iterable[Operation | Several | Repeated]) -> Iterator[Operation | Repeated]:
    for index, operation in enumerate(operations):
        if isinstance(operation, Several):
            yield from operation
            continue
        if not isinstance(operation, Operation | Repeated):
            raise WorkloadError(
                f"expected an operation such as compute('1 ms'), got {operation!r:.60} as number {index}"
            )
        yield operation


def _note_counts(names: _Names, row: Int64s, seen: dict[bytes, int], rank: int, ranks: int) -> int:
    """The number of `row` among the different rows of this rank, so that a repeated call can be folded."""
    if len(row) > ranks:
        raise WorkloadError(f"expected at most {ranks} sizes, got {len(row)}")
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


def _merge(folded: list[list[Node]], ranks: int) -> Any:
    """Ranks whose operations have one shape share a program; what differs becomes a value a rank."""
    members: dict[tuple[Any, ...], list[int]] = {}
    for rank, nodes in enumerate(folded):
        key = tuple(_skeleton(node) for node in nodes)
        members.setdefault(key, []).append(rank)
    writer = ProgramWriter(ranks)
    for ranks_of_one in members.values():
        leaves = [list(_leaves(folded[rank], ())) for rank in ranks_of_one]
        rows = [_row(column) for column in zip(*leaves, strict=True)]
        writer.add_program(rows, np.array(ranks_of_one, np.int64))
    return writer.table()


def _skeleton(node: Node) -> tuple[Any, ...]:
    """Kinds, communicators and loops: what ranks must share to share a program."""
    if isinstance(node, Leaf):
        return tuple(node.shape[:2])
    if _is_pair(node):
        return ("pair", _skeleton(node.body[0]))
    return ("loop", node.count, node.strides, tuple(_skeleton(inner) for inner in node.body))


def _is_pair(loop: Loop) -> bool:
    """Two passes of one operation read better as two lines, and their stride need not be shared by ranks."""
    return loop.count == 2 and len(loop.body) == 1 and isinstance(loop.body[0], Leaf)


def _leaves(nodes: list[Node], strides: tuple[tuple[int, ...], ...]) -> Iterator[tuple[Any, ...]]:
    """Rows in order: (kind, communicator, values, strides of each value by loop, outermost first)."""
    at = 0
    for node in nodes:
        width = len(node.free)
        mine = tuple(level[at : at + width] for level in strides)
        at += width
        if isinstance(node, Loop):
            if _is_pair(node):
                yield from _leaves(node.body, mine)
                yield from _leaves(_moved(node.body, node.strides), mine)
                continue
            yield (Kind.LOOP, -1, (node.count,), ())
            yield from _leaves(node.body, (*mine, node.strides))
            yield (Kind.END, -1, (), ())
        else:
            kind, communicator, fixed = node.shape
            yield (kind, communicator, _full(kind, fixed, node.free), mine)


def _moved(body: list[Node], strides: tuple[int, ...]) -> list[Node]:
    (node,) = body
    return [Leaf(node.shape, tuple(value + stride for value, stride in zip(node.free, strides, strict=True)))]


def _full(kind: Kind, fixed: tuple[int, ...], free: tuple[int, ...]) -> tuple[int, ...]:
    values = list(fixed)
    for at, value in zip(_FREE_AT[kind], free, strict=True):
        values[at] = value
    return tuple(values)


def _row(same_place: tuple[tuple[Any, ...], ...]) -> Row:
    """One row of the shared program from the same place in every rank's operations."""
    kind, communicator, first_values, strides = same_place[0]
    operands = []
    for at in range(len(first_values)):
        steps = tuple(_stride_of(kind, level, at) for level in strides)
        column = np.array([leaf[2][at] for leaf in same_place], np.int64)
        operands.append(Operand(column if len(column) > 1 else int(column[0]), steps))
    return Row(kind, communicator, operands)


def _stride_of(kind: Kind, level: tuple[int, ...], at: int) -> int:
    free_at = _FREE_AT[kind]
    return level[free_at.index(at)] if at in free_at else 0
