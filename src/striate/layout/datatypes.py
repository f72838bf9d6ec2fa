"""MPI datatypes as byte runs: contiguous, vector, indexed, struct, subarray, darray, and the file views made of them.

A datatype is flattened to runs in type-map order, neighbours joined, exactly as an MPI library walks it. Displacements
may be negative, but not those of a file view: a file has no bytes before its first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from striate.errors import LayoutError
from striate.layout.columns import Int64, Whole, positive, whole_numbers
from striate.layout.extents import Extents
from striate.units import LARGEST

MOST_RUNS = 2**27


@dataclass(frozen=True)
class Datatype:
    """`runs` are the bytes with data; the next copy begins `extent` bytes after this one, from `lower` on."""

    runs: Extents
    lower: int
    extent: int

    @property
    def size(self) -> int:
        """Bytes of data."""
        return self.runs.total_bytes

    @property
    def is_dense(self) -> bool:
        """True when copies one after another make a single run."""
        return len(self.runs) == 1 and self.size == self.extent

    def resized(self, lower: int, extent: int) -> Datatype:
        """The same data, copies of which begin `extent` bytes apart."""
        return replace(self, lower=lower, extent=extent)


def element(size: int) -> Datatype:
    """A basic type of `size` bytes: `element(8)` for a double."""
    return Datatype(Extents([0], [positive(size, "bytes in an element")]), 0, size)


def contiguous(count: int, base: Datatype) -> Datatype:
    """`count` copies one after another."""
    copies = _count(count, "copies")
    if base.is_dense and copies:
        _fits(base.extent * copies + max(base.runs.end, 0))
        runs = Extents.trusted(base.runs.offsets, base.runs.sizes * copies)
        return Datatype(runs, base.lower, base.extent * copies)
    return _placed(base, _steps(copies, base.extent))


def vector(count: int, block: int, stride: int, base: Datatype) -> Datatype:
    """`count` blocks of `block` copies, begun every `stride` copies."""
    return hvector(count, block, stride * base.extent, base)


def hvector(count: int, block: int, stride_bytes: int, base: Datatype) -> Datatype:
    """`count` blocks of `block` copies, begun every `stride_bytes` bytes."""
    return _placed(contiguous(block, base), _steps(_count(count, "blocks"), stride_bytes))


def indexed(blocks: Whole, displacements: Whole, base: Datatype) -> Datatype:
    """Blocks of `blocks[i]` copies, begun `displacements[i]` copies in."""
    places = whole_numbers(displacements, "displacements")
    if places.size and max(int(places.max()), -int(places.min())) * base.extent > LARGEST:
        raise LayoutError(
            f"expected displacements within 2^63 - 1 bytes, got {places.min()} to {places.max()}"
        )
    return hindexed(blocks, places * base.extent, base)


def hindexed(blocks: Whole, displacements: Whole, base: Datatype) -> Datatype:
    """Blocks of `blocks[i]` copies, begun `displacements[i]` bytes in."""
    counts, places = whole_numbers(blocks, "block lengths"), whole_numbers(displacements, "displacements")
    if counts.ndim != 1 or counts.shape != places.shape:
        raise LayoutError(
            "expected one displacement per block length, "
            f"got arrays of shapes {counts.shape} and {places.shape}"
        )
    if counts.size and int(counts.min()) < 0:
        raise LayoutError(f"expected block lengths of 0 or more, got {int(counts.min())}")
    _fits(int(counts.max(initial=0)) * base.extent)
    if not base.is_dense:
        _refuse_many(int(counts.sum(dtype=object)))
        return _placed(base, np.repeat(places, counts) + _within_blocks(counts) * base.extent)
    counts, places = counts[counts > 0], places[counts > 0]
    if not len(counts):
        return _NOTHING
    sizes = counts * base.extent
    _within(places, int(sizes.max()) + base.runs.end, base)
    lower = int(places.min()) + base.lower
    runs = _joined(Extents.trusted(places + base.runs.offsets[0], sizes))
    return Datatype(runs, lower, int((places + sizes).max()) + base.lower - lower)


def struct(blocks: Whole, displacements: Whole, bases: Sequence[Datatype]) -> Datatype:
    """Blocks of `blocks[i]` copies of `bases[i]`, begun `displacements[i]` bytes in; no padding at the end."""
    counts, places = whole_numbers(blocks, "block lengths"), whole_numbers(displacements, "displacements")
    if not counts.shape == places.shape == (len(bases),):
        raise LayoutError(
            f"expected a block length and a displacement for each of {len(bases)} datatypes, "
            f"got arrays of shapes {counts.shape} and {places.shape}"
        )
    parts = [
        hindexed([count], [place], base) for count, place, base in zip(counts, places, bases, strict=True)
    ]
    parts = [part for part, count in zip(parts, counts, strict=True) if count]
    if not parts:
        return _NOTHING
    lower = min(part.lower for part in parts)
    offsets = np.concatenate([part.runs.offsets for part in parts])
    runs = _joined(Extents.trusted(offsets, np.concatenate([part.runs.sizes for part in parts])))
    return Datatype(runs, lower, max(part.lower + part.extent for part in parts) - lower)


def subarray(
    sizes: Sequence[int], subsizes: Sequence[int], starts: Sequence[int], base: Datatype, order: str = "C"
) -> Datatype:
    """The part of a larger array that begins at `starts`; order "C" (last index fastest) or "F"."""
    if not len(sizes) == len(subsizes) == len(starts) >= 1:
        raise LayoutError(
            "expected one size, one subsize and one start per dimension, "
            f"got sizes {sizes}, subsizes {subsizes}, starts {starts}"
        )
    for whole, part, start in zip(sizes, subsizes, starts, strict=True):
        if not (part >= 1 and start >= 0 and start + part <= whole):
            raise LayoutError(
                f"expected a subarray within elements 0 to {whole}, "
                f"got {part} elements from element {start} on"
            )
    owned = [(np.array([start]), np.array([part])) for start, part in zip(starts, subsizes, strict=True)]
    return _grid(sizes, owned, base, order)


@dataclass(frozen=True)
class Dealt:
    """How one dimension is dealt to processes: "block", "cyclic" or "none", by `argument` at a time."""

    kind: str
    argument: int | None = None  # None: MPI_DISTRIBUTE_DFLT_DARG

    def owned(self, size: int, processes: int, coordinate: int) -> tuple[Int64, Int64]:
        """First indices and lengths of what the process at `coordinate` gets of `size` indices."""
        if self.kind == "none":
            if processes != 1:
                raise LayoutError(
                    f"expected one process along a dimension that is not distributed, got {processes}"
                )
            return np.array([0]), np.array([size])
        if self.kind not in ("block", "cyclic"):
            raise LayoutError(f'expected the distribution "block", "cyclic" or "none", got {self.kind!r}')
        block = positive(self._block(size, processes), "indices at a time")
        if self.kind == "block" and block * processes < size:
            raise LayoutError(
                f"expected blocks of the distribution of at least {-(-size // processes)} indices, got {block}"
            )
        firsts = np.arange(coordinate * block, size, block * processes, dtype=np.int64)
        return firsts, np.minimum(block, size - firsts)

    def _block(self, size: int, processes: int) -> int:
        if self.argument is not None:
            return self.argument
        return -(-size // processes) if self.kind == "block" else 1


def darray(
    rank: int,
    sizes: Sequence[int],
    deals: Sequence[Dealt],
    grid: Sequence[int],
    base: Datatype,
    order: str = "C",
) -> Datatype:
    """What `rank` gets of an array dealt over a `grid` of processes, in which ranks lie in C order."""
    if not len(sizes) == len(deals) == len(grid) >= 1:
        raise LayoutError(
            "expected one size, one distribution and one number of processes per dimension, "
            f"got sizes {sizes}, {len(deals)} distributions, numbers of processes {grid}"
        )
    processes = int(np.prod([positive(count, "processes") for count in grid], dtype=object))
    if not 0 <= rank < processes:
        raise LayoutError(f"expected a rank from 0 to {processes - 1}, got {rank}")
    coordinates = np.unravel_index(rank, tuple(grid))
    owned = [
        deal.owned(positive(size, "indices"), count, int(coordinate))
        for deal, size, count, coordinate in zip(deals, sizes, grid, coordinates, strict=True)
    ]
    return _grid(sizes, owned, base, order)


def _grid(sizes: Sequence[int], owned: list[tuple[Int64, Int64]], base: Datatype, order: str) -> Datatype:
    """Every combination of owned indices, the slowest dimension outermost; the extent is the whole array."""
    if order not in ("C", "F"):
        raise LayoutError(f'expected the array order "C" or "F", got {order!r}')
    fastest_first = range(len(sizes)) if order == "F" else range(len(sizes) - 1, -1, -1)
    stride, part = base.extent, base
    for number, dimension in enumerate(fastest_first):
        firsts, lengths = owned[dimension]
        if number == 0:
            part = hindexed(lengths, firsts * stride, part)
        else:
            part = _placed(part, (np.repeat(firsts, lengths) + _within_blocks(lengths)) * stride)
        stride = _fits(stride * sizes[dimension])
    return Datatype(part.runs, 0, stride)


@dataclass(frozen=True)
class FileView:
    """A datatype tiled over a file from `displacement` on: what MPI_File_set_view makes of it."""

    displacement: int
    datatype: Datatype

    def __post_init__(self) -> None:
        first = int(self.datatype.runs.offsets.min(initial=0))
        if first < 0:
            raise LayoutError(
                f"expected a file view without data before byte 0, got a datatype with data at byte {first}"
            )
        _fits(self.datatype.size)  # which MPI counts in 63 bits, also where runs overlap

    def extents(self, start: int, size: int) -> Extents:
        """Where the `size` bytes of data from byte `start` of the view lie in the file, in order."""
        tile_bytes = self.datatype.size
        if start < 0 or size < 0 or (size and not tile_bytes):
            raise LayoutError(
                "expected a start and a size of 0 or more in a file view with data, "
                f"got {size} bytes at {start} of a view of {tile_bytes} bytes"
            )
        if size == 0:
            return Extents([], [])
        if self.datatype.is_dense:
            ahead = int(self.datatype.runs.offsets[0])
            return Extents([_fits(self.displacement + ahead + start)], [size])
        first, last = start // tile_bytes, (start + size - 1) // tile_bytes
        tiles = _placed(self.datatype, _steps(last - first + 1, self.datatype.extent)).runs
        ahead = _fits(self.displacement + first * self.datatype.extent)
        return _trimmed(tiles, start - first * tile_bytes, size).shifted(ahead)


def _trimmed(runs: Extents, skip: int, keep: int) -> Extents:
    """The runs without their first `skip` bytes, and only `keep` bytes of the rest."""
    ends = np.cumsum(runs.sizes)
    begins = ends - runs.sizes
    lows, highs = np.maximum(begins, skip), np.minimum(ends, skip + keep)
    kept = lows < highs
    return Extents.trusted((runs.offsets + (lows - begins))[kept], (highs - lows)[kept])


def _placed(base: Datatype, displacements: Int64) -> Datatype:
    """A copy of the datatype at each displacement, in order, neighbours joined."""
    _refuse_many(displacements.size * len(base.runs))
    if not displacements.size:
        return _NOTHING
    _within(displacements, max(base.runs.end, base.lower + base.extent), base)
    offsets = (displacements[:, None] + base.runs.offsets[None, :]).reshape(-1)
    runs = _joined(Extents.trusted(offsets, np.tile(base.runs.sizes, displacements.size)))
    lower = int(displacements.min()) + base.lower
    return Datatype(runs, lower, int(displacements.max()) + base.lower + base.extent - lower)


def _joined(runs: Extents) -> Extents:
    """Runs that follow one another in the list and in the file made one; empty ones dropped."""
    filled = runs.sizes > 0
    offsets, sizes = runs.offsets[filled], runs.sizes[filled]
    if len(offsets) < 2:
        return Extents.trusted(offsets, sizes)
    begins = np.flatnonzero(np.r_[True, offsets[1:] != offsets[:-1] + sizes[:-1]])
    return Extents.trusted(offsets[begins], np.add.reduceat(sizes, begins))


def _within_blocks(counts: Int64) -> Int64:
    """0, 1, ... of each block: [2, 3] -> 0 1 0 1 2."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def _steps(count: int, stride: int) -> Int64:
    _fits(abs(stride) * count)
    _refuse_many(count)
    return np.arange(count, dtype=np.int64) * stride


def _count(value: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value <= LARGEST:
        raise LayoutError(f"expected {what} from 0 to 2^63 - 1, got {value!r}")
    return int(value)


def _refuse_many(runs: int) -> None:
    if runs > MOST_RUNS:
        raise LayoutError(f"expected a datatype of at most {MOST_RUNS} byte runs, got {runs}")


def _within(displacements: Int64, reach: int, base: Datatype) -> None:
    """Refuse displacements from which a copy would leave the numbers of 64 bits."""
    _fits(int(displacements.max()) + max(reach, 0))
    _fits(-(int(displacements.min()) + min(int(base.runs.offsets.min(initial=0)), base.lower)))


def _fits(bytes_: int) -> int:
    if bytes_ > LARGEST:
        raise LayoutError(f"expected sizes and offsets of a datatype up to 2^63 - 1 bytes, got {bytes_}")
    return bytes_


_NOTHING = Datatype(Extents([], []), 0, 0)
