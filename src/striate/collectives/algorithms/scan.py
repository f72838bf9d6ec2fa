"""Scan: rank r gets the combination of the vectors of ranks 0 to r, or (exscan) to r - 1. The vector is piece 0."""

from __future__ import annotations

from striate.collectives.draft import ScheduleDraft, recv, send
from striate.collectives.shapes import distances


def _whole(sender: int, receiver: int, tag: int) -> tuple[int]:
    return (0,)


def doubling(size: int, size_bytes: int) -> ScheduleDraft:
    """In ceil(log2 size) rounds: what a rank has so far goes to the rank `distance` after it."""
    draft = ScheduleDraft(size, _whole)
    ranks = draft.everyone
    for turn, distance in enumerate(distances(size)):
        lower, upper = ranks[:-distance], ranks[distance:]
        draft.step(send(lower, upper, size_bytes, turn), recv(upper, lower, size_bytes, turn))
        draft.combine(upper, size_bytes)
    return draft


def exclusive_doubling(size: int, size_bytes: int) -> ScheduleDraft:
    """The messages of `doubling`; after the first round a rank combines what comes twice, for itself and for others."""
    draft = ScheduleDraft(size, _whole)
    ranks = draft.everyone
    for turn, distance in enumerate(distances(size)):
        lower, upper = ranks[:-distance], ranks[distance:]
        draft.step(send(lower, upper, size_bytes, turn), recv(upper, lower, size_bytes, turn))
        draft.combine(upper, size_bytes if turn == 0 else 2 * size_bytes)
    return draft


def exclusive_linear(size: int, size_bytes: int) -> ScheduleDraft:
    """From rank to rank: what comes is the result; all but the last combine it with their own and pass it on."""
    draft = ScheduleDraft(size, _whole)
    ranks = draft.everyone
    draft.step(recv(ranks[1:], ranks[:-1], size_bytes))
    draft.combine(ranks[1:-1], size_bytes)
    draft.step(send(ranks[:-1], ranks[1:], size_bytes))
    return draft


def linear(size: int, size_bytes: int) -> ScheduleDraft:
    """From rank to rank: receive, combine, pass on."""
    draft = ScheduleDraft(size, _whole)
    ranks = draft.everyone
    draft.step(recv(ranks[1:], ranks[:-1], size_bytes))
    draft.combine(ranks[1:], size_bytes)
    draft.step(send(ranks[:-1], ranks[1:], size_bytes))
    return draft
