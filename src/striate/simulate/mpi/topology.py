"""Communicators whose ranks have neighbours, and the collective calls among neighbours."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from striate.simulate.mpi import constants
from striate.simulate.mpi.buffers import Part, equal_parts, parts_by_type, unequal_parts, whole_part
from striate.simulate.mpi.collectives import add_calls
from striate.simulate.mpi.comm import COMM_NULL, Comm, Intracomm
from striate.simulate.mpi.link import all_outside, link
from striate.simulate.mpi.messages import dumped
from striate.simulate.mpi.request import MpiRequest
from striate.simulate.wire import BLOCKING

SIZE = 8  # bytes in which mpi4py says how long a pickled object is


@dataclass(frozen=True, slots=True)
class NeighbourPlan:
    """What a rank sends to each neighbour, and what it does with what comes; neighbours that are not there get none."""

    contents: Sequence[bytes]
    take: Callable[[list[tuple[int, bytes]]], Any]  # which neighbour, and what it sent


def _parts(split: Callable[[Any, int], list[Part]], message: Any, members: int) -> list[Part]:
    return split(message, members) if members else []


def _filling(parts: Sequence[Part]) -> Callable[[list[tuple[int, bytes]]], None]:
    def fill(came: list[tuple[int, bytes]]) -> None:
        for at, content in came:
            parts[at].fill(content)

    return fill


@all_outside
class Topocomm(Intracomm):
    """Every rank knows from whom and to whom it sends."""

    _topology = constants.UNDEFINED
    is_topo = True

    def __new__(cls, comm: Comm | None = None) -> Self:
        made = super().__new__(cls, comm)
        if comm is not None and comm:
            if comm.Get_topology() != cls._topology or cls._topology == constants.UNDEFINED:
                raise TypeError(
                    f"expected a communicator with the topology of a {cls.__name__}, got another topology"
                )
            vars(made).update(vars(comm))
        return made

    @classmethod
    def _with(cls, made: Any, **known: Any) -> Any:
        """The communicator that a call made, with what is known of its topology."""
        comm = cls._of(made)
        if comm is not COMM_NULL:
            vars(comm).update(known)
        return comm

    def Get_topology(self) -> int:
        return self._topology

    # ---- neighbours

    def _neighbours(self) -> tuple[list[int], list[int]]:
        """Who sends to this rank, and to whom it sends; PROC_NULL where nobody is."""
        raise NotImplementedError

    def _receive_order(self, degree: int) -> Sequence[int]:
        """In which order receives take messages that the same neighbour sends."""
        return range(degree)

    inoutedges = property(lambda self: self._neighbours())
    inedges = property(lambda self: self._neighbours()[0])
    outedges = property(lambda self: self._neighbours()[1])
    indegree = property(lambda self: len(self._neighbours()[0]))
    outdegree = property(lambda self: len(self._neighbours()[1]))
    degrees = property(lambda self: (self.indegree, self.outdegree))

    # ---- the calls

    def _begun(self, plan: NeighbourPlan) -> tuple[tuple[Any, ...], Callable[[list[bytes]], Any]]:
        """The arguments of a call to the coordinator, and what to do with its answer."""
        sources, destinations = self._neighbours()
        places = [at for at in self._receive_order(len(sources)) if sources[at] != constants.PROC_NULL]
        there = [at for at, peer in enumerate(destinations) if peer != constants.PROC_NULL]
        call = (
            self._id,
            [sources[at] for at in places],
            [destinations[at] for at in there],
            [plan.contents[at] for at in there],
        )
        return call, lambda contents: plan.take(list(zip(places, contents, strict=True)))

    def _exchange_all(self, plan: NeighbourPlan) -> Any:
        call, finish = self._begun(plan)
        return finish(link().ask("neighbours", *call, BLOCKING))

    def _start_exchange(self, plan: NeighbourPlan) -> MpiRequest:
        call, finish = self._begun(plan)
        handle = link().new_handle()
        link().tell("neighbours", *call, handle, size=sum(len(one) for one in plan.contents))
        return MpiRequest(handle, finish)

    def _Neighbor_allgather(self, sendbuf: Any, recvbuf: Any) -> NeighbourPlan:
        return self._same_to_all(sendbuf, _parts(equal_parts, recvbuf, self.indegree))

    def _Neighbor_allgatherv(self, sendbuf: Any, recvbuf: Any) -> NeighbourPlan:
        return self._same_to_all(sendbuf, _parts(unequal_parts, recvbuf, self.indegree))

    def _same_to_all(self, sendbuf: Any, into: Sequence[Part]) -> NeighbourPlan:
        return NeighbourPlan([whole_part(sendbuf).content()] * self.outdegree, _filling(into))

    def _Neighbor_alltoall(self, sendbuf: Any, recvbuf: Any) -> NeighbourPlan:
        return self._own_to_each(equal_parts, sendbuf, recvbuf)

    def _Neighbor_alltoallv(self, sendbuf: Any, recvbuf: Any) -> NeighbourPlan:
        return self._own_to_each(unequal_parts, sendbuf, recvbuf)

    def _Neighbor_alltoallw(self, sendbuf: Any, recvbuf: Any) -> NeighbourPlan:
        return self._own_to_each(parts_by_type, sendbuf, recvbuf)

    def _own_to_each(self, split: Any, sendbuf: Any, recvbuf: Any) -> NeighbourPlan:
        out = _parts(split, sendbuf, self.outdegree)
        into = _parts(split, recvbuf, self.indegree)
        return NeighbourPlan([part.content() for part in out], _filling(into))

    def neighbor_allgather(self, sendobj: Any) -> list[Any]:
        return self._objects([dumped(sendobj)] * self.outdegree)

    def neighbor_alltoall(self, sendobj: Sequence[Any]) -> list[Any]:
        given = [dumped(one) for one in sendobj]
        if len(given) != self.outdegree:
            raise ValueError(f"expecting {self.outdegree} items, got {len(given)}")
        return self._objects(given)

    def _objects(self, given: Sequence[bytes]) -> list[Any]:
        """Sizes first, then the objects; None from neighbours that are not there."""
        found: list[Any] = [None] * self.indegree

        def take(came: list[tuple[int, bytes]]) -> None:
            for at, content in came:
                found[at] = pickle.loads(content)

        self._exchange_all(NeighbourPlan([bytes(SIZE)] * len(given), lambda came: None))
        self._exchange_all(NeighbourPlan(given, take))
        return found


add_calls(Topocomm, meet="_exchange_all", start="_start_exchange")
