"""Broadcast: the root's data reaches every rank. Piece i is the i-th part of the data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from striate.collectives.algorithms import allgather, scatter
from striate.collectives.draft import ScheduleDraft, join, recv, send
from striate.collectives.schedule import ScheduleError
from striate.collectives.shapes import distances, edges, edges_at, node_of_each, parent, split

BLOCK_BYTES = 1 << 20


def _whole(sender: int, receiver: int, tag: int) -> tuple[int]:
    return (0,)


def binomial(size: int, size_bytes: int, root: int = 0) -> ScheduleDraft:
    """Down a binomial tree; a rank sends to all its children at once, the largest subtree first."""
    draft = ScheduleDraft(size, _whole)
    below = draft.everyone[1:]
    draft.step(recv(below, parent(below), size_bytes))
    draft.step(send(*edges(size), size_bytes))
    return draft.turned(root)


def binomial_in_turn(size: int, size_bytes: int, root: int = 0) -> ScheduleDraft:
    """Down a binomial tree; a rank sends to one child after the other, the largest subtree first."""
    draft = ScheduleDraft(size, _whole)
    below = draft.everyone[1:]
    draft.step(recv(below, parent(below), size_bytes))
    for distance in reversed(distances(size)):
        draft.step(send(*edges_at(size, distance), size_bytes))
    return draft.turned(root)


def binary_tree(size: int, size_bytes: int, root: int = 0) -> ScheduleDraft:
    """Down a complete binary tree: rank r sends to 2r + 1 and 2r + 2 at once."""
    draft = ScheduleDraft(size, _whole)
    below = draft.everyone[1:]
    draft.step(recv(below, (below - 1) // 2, size_bytes))
    draft.step(send((below - 1) // 2, below, size_bytes))
    return draft.turned(root)


def direct(size: int, size_bytes: int, root: int = 0) -> ScheduleDraft:
    """From the root to everyone at once."""
    draft = ScheduleDraft(size, _whole)
    below = draft.everyone[1:]
    draft.step(recv(below, 0, size_bytes))
    draft.step(send(np.zeros(size - 1, np.int32), below, size_bytes))
    return draft.turned(root)


def pipelined(
    size: int,
    size_bytes: int,
    root: int = 0,
    *,
    block_bytes: int = BLOCK_BYTES,
    order: Sequence[int] | None = None,
) -> ScheduleDraft:
    """Along a chain of ranks in blocks; a rank passes one block on while the next one comes in.

    `order` is the chain, as distances from the root (0 first); by default 0, 1, 2, ...
    """
    chain = np.arange(size, dtype=np.int32) if order is None else np.asarray(order, np.int32)
    if not np.array_equal(np.sort(chain), np.arange(size)) or chain[0] != 0:
        raise ScheduleError(
            f"expected a broadcast chain of ranks 0 to {size - 1}, each rank once and rank 0 (the root) first, "
            f"got {chain.tolist()!s:.60}"
        )
    blocks = [block_bytes] * (size_bytes // block_bytes) + [size_bytes % block_bytes]
    if len(blocks) > 1 and blocks[-1] == 0:
        blocks.pop()
    draft = ScheduleDraft(size, lambda sender, receiver, tag: (tag,))
    before, after = chain[:-1], chain[1:]
    for turn in range(len(blocks) + 1):
        actions = []
        if turn > 0:
            actions.append(send(before, after, blocks[turn - 1], turn - 1))
        if turn < len(blocks):
            actions.append(recv(after, before, blocks[turn], turn))
        draft.step(*actions)
    return draft.turned(root)


def smp_pipelined(
    size: int,
    size_bytes: int,
    root: int = 0,
    *,
    nodes: Sequence[int] | None = None,
    block_bytes: int = BLOCK_BYTES,
) -> ScheduleDraft:
    """Pipelined along a chain that visits node after node, so that data enters each node once.

    `nodes` gives the node of each rank of the group; without it every rank is alone on its node.
    """
    place = np.roll(node_of_each(size, nodes), -root)
    _, first, node = np.unique(place, return_index=True, return_inverse=True)
    order = np.argsort(first[node], kind="stable")  # nodes in the order of their first rank, the root's first
    return pipelined(size, size_bytes, root, block_bytes=block_bytes, order=order.tolist())


def scatter_allgather(size: int, size_bytes: int, root: int = 0) -> ScheduleDraft:
    """Every rank gets its part down a binomial tree, then all parts travel once around a ring."""
    parts = np.roll(split(size_bytes, size), root)  # part i belongs to the rank i places after the root
    return join(scatter.binomial(size, parts, root), allgather.ring(size, parts, root))
