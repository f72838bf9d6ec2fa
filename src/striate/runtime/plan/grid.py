"""The grid: a global array divided into chunks of one size, each a contiguous run of the array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from striate.errors import DatasetError
from striate.units import LARGEST

MOST_CHUNKS = 2**16
MOST_DIMENSIONS = 32


@dataclass(frozen=True)
class Grid:
    """`shape` elements of `item_bytes` bytes, in C order, divided into chunks of `chunk_shape`.

    A chunk is one run of elements, so `chunk_shape` is ones, then a part of one axis, then whole axes. A part of
    the first axis may leave the last chunk short; a part of a later axis divides it. Raises DatasetError else.
    """

    shape: tuple[int, ...]
    item_bytes: int
    chunk_shape: tuple[int, ...]

    def __post_init__(self) -> None:
        check_shape(self.shape, self.item_bytes)
        if len(self.chunk_shape) != len(self.shape) or not all(part >= 1 for part in self.chunk_shape):
            raise DatasetError(
                "expected one chunk length of at least 1 per axis, "
                f"got {self.chunk_shape} for shape {self.shape}"
            )
        axis = next((axis for axis, part in enumerate(self.chunk_shape) if part > 1), len(self.shape) - 1)
        whole = self.chunk_shape[axis + 1 :] == self.shape[axis + 1 :] or self.elements == 0
        divides = axis == 0 or self.shape[axis] % self.chunk_shape[axis] == 0
        if not (whole and divides) or math.prod(self.chunk_shape) * self.item_bytes > LARGEST:
            raise DatasetError(
                f"expected chunks that are contiguous in an array of shape {self.shape}, "
                f"got chunks of shape {self.chunk_shape}"
            )

    @cached_property
    def elements(self) -> int:
        """Elements of the whole array."""
        return math.prod(self.shape)

    @cached_property
    def total_bytes(self) -> int:
        """Bytes of the whole array."""
        return self.elements * self.item_bytes

    @cached_property
    def chunk_elements(self) -> int:
        """Elements of a full chunk."""
        return math.prod(self.chunk_shape)

    @cached_property
    def chunk_bytes(self) -> int:
        """Bytes of a full chunk, as it is stored uncompressed: the last one is filled up with zeros."""
        return self.chunk_elements * self.item_bytes

    @cached_property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.elements // self.chunk_elements)


known_grid = lru_cache(1024)(Grid)  # of grids that are asked for again and again: checked when they are made


def check_shape(shape: Sequence[int], item_bytes: int) -> tuple[int, ...]:
    """`shape` as a tuple; refuses no axes, too many, lengths below 0, and arrays beyond 2^63 - 1 bytes."""
    if not 1 <= len(shape) <= MOST_DIMENSIONS:
        raise DatasetError(f"expected an array of 1 to {MOST_DIMENSIONS} axes, got {len(shape)}")
    if item_bytes < 1 or any(length < 0 for length in shape):
        raise DatasetError(
            "expected axes of length 0 or more and elements of at least 1 byte, "
            f"got shape {tuple(shape)} and elements of {item_bytes} bytes"
        )
    if math.prod(max(length, 1) for length in shape) * item_bytes > LARGEST:
        raise DatasetError(
            "expected an array of at most 2^63 - 1 bytes, "
            f"got shape {tuple(shape)} with elements of {item_bytes} bytes"
        )
    return tuple(int(length) for length in shape)


def plan_grid(
    shape: Sequence[int], item_bytes: int, *, pieces: int, chunk_bytes: int, alignment: int
) -> Grid:
    """Chunks near `chunk_bytes`, and whole numbers of them in each of `pieces` near-equal pieces.

    A chunk is a multiple of `alignment` bytes where that costs at most an eighth.
    """
    lengths = check_shape(shape, item_bytes)
    axis = _split_axis(lengths, item_bytes, pieces=pieces, chunk_bytes=chunk_bytes)
    row_bytes = math.prod(max(length, 1) for length in lengths[axis + 1 :]) * item_bytes
    if axis == 0:
        part = _free_part(lengths[0], row_bytes, pieces=pieces, chunk_bytes=chunk_bytes, alignment=alignment)
    else:
        part = _dividing_part(lengths[axis], chunk_bytes // row_bytes)
    inner = tuple(max(length, 1) for length in lengths[axis + 1 :])
    return Grid(lengths, item_bytes, (1,) * axis + (part,) + inner)


def _split_axis(shape: tuple[int, ...], item_bytes: int, *, pieces: int, chunk_bytes: int) -> int:
    """The first axis that gives enough chunks of a good size; 0 when none does without too many."""
    for axis, length in enumerate(shape):
        outer = math.prod(shape[: axis + 1])
        row_bytes = math.prod(shape[axis + 1 :]) * item_bytes
        if outer >= pieces and row_bytes <= chunk_bytes:
            part = 1 if axis == 0 else _dividing_part(length, chunk_bytes // max(row_bytes, 1))
            return axis if axis == 0 or outer // part <= MOST_CHUNKS else 0
    return 0


def _free_part(length: int, row_bytes: int, *, pieces: int, chunk_bytes: int, alignment: int) -> int:
    rows_per_piece = max(1, -(-length // pieces))
    chunks_per_piece = max(1, -(-rows_per_piece * row_bytes // chunk_bytes))
    chunks_per_piece = min(chunks_per_piece, max(1, MOST_CHUNKS // pieces))
    rows = -(-rows_per_piece // chunks_per_piece)
    step = alignment // math.gcd(row_bytes, alignment)
    return -(-rows // step) * step if rows >= 8 * step else rows


def _dividing_part(length: int, most: int) -> int:
    """The largest divisor of `length` up to `most`, at least 1."""
    small = [number for number in range(1, math.isqrt(max(length, 1)) + 1) if length % number == 0]
    divisors = small + [length // number for number in small if length]
    return max([number for number in divisors if 1 <= number <= most], default=1)
