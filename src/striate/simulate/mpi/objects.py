"""Collective calls on Python objects, as mpi4py pickles them."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

from striate.simulate.mpi.collectives import SUM, CollectivePlan, Collectives, Join
from striate.simulate.mpi.link import all_outside
from striate.simulate.mpi.messages import dumped
from striate.simulate.mpi.op import Op


def _loaded(content: bytes | None) -> Any:
    return None if content is None else pickle.loads(content)


def _all_loaded(contents: Sequence[bytes]) -> list[Any]:
    return [pickle.loads(content) for content in contents]


def _join(op: Op) -> Join:
    return lambda left, right: dumped(op(pickle.loads(left), pickle.loads(right)))


@all_outside
class ObjectCollectives(Collectives):
    """`bcast`, `gather` and the others."""

    def barrier(self) -> None:
        self._meet(CollectivePlan("barrier"))

    def bcast(self, obj: Any, root: int = 0) -> Any:
        if self._rank == root:
            self._meet(CollectivePlan("bcast", dumped(obj), root, pickled=True))
            return obj
        return self._meet(CollectivePlan("bcast", None, root, _loaded, pickled=True))

    def gather(self, sendobj: Any, root: int = 0) -> list[Any] | None:
        finish = _all_loaded if self._rank == root else None
        found: list[Any] | None = self._meet(
            CollectivePlan("gather", dumped(sendobj), root, finish, pickled=True)
        )
        return found

    def scatter(self, sendobj: Sequence[Any] | None, root: int = 0) -> Any:
        given = None
        if self._rank == root:
            given = self._one_each(sendobj)
        return self._meet(CollectivePlan("scatter", given, root, _loaded, pickled=True))

    def allgather(self, sendobj: Any) -> list[Any]:
        found: list[Any] = self._meet(
            CollectivePlan("allgather", dumped(sendobj), finish=_all_loaded, pickled=True)
        )
        return found

    def alltoall(self, sendobj: Sequence[Any]) -> list[Any]:
        given = self._one_each(sendobj)
        found: list[Any] = self._meet(CollectivePlan("alltoall", given, finish=_all_loaded, pickled=True))
        return found

    def reduce(self, sendobj: Any, op: Op = SUM, root: int = 0) -> Any:
        finish = _loaded if self._rank == root else None
        return self._meet(CollectivePlan("reduce", dumped(sendobj), root, finish, _join(op), pickled=True))

    def allreduce(self, sendobj: Any, op: Op = SUM) -> Any:
        return self._meet(
            CollectivePlan("allreduce", dumped(sendobj), finish=_loaded, join=_join(op), pickled=True)
        )

    def scan(self, sendobj: Any, op: Op = SUM) -> Any:
        return self._meet(
            CollectivePlan("scan", dumped(sendobj), finish=_loaded, join=_join(op), pickled=True)
        )

    def exscan(self, sendobj: Any, op: Op = SUM) -> Any:
        return self._meet(
            CollectivePlan("exscan", dumped(sendobj), finish=_loaded, join=_join(op), pickled=True)
        )

    def _one_each(self, things: Sequence[Any] | None) -> list[bytes]:
        listed = list(things) if things is not None else []
        if len(listed) != len(self._members):
            raise ValueError(f"expecting {len(self._members)} items, got {len(listed)}")
        return [dumped(one) for one in listed]
