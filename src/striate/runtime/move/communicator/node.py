"""Node memory: one piece of memory that all ranks of a node read and write without messages."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from striate import _core
from striate.runtime.move.communicator.ranks import OneRank, Ranks

Bytes = npt.NDArray[np.uint8]


class Node:
    """The ranks that share our memory. `members` are their ranks in the whole group, `segments` the reverse.

    `numbers` tells ranks that share a memory by a number, for all ranks.
    """

    def __init__(self, ranks: Ranks, share: bool | int) -> None:
        self.ranks = _neighbours(ranks, share)
        self.members: list[int] = [
            int(rank) for rank in self.ranks.gather_rows(np.array([ranks.rank], np.int64))[:, 0]
        ]
        self.segments = np.full(ranks.size, -1, np.int32)
        self.segments[self.members] = np.arange(len(self.members), dtype=np.int32)
        self.numbers = ranks.gather_rows(np.array([min(self.members)], np.int64))[:, 0]
        self.is_everyone = len(self.members) == ranks.size
        self.spare: Bytes | None = None

    def take(self, size: int) -> Bytes | None:
        """As `allocate`, but of any content: what was given back last is used again when it has the size."""
        memory, self.spare = self.spare, None
        return memory if memory is not None and memory.size == size else self.allocate(size)

    def give_back(self, memory: Bytes) -> None:
        """Keep memory for the next dataset of this communicator: new pages cost more than what is put into them."""
        self.spare = memory

    def allocate(self, size: int) -> Bytes | None:
        """`size` bytes of memory, zero, shared by all ranks of the node; None on all when there is not so much."""
        if size == 0:
            return np.zeros(0, np.uint8)
        if self.ranks.size == 1:
            return np.zeros(size, np.uint8)
        path = _reserve(size) if self.ranks.rank == 0 else b""
        path = self.ranks.broadcast(path, 0)
        if not path:
            return None
        memory = _map(os.fsdecode(path), size)
        missing = self.ranks.largest([memory is None])[0]
        if self.ranks.rank == 0:
            Path(os.fsdecode(path)).unlink()
        return None if missing else memory


def _neighbours(ranks: Ranks, share: bool | int) -> Ranks:
    if share is True:
        return ranks.neighbours()
    if share is False or share == 1:
        return OneRank() if ranks.size == 1 else ranks.split(ranks.rank)
    neighbours = ranks.neighbours()
    part = neighbours.split(ranks.rank // int(share))
    if part is not neighbours:
        neighbours.free()
    return part


def _reserve(size: int) -> bytes:
    """A new file with all its pages reserved, so that touching it cannot fail later; nothing when it is too large."""
    folder = Path("/dev/shm")
    path = (folder if folder.is_dir() else Path(tempfile.gettempdir())) / f"striate-{secrets.token_hex(8)}"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return b""
    try:
        _core.reserve_shared(descriptor, size)
    except RuntimeError:
        path.unlink()
        return b""
    finally:
        os.close(descriptor)
    return os.fsencode(path)


def _map(path: str, size: int) -> Bytes | None:
    try:
        descriptor = os.open(path, os.O_RDWR)
        try:
            return _core.map_shared(descriptor, size)
        finally:
            os.close(descriptor)
    except (OSError, RuntimeError):
        return None
