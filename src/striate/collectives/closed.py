"""Sums of algorithms with a round per rank or per block, in closed form, for groups too large to draft.

Each function gives what its algorithm's draft gives (`tests/unit/collectives/test_tally.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from striate.collectives.algorithms import bcast, scatter
from striate.collectives.draft import INSTRUCTIONS_PER_BYTE, ScheduleDraft
from striate.collectives.shapes import Sizes, per_rank, split
from striate.collectives.tally import Tally


def _allgather_ring(size: int, size_bytes: ArrayLike) -> Tally:
    """A rank passes on all parts but its right neighbour's, and receives all but its own."""
    parts = per_rank(size_bytes, size)
    return _rounds(size, size - 1, parts.sum() - np.roll(parts, -1), parts.sum() - parts)


def _allgather_direct(size: int, size_bytes: ArrayLike) -> Tally:
    parts = per_rank(size_bytes, size)
    return _rounds(size, size - 1, (size - 1) * parts, parts.sum() - parts)


def _allreduce_ring(size: int, size_bytes: int) -> Tally:
    """Twice around, less the last two parts that would come; the first time around is combined."""
    parts = split(size_bytes, size)
    own, after = parts, np.roll(parts, -1)
    total = parts.sum()
    return _rounds(
        size,
        2 * (size - 1),
        2 * total - after - np.roll(parts, -2),
        2 * total - own - after,
        (total - own) * INSTRUCTIONS_PER_BYTE,
    )


def _alltoall_pairwise(size: int, size_bytes: ArrayLike) -> Tally:
    blocks = np.asarray(size_bytes, np.int64)
    if not blocks.ndim:
        return _rounds(size, size - 1, (size - 1) * blocks, (size - 1) * blocks)
    own = np.diagonal(blocks)
    return _rounds(size, size - 1, blocks.sum(axis=1) - own, blocks.sum(axis=0) - own)


def _reduce_scatter_pairwise(size: int, size_bytes: ArrayLike) -> Tally:
    parts = per_rank(size_bytes, size)
    mine = (size - 1) * parts
    return _rounds(size, size - 1, parts.sum() - parts, mine, mine * INSTRUCTIONS_PER_BYTE)


def _scatter_allgather(size: int, size_bytes: int, root: int = 0) -> Tally:
    parts = np.roll(split(size_bytes, size), root)
    return scatter.binomial(size, parts, root).tally() + _allgather_ring(size, parts)


def _in_blocks(chain: Callable[..., ScheduleDraft]) -> Callable[..., Tally]:
    """A pipeline of one block, and as many messages as there are blocks."""

    def tally(size: int, size_bytes: int, root: int = 0, **options: Any) -> Tally:
        whole = chain(size, size_bytes, root, block_bytes=max(size_bytes, 1), **options).tally()
        blocks = max(-(-size_bytes // bcast.BLOCK_BYTES), 1)
        return Tally.of(
            size,
            sent_bytes=whole.sent_bytes,
            received_bytes=whole.received_bytes,
            sent_messages=whole.sent_messages * blocks,
            received_messages=whole.received_messages * blocks,
        )

    return tally


def _rounds(size: int, messages: int, sent: Sizes, received: Sizes, instructions: ArrayLike = 0) -> Tally:
    """Every rank sends and receives a message in every round."""
    return Tally.of(
        size,
        sent_bytes=sent,
        received_bytes=received,
        sent_messages=messages,
        received_messages=messages,
        instructions=instructions,
    )


CLOSED: dict[tuple[str, str], Callable[..., Tally]] = {
    ("allgather", "ring"): _allgather_ring,
    ("allgather", "direct"): _allgather_direct,
    ("allreduce", "ring"): _allreduce_ring,
    ("alltoall", "pairwise"): _alltoall_pairwise,
    ("bcast", "pipelined"): _in_blocks(bcast.pipelined),
    ("bcast", "smp-pipelined"): _in_blocks(bcast.smp_pipelined),
    ("bcast", "scatter-allgather"): _scatter_allgather,
    ("reduce_scatter", "pairwise"): _reduce_scatter_pairwise,
}
