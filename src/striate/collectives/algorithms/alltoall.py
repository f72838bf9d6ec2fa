"""Alltoall and alltoallv: everyone sends a block of its own to everyone. Piece s * size + t goes from s to t."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from striate.collectives.draft import ScheduleDraft, recv, send
from striate.collectives.schedule import ScheduleError
from striate.collectives.shapes import distances


def _blocks(size_bytes: ArrayLike, size: int) -> NDArray[np.int64]:
    given = np.asarray(size_bytes, np.int64)
    if given.ndim and given.shape != (size, size):
        raise ScheduleError(
            f"expected one message size in bytes, or an array of message sizes of shape {(size, size)}, "
            f"got shape {given.shape}"
        )
    return np.broadcast_to(given, (size, size))


def pairwise(size: int, size_bytes: ArrayLike) -> ScheduleDraft:
    """In size - 1 rounds: in round k send to the rank k after, receive from the rank k before.

    `size_bytes` is the size of a block, or the table of blocks: row s is what rank s sends.
    """
    blocks = _blocks(size_bytes, size)
    draft = ScheduleDraft(size, lambda sender, receiver, tag: (sender * size + receiver,))
    ranks = draft.everyone
    for hop in range(1, size):
        after, before = (ranks + hop) % size, (ranks - hop) % size
        draft.step(
            send(ranks, after, blocks[ranks, after], hop - 1),
            recv(ranks, before, blocks[before, ranks], hop - 1),
        )
    return draft


def bruck(size: int, size_bytes: ArrayLike) -> ScheduleDraft:
    """In ceil(log2 size) rounds: in round k all blocks whose remaining distance has bit k travel 2^k ranks."""
    blocks = _blocks(size_bytes, size)

    def route(sender: int, receiver: int, tag: int) -> list[int]:
        return [
            source * size + (source + hops) % size
            for hops in range(size)
            if hops >> tag & 1
            for source in [(sender - hops % (1 << tag)) % size]
        ]

    draft = ScheduleDraft(size, route)
    ranks = draft.everyone
    for turn, distance in enumerate(distances(size)):
        after, before = (ranks + distance) % size, (ranks - distance) % size
        moved = _moved(blocks, turn)
        draft.step(send(ranks, after, moved, turn), recv(ranks, before, moved[before], turn))
    return draft


def _moved(blocks: NDArray[np.int64], turn: int) -> NDArray[np.int64]:
    """Bytes each rank passes on in round `turn` of Bruck's algorithm."""
    size = len(blocks)
    ranks, hops = np.arange(size), np.arange(size)
    travelling = hops[hops >> turn & 1 == 1]
    if not any(blocks.strides):  # all blocks alike
        return np.full(size, len(travelling) * blocks[0, 0], np.int64)
    moved = np.zeros(size, np.int64)
    for far in travelling.tolist():
        source = (ranks - far % (1 << turn)) % size
        moved += blocks[source, (source + far) % size]
    return moved
