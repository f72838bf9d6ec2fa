"""Graph topologies: neighbours as lists, told by every rank for all, or by each for itself."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

from striate.simulate.mpi import constants
from striate.simulate.mpi.collectives import CollectivePlan
from striate.simulate.mpi.comm import Comm
from striate.simulate.mpi.errors import failed
from striate.simulate.mpi.info import INFO_NULL, Info
from striate.simulate.mpi.link import all_outside, outside
from striate.simulate.mpi.messages import dumped
from striate.simulate.mpi.topology import Topocomm

Weights = Sequence[int] | constants.InPlaceType | None


@all_outside
class Graphcomm(Topocomm):
    """The neighbours of rank i are `edges[index[i - 1] : index[i]]`."""

    _topology = constants.GRAPH
    _index: list[int]
    _edges: list[int]
    index = property(lambda self: list(self._index))
    edges = property(lambda self: list(self._edges))

    def Get_dims(self) -> tuple[int, int]:
        return len(self._index), len(self._edges)

    def Get_topo(self) -> tuple[list[int], list[int]]:
        return list(self._index), list(self._edges)

    def Get_neighbors_count(self, rank: int) -> int:
        return len(self.Get_neighbors(rank))

    def Get_neighbors(self, rank: int) -> list[int]:
        if not 0 <= rank < len(self._index):
            raise failed("ERR_RANK", f"rank {rank} of a graph of {len(self._index)}")
        return self._edges[self._index[rank - 1] if rank else 0 : self._index[rank]]

    dims = property(Get_dims)
    nnodes = property(lambda self: len(self._index))
    nedges = property(lambda self: len(self._edges))
    topo = property(Get_topo)
    neighbors = property(lambda self: self.Get_neighbors(self._rank))
    nneighbors = property(lambda self: len(self.neighbors))

    def _neighbours(self) -> tuple[list[int], list[int]]:
        found = self.Get_neighbors(self._rank)
        return found, list(found)

    def _copy(self, made: Any) -> Any:
        return Graphcomm._with(made, _index=self._index, _edges=self._edges)


@all_outside
class Distgraphcomm(Topocomm):
    """Each rank knows its own neighbours alone."""

    _topology = constants.DIST_GRAPH
    _sources: list[int]
    _destinations: list[int]
    _weights: tuple[list[int], list[int]] | None

    def Get_dist_neighbors_count(self) -> tuple[int, int, bool]:
        return len(self._sources), len(self._destinations), self._weights is not None

    def Get_dist_neighbors(self) -> tuple[list[int], list[int], tuple[list[int], list[int]] | None]:
        return list(self._sources), list(self._destinations), self._weights

    def _neighbours(self) -> tuple[list[int], list[int]]:
        return list(self._sources), list(self._destinations)

    def _copy(self, made: Any) -> Any:
        return _of_neighbours(made, self._sources, self._destinations, self._weights)


def _of_neighbours(
    made: Any,
    sources: Sequence[int],
    destinations: Sequence[int],
    weights: tuple[list[int], list[int]] | None,
) -> Any:
    return Distgraphcomm._with(
        made, _sources=list(sources), _destinations=list(destinations), _weights=weights
    )


def _without_first(index: Sequence[int], edges: Sequence[int]) -> list[int]:
    """MPI's index; one that begins with 0 and ends with the number of edges has one entry more."""
    found = [int(one) for one in index]
    return found[1:] if found and found[0] == 0 and found[-1] == len(edges) else found


@outside
def create_graph(self: Comm, index: Sequence[int], edges: Sequence[int], reorder: bool = False) -> Any:
    """The graph of the first ranks; the others get COMM_NULL."""
    ends = _without_first(index, edges)
    if len(ends) > len(self._members):
        raise failed("ERR_ARG", f"a graph of {len(ends)} nodes of {len(self._members)} ranks")
    made = self._make("graph", 0 if self._rank < len(ends) else -1, self._rank)
    return Graphcomm._with(made, _index=ends, _edges=[int(one) for one in edges])


@outside
def create_dist_graph_adjacent(
    self: Comm,
    sources: Sequence[int] | None,
    destinations: Sequence[int] | None,
    sourceweights: Weights = None,
    destweights: Weights = None,
    info: Info = INFO_NULL,
    reorder: bool = False,
) -> Any:
    """Every rank names those that send to it, and those that it sends to."""
    into, out = list(sources or ()), list(destinations or ())
    given = (_weights(sourceweights, len(into)), _weights(destweights, len(out)))
    weights = None if given == (None, None) else (given[0] or [], given[1] or [])
    return _of_neighbours(self._make("graph", 0, self._rank), into, out, weights)


@outside
def create_dist_graph(
    self: Comm,
    sources: Sequence[int],
    degrees: Sequence[int],
    destinations: Sequence[int],
    weights: Weights = None,
    info: Info = INFO_NULL,
    reorder: bool = False,
) -> Any:
    """Ranks name edges of the graph, whosever they are, and tell them to all."""
    begins = [source for source, degree in zip(sources, degrees, strict=True) for _ in range(degree)]
    known = _weights(weights, len(begins))
    edges = list(zip(begins, destinations, known or [1] * len(begins), strict=True))
    told = self._meet(CollectivePlan("allgather", dumped((edges, known is not None)), finish=list))
    said = [pickle.loads(one) for one in told]
    into = [(begin, weight) for edges, _ in said for begin, end, weight in edges if end == self._rank]
    out = [(end, weight) for edges, _ in said for begin, end, weight in edges if begin == self._rank]
    weighted = any(one for _, one in said)
    both = ([weight for _, weight in into], [weight for _, weight in out]) if weighted else None
    made = self._make("graph", 0, self._rank)
    return _of_neighbours(made, [one for one, _ in into], [one for one, _ in out], both)


def _weights(given: Weights, degree: int) -> list[int] | None:
    """Weights of edges; None where they have none."""
    if given is None or given is constants.UNWEIGHTED:
        return None
    if isinstance(given, constants.InPlaceType):
        if degree:
            raise ValueError("empty weights but nonzero degree")
        return []
    found = [int(one) for one in given]
    if len(found) != degree:
        raise ValueError(f"expecting {degree} weights, got {len(found)}")
    return found


@outside
def graph_map(self: Comm, index: Sequence[int], edges: Sequence[int]) -> int:
    """The rank in a graph that is made of the first ranks."""
    return self._rank if self._rank < len(_without_first(index, edges)) else constants.UNDEFINED


Comm.Create_graph = create_graph  # type: ignore[attr-defined]
Comm.Create_dist_graph_adjacent = create_dist_graph_adjacent  # type: ignore[attr-defined]
Comm.Create_dist_graph = create_dist_graph  # type: ignore[attr-defined]
Comm.Graph_map = graph_map  # type: ignore[attr-defined]
