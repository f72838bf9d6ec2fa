"""Spatial access patterns 0 to 4 of thesis 003, section 3.1: made to order, and recognised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from striate.errors import LayoutError
from striate.layout.columns import Int64, Whole, positive, whole_numbers
from striate.layout.extents import Extents


class Pattern(IntEnum):
    """How the ranks share the file, by the numbers of figure 3.1; the rest has no number there."""

    FILE_PER_PROCESS = 0
    PARTITIONED = 1  # global partitioned sequential: each rank one area, together the whole file
    PARTIAL = 2  # the same, but only a part of the file
    STRIDED = 3  # global interleaved sequential, equal blocks at equal strides
    IRREGULAR = 4  # interleaved, blocks or strides of different sizes
    RANDOM = 5  # some rank goes back in the file
    OVERLAPPING = 6  # some byte is accessed by two ranks


@dataclass(frozen=True, eq=False)
class AccessPhase:
    """What the ranks did between two barriers: one row per access, in each rank's own order."""

    rank: Int64
    file: Int64
    extents: Extents

    def __init__(self, rank: Whole, file: Whole, extents: Extents) -> None:
        ranks, files = whole_numbers(rank, "ranks"), whole_numbers(file, "files")
        if not len(ranks) == len(files) == len(extents):
            found = f"{len(ranks)} ranks, {len(files)} files, {len(extents)} runs"
            raise LayoutError(f"expected one rank, one file and one byte run per access, got {found}")
        object.__setattr__(self, "rank", ranks)
        object.__setattr__(self, "file", files)
        object.__setattr__(self, "extents", extents)

    def of_rank(self, rank: int) -> Extents:
        """That rank's accesses, in its order."""
        mine = self.rank == rank
        return Extents.trusted(self.extents.offsets[mine], self.extents.sizes[mine])


def file_per_process(ranks: int, size: int) -> AccessPhase:
    """Pattern 0: rank r writes `size` bytes into file r."""
    numbers = np.arange(positive(ranks, "ranks"))
    return AccessPhase(numbers, numbers, Extents(np.zeros_like(numbers), np.full_like(numbers, size)))


def partitioned(sizes: Sequence[int], start: int = 0) -> AccessPhase:
    """Pattern 1 (from byte 0) or 2 (from a later one): rank r gets the next `sizes[r]` bytes of one file."""
    lengths = whole_numbers(sizes, "sizes")
    offsets = start + np.cumsum(lengths) - lengths
    return AccessPhase(np.arange(len(lengths)), np.zeros_like(lengths), Extents(offsets, lengths))


def strided(ranks: int, block: int, count: int, gap: int = 0) -> AccessPhase:
    """Pattern 3: `count` rounds of one block per rank, `gap` unused bytes after every round."""
    rounds, numbers = np.divmod(np.arange(positive(ranks, "ranks") * positive(count, "rounds")), ranks)
    offsets = rounds * (ranks * block + gap) + numbers * block
    return AccessPhase(numbers, np.zeros_like(numbers), Extents(offsets, np.full_like(offsets, block)))


def irregular(ranks: int, largest: int, count: int, seed: int) -> AccessPhase:
    """Pattern 4: `count` rounds of one block per rank, each of 1 to `largest` bytes."""
    sizes = np.random.default_rng(seed).integers(1, positive(largest, "bytes") + 1, ranks * count)
    numbers = np.tile(np.arange(positive(ranks, "ranks")), positive(count, "rounds"))
    return AccessPhase(numbers, np.zeros_like(numbers), Extents(np.cumsum(sizes) - sizes, sizes))


def scattered(ranks: int, block: int, count: int, seed: int) -> AccessPhase:
    """No pattern: every rank writes `count` blocks of its own at random places."""
    numbers = np.tile(np.arange(positive(ranks, "ranks")), positive(count, "blocks"))
    places = np.random.default_rng(seed).permutation(len(numbers)) * block
    return AccessPhase(numbers, np.zeros_like(numbers), Extents(places, np.full_like(places, block)))


@dataclass(frozen=True)
class Recognised:
    """The pattern of a phase, and what decided it."""

    pattern: Pattern
    reason: str


def recognise(phase: AccessPhase, file_size: int | None = None) -> Recognised:
    """The pattern of what the ranks did; `file_size` tells a whole file from a part, else its last byte does.

    Refuses a phase without bytes, and ranks that share several files at once.
    """
    filled = phase.extents.sizes > 0
    rank, file = phase.rank[filled], phase.file[filled]
    offsets, sizes = phase.extents.offsets[filled], phase.extents.sizes[filled]
    if not len(rank):
        raise LayoutError("expected at least one access of at least one byte in the I/O phase, got none")
    owners = np.unique(np.stack([file, rank]), axis=1)[0]
    if len(np.unique(owners)) == len(owners) and len(owners) > 1:
        return Recognised(Pattern.FILE_PER_PROCESS, f"{len(owners)} files, each of one rank")
    if len(np.unique(file)) > 1:
        raise LayoutError(
            f"expected an I/O phase with accesses to one shared file, got {len(np.unique(file))} files"
        )
    order = np.argsort(rank, kind="stable")
    return _recognise_shared(rank[order], offsets[order], sizes[order], file_size)


def _recognise_shared(rank: Int64, offsets: Int64, sizes: Int64, file_size: int | None) -> Recognised:
    """One file; rows by rank, and in each rank's own order."""
    ends = offsets + sizes
    if (overlap := _first_overlap(rank, offsets, ends)) is not None:
        return Recognised(Pattern.OVERLAPPING, f"ranks {overlap[0]} and {overlap[1]} access the same bytes")
    same_rank = rank[1:] == rank[:-1]
    back = same_rank & (offsets[1:] < ends[:-1])
    if back.any():
        return Recognised(Pattern.RANDOM, f"rank {rank[1:][back][0]} goes back in the file")
    begins = np.flatnonzero(np.r_[True, ~(same_rank & (offsets[1:] == ends[:-1]))])
    areas_rank, areas_offset = rank[begins], offsets[begins]
    areas_size = np.add.reduceat(sizes, begins)
    if len(np.unique(areas_rank)) == len(areas_rank):
        return _partition(areas_offset, areas_size, file_size)
    return _interleaving(areas_rank, areas_offset, areas_size)


def _first_overlap(rank: Int64, offsets: Int64, ends: Int64) -> tuple[int, int] | None:
    """Two ranks that share a byte: after sorting, a run that begins before another rank's reach ends."""
    order = np.argsort(offsets, kind="stable")
    by_offset, reach = rank[order], np.maximum.accumulate(ends[order])
    furthest = order[np.maximum.accumulate(np.where(ends[order] == reach, np.arange(len(order)), 0))]
    shared = (offsets[order][1:] < reach[:-1]) & (by_offset[1:] != rank[furthest[:-1]])
    if not shared.any():
        return None
    first = int(np.flatnonzero(shared)[0])
    pair = sorted((int(rank[furthest[first]]), int(by_offset[first + 1])))
    return pair[0], pair[1]


def _partition(offsets: Int64, sizes: Int64, file_size: int | None) -> Recognised:
    covered = Extents.trusted(offsets, sizes).merged()
    whole = covered.end if file_size is None else file_size
    if len(covered) == 1 and covered.total_bytes == whole:
        return Recognised(
            Pattern.PARTITIONED, f"{len(offsets)} areas, one per rank, make up all {whole} bytes"
        )
    return Recognised(
        Pattern.PARTIAL, f"{len(offsets)} areas, one per rank, {covered.total_bytes} of {whole} bytes"
    )


def _interleaving(rank: Int64, offsets: Int64, sizes: Int64) -> Recognised:
    same_rank = rank[1:] == rank[:-1]
    strides = np.unique((offsets[1:] - offsets[:-1])[same_rank])
    blocks = np.unique(sizes)
    if len(blocks) == 1 and len(strides) == 1:
        return Recognised(Pattern.STRIDED, f"blocks of {blocks[0]} bytes, {strides[0]} apart")
    found = f"blocks of {blocks[0]} to {blocks[-1]} bytes, {strides[0]} to {strides[-1]} apart"
    return Recognised(Pattern.IRREGULAR, found)
