"""Scatter and scatterv: each rank gets its own part of the root's data. Piece i is the part of rank root + i."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from striate.collectives.draft import ScheduleDraft, recv, send
from striate.collectives.shapes import (
    distances,
    edges_at,
    extent,
    parent,
    per_rank,
    subtree,
    totals,
)


def binomial(size: int, size_bytes: ArrayLike, root: int = 0) -> ScheduleDraft:
    """Down a binomial tree: a child gets the parts of its whole subtree, the largest subtree first.

    `size_bytes` is what one rank gets, or what each rank of the group gets.
    """
    parts = per_rank(size_bytes, size, root)
    draft = ScheduleDraft(size, lambda sender, receiver, tag: subtree(receiver, size))
    below = draft.everyone[1:]
    draft.step(recv(below, parent(below), totals(parts, below, extent(below, size))))
    for distance in reversed(distances(size)):
        above, children = edges_at(size, distance)
        draft.step(send(above, children, totals(parts, children, extent(children, size))))
    return draft.turned(root)


def direct(size: int, size_bytes: ArrayLike, root: int = 0) -> ScheduleDraft:
    """From the root to everyone at once."""
    parts = per_rank(size_bytes, size, root)
    draft = ScheduleDraft(size, lambda sender, receiver, tag: (receiver,))
    below = draft.everyone[1:]
    draft.step(recv(below, 0, parts[1:]))
    draft.step(send(np.zeros(size - 1, np.int32), below, parts[1:]))
    return draft.turned(root)
