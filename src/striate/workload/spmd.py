"""The SPMD form: an operation is written once for all ranks, and a repeated block stays a block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from striate.errors import WorkloadError
from striate.layout.extent_lists import ExtentLists
from striate.layout.extents import Extents
from striate.layout.layout import Layout
from striate.workload import operations
from striate.workload.affine import Affine
from striate.workload.application import (
    Application,
    File,
    collective_text,
    communicator_table,
    expect_ranks,
    layout_text,
)
from striate.workload.calls.operation import Operation, Several
from striate.workload.calls.requests import RequestSlots
from striate.workload.kinds import NO_PEER, OPERANDS, Kind
from striate.workload.program import Int64s, Operand, ProgramWriter, Row

if TYPE_CHECKING:
    from striate.workload.workload import Workload

Mask = NDArray[np.bool_]


class Spmd:
    """Writes one program for many ranks; `rank` is the array of rank numbers, `workload()` the result.

    >>> body = Spmd(ranks=1_000_000)
    >>> with body.repeat(100) as step:
    ...     body.compute("12 ms")
    ...     body.write("checkpoint", offset=(step * body.ranks + body.rank) * MiB, size=MiB)
    """

    def __init__(
        self, ranks: int, *, name: str = "program", communicators: Mapping[str, object] | None = None
    ) -> None:
        expect_ranks(ranks)
        self.ranks = ranks
        self.name = name
        self.rank: Int64s = np.arange(ranks, dtype=np.int64)
        self.rank.setflags(write=False)
        self._communicators = communicator_table(communicators or {}, ranks)
        self._number = {communicator.name: i for i, communicator in enumerate(self._communicators)}
        self._rows: list[tuple[Row, Mask | None]] = []
        self._loops: list[int] = []  # the loops around the next row, outermost first
        self._loop_count = 0
        self._mask: Mask | None = None
        self._files: dict[str, File] = {}
        self._regions: dict[str, int] = {}
        self._extents: list[Extents] = []
        self._counts: list[Int64s] = []
        self._algorithms: dict[str, int] = {}
        self._requests = RequestSlots()
        self._begun: dict[int, tuple[Operation, Mask | None]] = {}  # what some of the ranks have in flight

    @contextmanager
    def repeat(self, count: int) -> Iterator[Affine]:
        """Repeat the block `count` times; the value it yields is the pass, to be used in offsets and tags."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 0 <= count < 2**63:
            raise WorkloadError(
                f"expected a whole number of repeats from 0 on, got {count!r:.60}", at=self._here()
            )
        self._append(Row(Kind.LOOP, -1, [Operand(int(count))]))
        loop, self._loop_count = self._loop_count, self._loop_count + 1
        self._loops.append(loop)
        yield Affine(0, ((loop, 1),))
        self._loops.pop()
        self._append(Row(Kind.END, -1, []))

    @contextmanager
    def only(self, ranks: Mask) -> Iterator[None]:
        """The block is for those ranks only, given by a condition such as `body.rank > 0`."""
        mask = np.asarray(ranks)
        if mask.dtype != np.bool_ or mask.shape != (self.ranks,):
            raise WorkloadError(
                f"expected {self.ranks} booleans, one per rank, such as `body.rank > 0`, got {ranks!r:.60}",
                at=self._here(),
            )
        outer = self._mask
        self._mask = mask if outer is None else outer & mask
        yield
        self._mask = outer

    @contextmanager
    def region(self, name: str) -> Iterator[None]:
        """Name the block."""
        self.add(operations.region_begin(name))
        yield
        self.add(operations.region_end(name))

    def files(
        self,
        name: str,
        *,
        layout: Layout | str | None = None,
        collective: str | None = None,
        per_rank: bool = False,
        count: int = 1,
    ) -> File:
        """Declare a file, or one file per rank (`{}` in the name stands for the rank), with a layout of its own.

        `count` files are named by their numbers from `first` on, which may move with loops: `files.first + step`.

        `collective` says how collective calls access it: `"two-phase:nodes:16MiB"`.
        """
        if name in self._files:
            raise WorkloadError(f"expected every file name once, got {name!r} twice", at=self._here())
        first = sum(file.count for file in self._files.values())
        count = self.ranks if per_rank else count
        if not 1 <= count < 2**62 - first:
            raise WorkloadError(f"expected 1 to 2^62 files, got {count!r:.60}", at=self._here())
        described = layout_text(layout, name), collective_text(collective, name)
        self._files[name] = File(name, first, count, *described)
        return self._files[name]

    def add(self, operation: Operation | Several) -> Operation | Several:
        """Append one operation, or those that make up a call; the verbs below are short for this."""
        for one in operation if isinstance(operation, Several) else (operation,):
            self._add(one, self._there(one) if isinstance(operation, Several) else None)
        return operation

    def _there(self, operation: Operation) -> Mask | None:
        """Which ranks have the peer of a part of a call; None: all of them."""
        peer = operation.operands[0] if "peer" in OPERANDS[operation.kind][:1] else None
        there = peer != NO_PEER if isinstance(peer, np.ndarray) else None
        return None if there is None or there.all() else there

    def _add(self, operation: Operation, mask: Mask | None) -> None:
        if operation.communicator not in self._number:
            known = ", ".join(self._number)
            raise WorkloadError(
                f"expected one of the program's communicators ({known}), got {operation.communicator!r}",
                at=self._here(),
            )
        number = self._number[operation.communicator]
        try:
            if operation.awaited:
                self._await(operation, number)
                return
            if operation.kind is Kind.WAITALL:
                self._requests.finish_all()
            names = OPERANDS[operation.kind]
            values = [
                self._resolved(name, value) for name, value in zip(names, operation.operands, strict=True)
            ]
            if operation.is_pending:
                values[-1] = self._requests.begin(operation)
        except WorkloadError as error:
            raise WorkloadError(error.message, at=error.at or self._here()) from None
        if operation.is_pending and mask is not None:
            self._begun[id(operation)] = (operation, mask)
        operands = [self._operand(*pair) for pair in zip(names, values, strict=True)]
        self._append(Row(operation.kind, number, operands), mask)

    def _await(self, operation: Operation, number: int) -> None:
        """Rows that wait for operations or ask about them, of the ranks that have begun them."""
        if operation.kind is Kind.WAITANY:
            least, most = operation.operands
            for offered in self._requests.offer(operation.awaited, waits=least > 0):
                self._append(Row(Kind.OFFER, number, [Operand(value) for value in offered]))
            self._append(Row(Kind.WAITANY, number, [Operand(least), Operand(most)]))
            return
        slot_of = self._requests.finish if operation.kind is Kind.WAIT else self._requests.in_flight
        for awaited in operation.awaited:
            slot = slot_of(awaited)
            if slot is not None:
                _, mask = self._begun.get(id(awaited), (awaited, None))
                self._append(Row(operation.kind, number, [Operand(slot)]), mask)

    def __getattr__(self, verb: str) -> Any:
        """Every verb of `striate.workload.operations` as a method: `body.compute("12 ms")`."""
        make = getattr(operations, verb, None)
        if verb.startswith("_") or verb not in VERBS or make is None:
            raise AttributeError(
                f"a program has no operation {verb!r}; the operations are {', '.join(sorted(VERBS))}"
            )
        return lambda *values, **options: self.add(make(*values, **options))

    def application(self) -> Application:
        """The finished application."""
        if self._loops:
            raise WorkloadError("expected the end of every repeated block, found an open block")
        writer = ProgramWriter(self.ranks)
        for members, rows in self._programs():
            writer.add_program(rows, members)
        extents = ExtentLists.of(self._extents)
        return Application(
            self.name,
            writer.table(),
            self._communicators,
            tuple(self._files.values()),
            tuple(self._regions),
            extents,
            tuple(self._counts),
            tuple(self._algorithms),
        )

    def workload(self) -> Workload:
        """The finished workload of this one application."""
        from striate.workload.workload import Workload

        return Workload((self.application(),))

    def _programs(self) -> Iterator[tuple[Int64s | None, list[Row]]]:
        """Ranks that are in the same blocks share a program."""
        masks = {id(mask): mask for _, mask in self._rows if mask is not None}
        if not masks:
            yield None, [row for row, _ in self._rows]
            return
        group = np.zeros(self.ranks, np.int64)
        for mask in masks.values():
            group = np.unique(group * 2 + mask, return_inverse=True)[1]
        for number in range(int(group.max()) + 1):
            members = np.flatnonzero(group == number)
            yield (
                members,
                [_for_members(row, members) for row, mask in self._rows if mask is None or mask[members[0]]],
            )

    def _append(self, row: Row, mask: Mask | None = None) -> None:
        """Append a row of the ranks of the blocks around it, or of those of `mask` among them."""
        both = self._mask if mask is None else mask if self._mask is None else self._mask & mask
        self._rows.append((row, both))

    def _resolved(self, name: str, value: Any) -> Any:
        if name == "file":
            if isinstance(value, File):
                if value.count not in (1, self.ranks):
                    raise WorkloadError(
                        f"expected one of the {value.count} files {value.name!r:.60}, such as files.first, "
                        "got all of them",
                        at=self._here(),
                    )
                return value.first if value.count == 1 else value.first + self.rank
            if isinstance(value, np.ndarray | Affine):  # numbers of files
                return value
            return self._files[value].first if value in self._files else self.files(str(value)).first
        if name == "region":
            return self._regions.setdefault(str(value), len(self._regions))
        if name == "algorithm" and isinstance(value, str):
            return self._algorithms.setdefault(value, len(self._algorithms))
        if name == "extents" and isinstance(value, Extents):
            self._extents.append(value)
            return len(self._extents) - 1
        if name == "counts" and isinstance(value, np.ndarray):
            if len(value) > self.ranks:
                raise WorkloadError(
                    f"expected at most {self.ranks} message sizes, one per rank, got {len(value)}",
                    at=self._here(),
                )
            row = np.zeros(self.ranks, np.int64)
            row[: len(value)] = value
            self._counts.append(np.broadcast_to(row, (self.ranks, self.ranks)))
            return len(self._counts) - 1
        return value

    def _operand(self, name: str, value: Any) -> Operand:
        strides: tuple[int, ...] = ()
        if isinstance(value, Affine):
            by_loop = dict(value.strides)
            if set(by_loop) - set(self._loops):
                raise WorkloadError(
                    f"the {name} of an operation uses the iteration number of a loop that has ended",
                    at=self._here(),
                )
            strides = tuple(by_loop.get(loop, 0) for loop in self._loops)
            if any(abs(stride) >= 2**63 for stride in strides):
                raise WorkloadError(
                    f"expected {name} to change by less than 2^63 per iteration of a loop", at=self._here()
                )
            value = value.base
        if isinstance(value, np.ndarray):
            if value.shape != (self.ranks,) or not np.issubdtype(value.dtype, np.integer):
                found = f"{value.dtype} of shape {value.shape}"
                raise WorkloadError(
                    f"expected {self.ranks} whole numbers, one per rank, as {name}, got {found}",
                    at=self._here(),
                )
            return Operand(value.astype(np.int64), strides)
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or abs(int(value)) >= 2**63:
            raise WorkloadError(
                f"expected a whole number or an array as {name}, got {value!r:.60}", at=self._here()
            )
        return Operand(int(value), strides)

    def _here(self) -> str:
        return f"row {len(self._rows)}"


VERBS = frozenset(name for name in operations.__all__ if name.islower() and name != "cartesian_neighbors")


def _for_members(row: Row, members: Int64s) -> Row:
    operands = [
        Operand(
            operand.base[members] if isinstance(operand.base, np.ndarray) else operand.base, operand.strides
        )
        for operand in row.operands
    ]
    return Row(row.kind, row.communicator, operands)
