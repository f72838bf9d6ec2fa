"""Reduce: the root gets the combination of all ranks' vectors. Piece i is the i-th part of the vector."""

from __future__ import annotations

import numpy as np

from striate.collectives.algorithms.halving import Core
from striate.collectives.draft import ScheduleDraft, recv, send
from striate.collectives.shapes import Fold, distances, edges_at, extent, split, subtree, totals


def _whole(sender: int, receiver: int, tag: int) -> tuple[int]:
    return (0,)


def binomial(size: int, size_bytes: int, root: int = 0) -> ScheduleDraft:
    """Up a binomial tree: a rank combines what its children send, the smallest subtree first."""
    draft = ScheduleDraft(size, _whole)
    for distance in distances(size):
        above, children = edges_at(size, distance)
        draft.step(send(children, above, size_bytes))
        draft.step(recv(above, children, size_bytes))
        draft.combine(above, size_bytes)
    return draft.turned(root)


def direct(size: int, size_bytes: int, root: int = 0) -> ScheduleDraft:
    """Everyone to the root at once, which combines all."""
    draft = ScheduleDraft(size, _whole)
    below = draft.everyone[1:]
    draft.step(send(below, 0, size_bytes))
    draft.step(recv(np.zeros(size - 1, np.int32), below, size_bytes))
    draft.combine(0, size_bytes * (size - 1))
    return draft.turned(root)


def scatter_gather(size: int, size_bytes: int, root: int = 0) -> ScheduleDraft:
    """Rabenseifner: recursive halving leaves everyone a combined part; a binomial tree gathers the parts."""
    fold = Fold(size)
    core = Core(fold, split(size_bytes, fold.power))
    rounds = len(list(core.rounds()))

    def parts(sender: int, receiver: int, tag: int) -> range:
        if tag == 0:
            return range(fold.power)
        if tag <= rounds:
            return core.halving_carries(receiver, tag - 1)
        return subtree(fold.member(sender), fold.power)

    draft = ScheduleDraft(size, parts)
    core.fold_in(draft, 0)
    core.halve(draft, 1)
    for distance in core.rounds():
        above, children = edges_at(fold.power, distance)
        sums = totals(core.parts, children, extent(children, fold.power))
        draft.step(send(fold.core[children], fold.core[above], sums, rounds + 1))
        draft.step(recv(fold.core[above], fold.core[children], sums, rounds + 1))
    return draft.turned(root)
