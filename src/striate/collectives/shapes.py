"""The shapes collectives are made of: powers of two, binomial trees, folds, parts of a buffer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from striate.collectives.schedule import ScheduleError

Ranks = NDArray[np.int32]
Sizes = NDArray[np.int64]


def distances(size: int) -> list[int]:
    """1, 2, 4, ... below `size`: the rounds in which news can reach everyone."""
    return [1 << level for level in range((size - 1).bit_length())]


def split(size_bytes: int, parts: int) -> Sizes:
    """A buffer in equal parts, as MPI libraries cut it: the last ones are shorter, perhaps empty."""
    part = -(-size_bytes // parts)
    return np.clip(size_bytes - part * np.arange(parts, dtype=np.int64), 0, part)


def per_rank(size_bytes: ArrayLike, size: int, root: int = 0) -> Sizes:
    """Bytes of each rank, counted from the root: one number for all, or one for each rank of the group."""
    given = np.asarray(size_bytes, np.int64)
    if given.ndim and given.shape != (size,):
        raise ScheduleError(f"expected {size} message sizes, one per rank, got {given.shape[0]}")
    return np.roll(np.broadcast_to(given, (size,)), -root)


def totals(sizes: Sizes, first: ArrayLike, count: ArrayLike) -> Sizes:
    """Sums of runs of `count` sizes from `first` on, around the end where they pass it."""
    ends = np.concatenate(([0], np.cumsum(np.tile(sizes, 2))))
    start = np.asarray(first, np.int64) % len(sizes)
    return np.asarray(ends[start + np.asarray(count)] - ends[start])


def parent(rank: ArrayLike) -> Ranks:
    """In a binomial tree: the rank without its lowest bit."""
    ranks = np.asarray(rank, np.int32)
    return ranks & (ranks - 1)


def extent(rank: ArrayLike, size: int) -> Ranks:
    """Ranks in the binomial subtree that starts at `rank`; they follow it without gaps."""
    ranks = np.asarray(rank, np.int32)
    lowest = np.where(ranks == 0, size, ranks & -ranks)
    return np.minimum(lowest, size - ranks).astype(np.int32)


def subtree(rank: int, size: int) -> range:
    """The ranks below `rank` in the binomial tree, itself first."""
    return range(rank, rank + int(extent(rank, size)))


def edges_at(size: int, distance: int) -> tuple[Ranks, Ranks]:
    """Parents and children of the binomial tree whose numbers lie `distance` apart."""
    parents = np.arange(0, size - distance, 2 * distance, dtype=np.int32)
    return parents, parents + np.int32(distance)


def edges(size: int) -> tuple[Ranks, Ranks]:
    """All parents and children of the binomial tree; of each parent the largest subtree first."""
    pairs = [edges_at(size, distance) for distance in reversed(distances(size))]
    if not pairs:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    parents, children = (np.concatenate(column) for column in zip(*pairs, strict=True))
    order = np.argsort(parents, kind="stable")
    return parents[order], children[order]


@dataclass(frozen=True)
class Fold:
    """A group folded to the largest power of two: each of the first odd ranks leaves its work to the one before.

    Member j of the core stands for one rank or two; `core` gives the rank that acts for it.
    """

    size: int

    @property
    def power(self) -> int:
        return 1 << (self.size.bit_length() - 1)

    @property
    def rest(self) -> int:
        return self.size - self.power

    @property
    def core(self) -> Ranks:
        members = np.arange(self.power, dtype=np.int32)
        return np.where(members < self.rest, 2 * members, members + self.rest).astype(np.int32)

    @property
    def kept(self) -> Ranks:
        """The ranks that act for a neighbour."""
        return np.arange(0, 2 * self.rest, 2, dtype=np.int32)

    @property
    def folded(self) -> Ranks:
        """The neighbours, beside `kept`."""
        return self.kept + np.int32(1)

    def member(self, rank: int) -> int:
        """The member of the core that stands for `rank`."""
        return rank // 2 if rank < 2 * self.rest else rank - self.rest

    def first(self, member: ArrayLike) -> Sizes:
        """The first rank a member stands for; of one past the last member, the size of the group."""
        members = np.asarray(member, np.int64)
        return np.where(members < self.rest, 2 * members, members + self.rest)

    def ranks(self, first: int, count: int) -> range:
        """The ranks that `count` members from `first` on stand for."""
        return range(int(self.first(first)), int(self.first(first + count)))


def node_of_each(size: int, nodes: Sequence[int] | None) -> NDArray[np.int64]:
    """The node of each rank of a group; where none are given, every rank is alone on its node."""
    place = np.arange(size) if nodes is None else np.asarray(nodes)
    if place.shape != (size,):
        raise ScheduleError(
            f"expected one node number for each of {size} ranks, got an array of shape {place.shape}"
        )
    return place


@dataclass(frozen=True, eq=False)
class NodeTrees:
    """A group by nodes: the first rank of a node leads it, and the others form binomial trees below it."""

    ranks: Ranks  # node after node, ascending in each
    number: Sizes  # of each rank of `ranks` in its node, from 0

    @classmethod
    def of(cls, size: int, nodes: Sequence[int] | None) -> NodeTrees:
        """`nodes` as `node_of_each` takes them."""
        place = node_of_each(size, nodes)
        ranks = np.argsort(place, kind="stable").astype(np.int32)
        first = np.flatnonzero(np.diff(place[ranks], prepend=place.min() - 1))
        number = np.arange(size) - np.repeat(first, np.diff(first, append=size))
        return cls(ranks, number)

    @property
    def leaders(self) -> Ranks:
        return np.sort(self.ranks[self.number == 0])

    @property
    def largest(self) -> int:
        """Ranks of the fullest node."""
        return int(self.number.max()) + 1

    def edges_at(self, distance: int) -> tuple[Ranks, Ranks]:
        """Parents, ascending, and children of all trees whose numbers lie `distance` apart."""
        children = np.flatnonzero(self.number % (2 * distance) == distance)
        above, below = self.ranks[children - distance], self.ranks[children]
        order = np.argsort(above)
        return above[order], below[order]
