"""Reduce_scatter: each rank gets its part of the combination of all vectors. Piece i is the part of rank i."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from striate.collectives.algorithms.halving import Core
from striate.collectives.draft import ScheduleDraft, recv, send
from striate.collectives.shapes import Fold, per_rank, totals


def pairwise(size: int, size_bytes: ArrayLike) -> ScheduleDraft:
    """In size - 1 rounds: in round k the rank k after gets this rank's contribution to its part.

    `size_bytes` is what one rank gets, or what each rank gets.
    """
    parts = per_rank(size_bytes, size)
    draft = ScheduleDraft(size, lambda sender, receiver, tag: (receiver,))
    ranks = draft.everyone
    for hop in range(1, size):
        after, before = (ranks + hop) % size, (ranks - hop) % size
        draft.step(send(ranks, after, parts[after], hop - 1), recv(ranks, before, parts, hop - 1))
        draft.combine(ranks, parts)
    return draft


def recursive_halving(size: int, size_bytes: ArrayLike) -> ScheduleDraft:
    """Partners exchange halves of what they hold and combine the half they keep; other sizes than 2^k are folded."""
    parts = per_rank(size_bytes, size)
    fold = Fold(size)
    first = fold.first(np.arange(fold.power + 1))
    core = Core(fold, totals(parts, first[:-1], np.diff(first)))
    rounds = len(list(core.rounds()))

    def ranks(sender: int, receiver: int, tag: int) -> range:
        if tag == 0:
            return range(size)
        if tag > rounds:
            return range(receiver, receiver + 1)
        run = core.halving_carries(receiver, tag - 1)
        return fold.ranks(run.start, len(run))

    draft = ScheduleDraft(size, ranks)
    core.fold_in(draft, 0)
    core.halve(draft, 1)
    draft.step(send(fold.kept, fold.folded, parts[fold.folded], rounds + 1))
    draft.step(recv(fold.folded, fold.kept, parts[fold.folded], rounds + 1))
    return draft
