"""Allgather and allgatherv: everyone gets a part from each rank. Piece i is the part of rank root + i.

There is no root in the call; `root` only tells which rank counts as the first, for broadcasts built on these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from striate.collectives.draft import ScheduleDraft, recv, send
from striate.collectives.shapes import Fold, distances, per_rank, totals


def ring(size: int, size_bytes: ArrayLike, root: int = 0) -> ScheduleDraft:
    """Around a ring in size - 1 rounds: pass on to the right what came from the left."""
    parts = per_rank(size_bytes, size, root)
    draft = ScheduleDraft(size, lambda sender, receiver, tag: ((sender - tag) % size,))
    ranks = draft.everyone
    right, left = (ranks + 1) % size, (ranks - 1) % size
    for turn in range(size - 1):
        draft.step(
            send(ranks, right, parts[(ranks - turn) % size], turn),
            recv(ranks, left, parts[(left - turn) % size], turn),
        )
    return draft.turned(root)


def bruck(size: int, size_bytes: ArrayLike, root: int = 0) -> ScheduleDraft:
    """In ceil(log2 size) rounds: all that is there goes to the rank `distance` before, as far as it is missing."""
    parts = per_rank(size_bytes, size, root)

    def block(sender: int, receiver: int, tag: int) -> list[int]:
        count = min(1 << tag, size - (1 << tag))
        return [(sender + piece) % size for piece in range(count)]

    draft = ScheduleDraft(size, block)
    ranks = draft.everyone
    for turn, distance in enumerate(distances(size)):
        count = min(distance, size - distance)
        before, after = (ranks - distance) % size, (ranks + distance) % size
        draft.step(
            send(ranks, before, totals(parts, ranks, count), turn),
            recv(ranks, after, totals(parts, after, count), turn),
        )
    return draft.turned(root)


def recursive_doubling(size: int, size_bytes: ArrayLike, root: int = 0) -> ScheduleDraft:
    """Partners exchange all they have, at distances 1, 2, 4, ...; other sizes than 2^k are folded first."""
    parts = per_rank(size_bytes, size, root)
    fold = Fold(size)
    rounds = fold.power.bit_length() - 1

    def block(sender: int, receiver: int, tag: int) -> range:
        if tag == 0:
            return range(sender, sender + 1)
        if tag > rounds:
            return range(size)
        first = fold.member(sender) & -(1 << (tag - 1))
        return fold.ranks(first, 1 << (tag - 1))

    draft = ScheduleDraft(size, block)
    draft.step(send(fold.folded, fold.kept, parts[fold.folded], 0))
    draft.step(recv(fold.kept, fold.folded, parts[fold.folded], 0))
    members = np.arange(fold.power)
    for turn in range(rounds):
        partner = members ^ (1 << turn)
        draft.step(
            send(fold.core, fold.core[partner], _gathered(fold, parts, members, turn), turn + 1),
            recv(fold.core, fold.core[partner], _gathered(fold, parts, partner, turn), turn + 1),
        )
    draft.step(send(fold.kept, fold.folded, parts.sum(), rounds + 1))
    draft.step(recv(fold.folded, fold.kept, parts.sum(), rounds + 1))
    return draft.turned(root)


def _gathered(fold: Fold, parts: np.ndarray, members: np.ndarray, turn: int) -> np.ndarray:
    first = members & -(1 << turn)
    start = fold.first(first)
    return totals(parts, start, fold.first(first + (1 << turn)) - start)


def direct(size: int, size_bytes: ArrayLike, root: int = 0) -> ScheduleDraft:
    """Everyone to everyone at once, starting with the right neighbour."""
    parts = per_rank(size_bytes, size, root)
    draft = ScheduleDraft(size, lambda sender, receiver, tag: (sender,))
    ranks = draft.everyone
    far = range(1, size)
    draft.step(
        *(send(ranks, (ranks + hop) % size, parts) for hop in far),
        *(recv(ranks, (ranks - hop) % size, parts[(ranks - hop) % size]) for hop in far),
    )
    return draft.turned(root)
