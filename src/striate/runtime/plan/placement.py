"""Placement: which I/O server holds each chunk, and in which slot of its sub-file (paper 002, section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError

Int64 = npt.NDArray[np.int64]


class ByteLayout(Protocol):
    """What a layout of `striate.layout` says: on which server a byte of the file lives."""

    servers: int

    def locate(self, offsets: Any) -> tuple[Int64, Int64]: ...


@dataclass(frozen=True)
class Domains:
    """Contiguous runs of chunks, one for each rank, as equal as whole chunks allow; the last ones may be short."""

    chunks: int
    ranks: int
    chunks_per_domain: int

    def __post_init__(self) -> None:
        assert self.chunks_per_domain >= 1
        assert self.chunks_per_domain * self.ranks >= self.chunks

    @classmethod
    def even(cls, chunks: int, ranks: int) -> Domains:
        """For any number of ranks: ceil(chunks / ranks) each."""
        return cls(chunks, ranks, max(1, -(-chunks // ranks)))

    @classmethod
    def grouped(cls, chunks: int, ranks: int, group_factor: int) -> Domains:
        """Domains that are `group_factor` whole blocks each."""
        return cls(chunks, ranks, group_factor * chunks_per_block(chunks, ranks, group_factor))

    def of(self, rank: int) -> range:
        """The chunks of one rank."""
        first = min(rank * self.chunks_per_domain, self.chunks)
        return range(first, min(first + self.chunks_per_domain, self.chunks))

    def owner(self, chunk: int) -> int:
        """The rank whose domain holds `chunk`."""
        return chunk // self.chunks_per_domain


def chunks_per_block(chunks: int, ranks: int, group_factor: int) -> int:
    """A block is this many chunks: each rank's domain is divided into `group_factor` blocks of one size."""
    return max(1, -(-chunks // (ranks * group_factor)))


def group_by_factor(chunks: int, *, ranks: int, servers: int, group_factor: int) -> Int64:
    """The server of each chunk: blocks, round-robin over the servers.

    Factor 1 sends a whole domain to one server (most locality), factor `servers` spreads it over all (most
    parallelism). Refuses factors outside 1 to `servers`.
    """
    if not 1 <= group_factor <= servers:
        raise DatasetError(
            f"expected a group factor (pieces per rank's part of the array) from 1 to {servers} (the number "
            f"of servers), got {group_factor}"
        )
    blocks = np.arange(chunks, dtype=np.int64) // chunks_per_block(chunks, ranks, group_factor)
    return blocks % servers


def group_by_layout(chunks: int, *, chunk_bytes: int, servers: int, layout: ByteLayout) -> Int64:
    """The server of each chunk: the one that the layout gives its first byte."""
    if layout.servers > servers:
        raise DatasetError(f"expected a layout over at most {servers} servers, got {layout.servers}")
    return np.asarray(layout.locate(np.arange(chunks, dtype=np.int64) * chunk_bytes)[0], np.int64)


def slots(server_of_chunk: Int64) -> Int64:
    """The slot of each chunk: how many earlier chunks are on the same server."""
    order = np.argsort(server_of_chunk, kind="stable")
    grouped = server_of_chunk[order]
    first = np.searchsorted(grouped, grouped, side="left")
    places = np.empty_like(server_of_chunk)
    places[order] = np.arange(len(order)) - first
    return places


def offsets_in_subfiles(server_of_chunk: Int64, lengths: Int64, starts: Int64) -> tuple[Int64, Int64]:
    """Where each chunk begins when every server appends its chunks in order from `starts[server]` on; where each ends.

    The ends are those of the servers, whether they have chunks or not.
    """
    order = np.argsort(server_of_chunk, kind="stable")
    servers, sizes = server_of_chunk[order], lengths[order]
    before = np.concatenate([[0], np.cumsum(sizes)])
    first = before[np.searchsorted(servers, np.arange(len(starts) + 1))]
    offsets = np.empty_like(lengths)
    offsets[order] = (starts - first[:-1])[servers] + before[:-1]
    return offsets, starts + np.diff(first)
