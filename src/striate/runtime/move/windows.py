"""Windows: the part of every domain of a node that is in memory, twice where one is written while one is filled."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from striate.runtime.move.communicator.node import Node
from striate.runtime.plan.placement import Domains

Bytes = npt.NDArray[np.uint8]


class Windows:
    """`window_chunks` chunks of the domain of each rank of the node, for one round."""

    def __init__(self, node: Node, domains: Domains, *, window_chunks: int, chunk_bytes: int) -> None:
        self.node = node
        self.domains = domains
        self.window_chunks = window_chunks
        self.chunk_bytes = chunk_bytes
        self.rounds = -(-domains.chunks_per_domain // window_chunks)
        self.halves = min(self.rounds, 2)
        self.memory: Bytes | None = None

    @property
    def size(self) -> int:
        """Bytes of one window."""
        return self.window_chunks * self.chunk_bytes

    @property
    def total_bytes(self) -> int:
        """Bytes of all windows of the node."""
        return self.halves * len(self.node.members) * self.size

    def reuse(self) -> bool:
        """Take the memory of the dataset before, when it fits; the same answer on all ranks."""
        if self.node.spare is None or self.node.spare.size != self.total_bytes:
            return False
        self.memory = self.node.take(self.total_bytes)
        return True

    def allocate(self) -> bool:
        """Get the memory, once; False on all ranks of the node when there is too little to share."""
        if self.memory is None:
            self.memory = self.node.take(self.total_bytes)
        return self.memory is not None

    def release(self) -> None:
        """Give the memory back."""
        if self.memory is not None:
            self.node.give_back(self.memory)
            self.memory = None

    def shares_memory(self, round_: int, other: int) -> bool:
        """True when two rounds use the same window."""
        return round_ % self.halves == other % self.halves

    def shared(self, round_: int) -> Bytes:
        """The windows of all ranks of the node, side by side."""
        assert self.memory is not None
        span = len(self.node.members) * self.size
        return self.memory[round_ % self.halves * span :][:span]

    def of(self, rank: int, round_: int) -> Bytes:
        """The window of one rank of the node."""
        return self.shared(round_)[int(self.node.segments[rank]) * self.size :][: self.size]

    def chunk(self, chunk: int) -> Bytes:
        """The place of a chunk whose owner shares our memory."""
        owner = self.domains.owner(chunk)
        within = chunk - owner * self.domains.chunks_per_domain
        round_, at = divmod(within, self.window_chunks)
        return self.of(owner, round_)[at * self.chunk_bytes :][: self.chunk_bytes]
