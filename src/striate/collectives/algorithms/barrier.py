"""Barrier: no rank leaves before every rank has come. Messages are empty; all that counts is who heard of whom."""

from __future__ import annotations

from striate.collectives.algorithms import bcast, gather
from striate.collectives.draft import ScheduleDraft, join, recv, send
from striate.collectives.shapes import distances


def dissemination(size: int) -> ScheduleDraft:
    """In ceil(log2 size) rounds: a word to the rank `distance` after, one from the rank `distance` before."""
    draft = ScheduleDraft(size)
    ranks = draft.everyone
    for turn, distance in enumerate(distances(size)):
        draft.step(
            send(ranks, (ranks + distance) % size, 0, turn),
            recv(ranks, (ranks - distance) % size, 0, turn),
        )
    return draft


def tree(size: int) -> ScheduleDraft:
    """Up a binomial tree to rank 0 and down again."""
    return join(gather.binomial(size, 0), bcast.binomial(size, 0)).without_carries()
