"""Gather and gatherv: the root gets a part from each rank. Piece i is the part of rank root + i."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from striate.collectives.draft import ScheduleDraft, recv, send
from striate.collectives.shapes import distances, edges_at, extent, per_rank, subtree, totals


def binomial(size: int, size_bytes: ArrayLike, root: int = 0) -> ScheduleDraft:
    """Up a binomial tree: a rank collects the parts of its subtrees, the smallest first, and passes them on.

    `size_bytes` is what one rank gives, or what each rank of the group gives.
    """
    parts = per_rank(size_bytes, size, root)
    draft = ScheduleDraft(size, lambda sender, receiver, tag: subtree(sender, size))
    for distance in distances(size):
        above, children = edges_at(size, distance)
        sums = totals(parts, children, extent(children, size))
        draft.step(send(children, above, sums))
        draft.step(recv(above, children, sums))
    return draft.turned(root)


def direct(size: int, size_bytes: ArrayLike, root: int = 0) -> ScheduleDraft:
    """Everyone to the root at once."""
    parts = per_rank(size_bytes, size, root)
    draft = ScheduleDraft(size, lambda sender, receiver, tag: (sender,))
    below = draft.everyone[1:]
    draft.step(send(below, 0, parts[1:]))
    draft.step(recv(np.zeros(size - 1, np.int32), below, parts[1:]))
    return draft.turned(root)
