"""Meshes of any size: the edges of any part of the list, without the rest of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from striate import _core
from striate.errors import WorkloadError

NODE = np.dtype([("x", "f4", (2,)), ("v", "f8", (4,))])  # paper 002, section 4.1: 40 bytes per node

_BLOCK = 2**16  # edges made from one seed, so that any part of the list can be made alone
PATTERNS = ("random", "local")


@dataclass(frozen=True)
class Mesh:
    """`nodes` nodes and one and a half times as many edges, as in the paper (8 M and 12 M).

    Pattern "random" joins any two nodes: the worst case. "local" joins neighbours of a square grid, and two edges
    in a hundred go anywhere. The same seed gives the same mesh, however many ranks make it.
    """

    nodes: int
    pattern: str = "random"
    seed: int = 1

    def __post_init__(self) -> None:
        if self.nodes < 2 or self.pattern not in PATTERNS:
            raise WorkloadError(
                "expected a mesh of at least 2 nodes and a pattern of its edges among "
                f"{', '.join(PATTERNS)}, got {self.nodes} nodes and the pattern {self.pattern!r}"
            )

    @property
    def edges(self) -> int:
        """Number of edges."""
        return self.nodes * 3 // 2

    def part(self, rank: int, ranks: int) -> npt.NDArray[np.int32]:
        """The edges of one rank, a row of two nodes each: the list dealt in equal blocks."""
        return self.between(rank * self.edges // ranks, (rank + 1) * self.edges // ranks)

    def between(self, first: int, end: int) -> npt.NDArray[np.int32]:
        """Edges `first` to `end` of the list."""
        blocks = range(first // _BLOCK, -(-end // _BLOCK))
        if not blocks or end <= first:
            return np.zeros((0, 2), np.int32)
        made = np.concatenate([self._block(block) for block in blocks])
        return made[first - blocks[0] * _BLOCK : end - blocks[0] * _BLOCK]

    def _block(self, block: int) -> npt.NDArray[np.int32]:
        random = np.random.default_rng([self.seed, block])
        ends = random.integers(0, self.nodes, (_BLOCK, 2), dtype=np.int32)
        if self.pattern == "random":
            return ends
        numbers = np.arange(block * _BLOCK, (block + 1) * _BLOCK, dtype=np.int64)
        start = numbers * 2 // 3 % self.nodes
        step = np.where(numbers % 2 == 0, 1, math.isqrt(self.nodes))
        near = np.stack([start, (start + step) % self.nodes], axis=1).astype(np.int32)
        far = random.random(_BLOCK) < 0.02
        near[far, 1] = ends[far, 1]
        return near


def touched(edges: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """The nodes at the ends of edges, each once, in the order they are first met: the indirection array."""
    backwards = np.ascontiguousarray(edges.reshape(-1)[::-1])
    top = int(backwards.max(initial=-1)) + 1
    bits: Any = np.zeros(-(-max(top, 1) // 64), np.uint64)
    _core.mark_records(backwards, 0, bits)
    first = _core.resolve_records(backwards, 0, bits)
    met: npt.NDArray[np.int32] = backwards[first[::-1]]
    return met
