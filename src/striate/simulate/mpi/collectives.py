"""Collective calls on buffers: blocking (`Bcast`), not (`Ibcast`), and persistent (`Bcast_init`)."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from striate.simulate.mpi import op as ops
from striate.simulate.mpi.buffers import (
    Part,
    equal_parts,
    is_in_place,
    parts_by_type,
    unequal_parts,
    whole_part,
)
from striate.simulate.mpi.errors import failed
from striate.simulate.mpi.link import link, outside
from striate.simulate.mpi.op import Op
from striate.simulate.mpi.request import MpiRequest, PersistentRequest
from striate.simulate.wire import BLOCKING, NO_ROOT, GroupId

SUM = ops.PREDEFINED["SUM"]
Join = Callable[[bytes, bytes], bytes]


@dataclass(frozen=True, slots=True)
class CollectivePlan:
    """What a member of a collective call gives, and what it does with what it gets."""

    kind: str
    given: Any = None  # bytes, or one content per member
    root: int = NO_ROOT
    finish: Callable[[Any], Any] | None = None
    join: Join | None = None  # of a reduction
    pickled: bool = False

    @property
    def size(self) -> int:
        if self.given is None:
            return 0
        return len(self.given) if isinstance(self.given, bytes) else sum(len(one) for one in self.given)


def _fill_all(parts: Sequence[Part], contents: Sequence[bytes]) -> None:
    for part, content in zip(parts, contents, strict=True):
        part.fill(content)


class Collectives:
    """What all ranks of a communicator do together. A method `_Bcast` makes the plan of `Bcast` and its like."""

    _id: GroupId
    _members: tuple[int, ...]
    _rank: int

    def _meet(self, plan: CollectivePlan) -> Any:
        """Carry out a blocking collective call."""
        number = self._register(plan)
        result = link().ask("collective", *self._call(plan, number, BLOCKING))
        link().errands.pop(number, None)
        return plan.finish(result) if plan.finish is not None else None

    def _start_meeting(self, plan: CollectivePlan) -> MpiRequest:
        number, handle = self._register(plan), link().new_handle()
        link().tell("collective", *self._call(plan, number, handle), size=plan.size)

        def finish(result: Any) -> Any:
            link().errands.pop(number, None)
            return plan.finish(result) if plan.finish is not None else None

        return MpiRequest(handle, finish)

    def _call(self, plan: CollectivePlan, combiner: int, handle: int) -> tuple[Any, ...]:
        if plan.root != NO_ROOT and not 0 <= plan.root < len(self._members):
            raise failed("ERR_ROOT", f"root {plan.root} of a communicator of {len(self._members)}")
        return (self._id, plan.kind, plan.root, plan.given, combiner, plan.pickled, handle)

    def _register(self, plan: CollectivePlan) -> int:
        """Keep how to combine, for when the coordinator asks this rank to do so."""
        if plan.join is None:
            return 0
        join, number = plan.join, link().new_handle()
        link().errands[number] = lambda parts, prefixes: (
            ops.prefixes(parts, join) if prefixes else ops.reduced(parts, join)
        )
        return number

    # ---- plans

    def _Barrier(self) -> CollectivePlan:
        return CollectivePlan("barrier")

    def _Bcast(self, buf: Any, root: int = 0) -> CollectivePlan:
        part = whole_part(buf)
        if self._rank == root:
            return CollectivePlan("bcast", part.content(), root)
        return CollectivePlan("bcast", None, root, part.fill)

    def _gathered(self, kind: str, sendbuf: Any, recvbuf: Any, root: int, split: Any) -> CollectivePlan:
        if self._rank != root:
            return CollectivePlan(kind, whole_part(sendbuf).content(), root)
        parts = split(recvbuf, len(self._members))
        given = parts[self._rank] if is_in_place(sendbuf) else whole_part(sendbuf)
        return CollectivePlan(kind, given.content(), root, lambda contents: _fill_all(parts, contents))

    def _Gather(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> CollectivePlan:
        return self._gathered("gather", sendbuf, recvbuf, root, equal_parts)

    def _Gatherv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> CollectivePlan:
        return self._gathered("gatherv", sendbuf, recvbuf, root, unequal_parts)

    def _scattered(self, kind: str, sendbuf: Any, recvbuf: Any, root: int, split: Any) -> CollectivePlan:
        given = None
        if self._rank == root:
            given = [part.content() for part in split(sendbuf, len(self._members))]
        if is_in_place(recvbuf):
            return CollectivePlan(kind, given, root)
        return CollectivePlan(kind, given, root, whole_part(recvbuf).fill)

    def _Scatter(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> CollectivePlan:
        return self._scattered("scatter", sendbuf, recvbuf, root, equal_parts)

    def _Scatterv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> CollectivePlan:
        return self._scattered("scatterv", sendbuf, recvbuf, root, unequal_parts)

    def _all_gathered(self, kind: str, sendbuf: Any, parts: list[Part]) -> CollectivePlan:
        given = parts[self._rank] if is_in_place(sendbuf) else whole_part(sendbuf)
        return CollectivePlan(kind, given.content(), finish=lambda contents: _fill_all(parts, contents))

    def _Allgather(self, sendbuf: Any, recvbuf: Any) -> CollectivePlan:
        return self._all_gathered("allgather", sendbuf, equal_parts(recvbuf, len(self._members)))

    def _Allgatherv(self, sendbuf: Any, recvbuf: Any) -> CollectivePlan:
        return self._all_gathered("allgatherv", sendbuf, unequal_parts(recvbuf, len(self._members)))

    def _exchanged(self, kind: str, sendbuf: Any, recvbuf: Any, split: Any) -> CollectivePlan:
        into = split(recvbuf, len(self._members))
        out = into if is_in_place(sendbuf) else split(sendbuf, len(self._members))
        given = [part.content() for part in out]
        return CollectivePlan(kind, given, finish=lambda contents: _fill_all(into, contents))

    def _Alltoall(self, sendbuf: Any, recvbuf: Any) -> CollectivePlan:
        return self._exchanged("alltoall", sendbuf, recvbuf, equal_parts)

    def _Alltoallv(self, sendbuf: Any, recvbuf: Any) -> CollectivePlan:
        return self._exchanged("alltoallv", sendbuf, recvbuf, unequal_parts)

    def _Alltoallw(self, sendbuf: Any, recvbuf: Any) -> CollectivePlan:
        return self._exchanged("alltoallv", sendbuf, recvbuf, parts_by_type)

    def _Reduce(self, sendbuf: Any, recvbuf: Any, op: Op = SUM, root: int = 0) -> CollectivePlan:
        given = whole_part(recvbuf if is_in_place(sendbuf) else sendbuf)
        finish = whole_part(recvbuf).fill if self._rank == root else None
        return CollectivePlan("reduce", given.content(), root, finish, op.join_bytes(given.datatype))

    def _reduced_to_all(self, kind: str, sendbuf: Any, recvbuf: Any, op: Op) -> CollectivePlan:
        into = whole_part(recvbuf)
        given = into if is_in_place(sendbuf) else whole_part(sendbuf)
        return CollectivePlan(kind, given.content(), finish=into.fill, join=op.join_bytes(given.datatype))

    def _Allreduce(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> CollectivePlan:
        return self._reduced_to_all("allreduce", sendbuf, recvbuf, op)

    def _Scan(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> CollectivePlan:
        return self._reduced_to_all("scan", sendbuf, recvbuf, op)

    def _Exscan(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> CollectivePlan:
        plan = self._reduced_to_all("exscan", sendbuf, recvbuf, op)
        fill = plan.finish
        assert fill is not None
        return CollectivePlan(
            "exscan", plan.given, finish=lambda content: content is not None and fill(content), join=plan.join
        )

    def _Reduce_scatter_block(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> CollectivePlan:
        given = whole_part(recvbuf if is_in_place(sendbuf) else sendbuf)
        mine = given.size // len(self._members)
        return self._reduced_in_parts(given, recvbuf, [mine] * len(self._members), op)

    def _Reduce_scatter(
        self, sendbuf: Any, recvbuf: Any, recvcounts: Sequence[int] | None = None, op: Op = SUM
    ) -> CollectivePlan:
        given = whole_part(recvbuf if is_in_place(sendbuf) else sendbuf)
        if recvcounts is None:  # the ranks tell each other, as in mpi4py
            mine = whole_part(recvbuf).count.to_bytes(8, "little")
            told = self._meet(CollectivePlan("allgather", mine, finish=list))
            recvcounts = [int.from_bytes(one, "little") for one in told]
        sizes = [operator.index(count) * given.datatype.size for count in recvcounts]
        return self._reduced_in_parts(given, recvbuf, sizes, op)

    def _reduced_in_parts(self, given: Part, recvbuf: Any, sizes: list[int], op: Op) -> CollectivePlan:
        if sum(sizes) != given.size:
            raise failed("ERR_COUNT", f"parts of {sum(sizes)} bytes for a message of {given.size}")
        content = given.content()
        begins = [sum(sizes[:at]) for at in range(len(sizes))]
        pieces = [content[begin : begin + size] for begin, size in zip(begins, sizes, strict=True)]
        return CollectivePlan(
            "reduce_scatter", pieces, finish=whole_part(recvbuf).fill, join=op.join_bytes(given.datatype)
        )


def add_calls(kind: Any, *, meet: str, start: str) -> None:
    """`Bcast`, `Ibcast` and `Bcast_init` for every plan of a class, by its methods that meet and that start to."""
    for name in [one for one in vars(kind) if one[:1] == "_" and one[1:2].isupper()]:
        plan = getattr(kind, name)

        @functools.wraps(plan)
        def blocking(self: Any, *given: Any, _plan: Any = plan, **named: Any) -> None:
            getattr(self, meet)(_plan(self, *given, **named))

        @functools.wraps(plan)
        def started(self: Any, *given: Any, _plan: Any = plan, **named: Any) -> Any:
            return getattr(self, start)(_plan(self, *given, **named))

        @functools.wraps(plan)
        def kept(
            self: Any, *given: Any, _start: Any = started, info: Any = None, **named: Any
        ) -> PersistentRequest:
            return PersistentRequest(lambda: _start(self, *given, **named))

        setattr(kind, name[1:], outside(blocking))
        setattr(kind, f"{name[1:]}_init", outside(kept))
        setattr(kind, f"I{name[1:].lower()}", outside(started))


add_calls(Collectives, meet="_meet", start="_start_meeting")
