"""Selections: an index array or a hyperslab as numbered units of equal size, in the order of the caller's array."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.plan.grid import Grid

Positions = npt.NDArray[Any]  # int32 or int64


@dataclass(frozen=True)
class Selection:
    """Runs of `run` elements that begin at `starts` (flat, in elements), and the shape of the caller's array."""

    starts: Positions
    run: int
    shape: tuple[int, ...]
    by_row: bool  # starts are numbers of rows along the first axis, not of elements

    def unit(self, chunk_elements: int) -> int:
        """The largest unit, in elements, that divides all runs and chunks; 0 when nothing is selected."""
        if not self.starts.size or not self.run:
            return 0
        common = math.gcd(self.run, chunk_elements)
        if self.by_row:
            return common
        return math.gcd(common, int(np.gcd.reduce(self.starts)))

    def in_units(self, unit: int) -> Positions:
        """The selection as numbers of units of `unit` elements."""
        per_run = self.run // unit
        if self.by_row and per_run == 1:
            return self.starts
        firsts = self.starts.astype(np.int64) * per_run if self.by_row else self.starts // unit
        if per_run == 1:
            return firsts
        spread: Positions = (firsts[:, None] + np.arange(per_run)[None, :]).reshape(-1)
        return spread


def select(where: Any, grid: Grid) -> Selection:
    """What `where` means, as NumPy would index the whole array with it.

    An array of whole numbers takes rows along the first axis; a slice, or a tuple of slices and numbers, takes a
    hyperslab. Negative indices are refused: in an index array they are nearly always a mistake.
    """
    if isinstance(where, slice | tuple) or where is Ellipsis:
        return _slab(where if isinstance(where, tuple) else (where,), grid)
    indices = as_array(where)
    if indices.size == 0:
        indices = indices.astype(np.int32)
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise DatasetError(
            f"expected a one-dimensional array of whole numbers, or slices, got {indices.ndim} axes of {indices.dtype}"
        )
    if indices.dtype.type not in (np.int32, np.int64) or not indices.dtype.isnative:
        indices = _signed(indices)
    _refuse_outside(indices, grid.shape[0])
    row = math.prod(grid.shape[1:])
    return Selection(np.ascontiguousarray(indices), row, (indices.size, *grid.shape[1:]), by_row=True)


def as_array(values: Any) -> npt.NDArray[Any]:
    """An array of what was given, through DLPack where NumPy knows no other way; refuses what is none.

    Memory of the host is used as it is. That of a device is refused: the caller decides when it is copied.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise DatasetError("expected an array without a mask: give a filled one")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DatasetError(f"expected an array, got lists of several lengths: {error}") from None
    except (TypeError, RuntimeError) as error:  # as CuPy and torch say it
        return _through_dlpack(values, error)
    return _through_dlpack(values, None) if array.dtype == object else array


def _through_dlpack(values: Any, refusal: Exception | None) -> npt.NDArray[Any]:
    kind = f"{type(values).__module__}.{type(values).__name__}"
    if not hasattr(values, "__dlpack__"):
        if refusal is None:
            return np.asarray(values)
        raise DatasetError(f"expected an array, got {kind}: {refusal}") from None
    try:
        return np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise DatasetError(
            f"expected an array in the host's memory, got {kind}: copy it first ({error})"
        ) from None


def _signed(indices: Positions) -> Positions:
    if indices.dtype.kind == "u" and indices.dtype.itemsize == 8 and indices.max() > np.iinfo(np.int64).max:
        raise DatasetError(f"expected indices up to 2^63 - 1, got {indices.max()}")
    return indices.astype(np.int64)


def _refuse_outside(indices: Positions, rows: int) -> None:
    if not indices.size:
        return
    low, high = int(indices.min()), int(indices.max())
    if low < 0 or high >= rows:
        wrong = int(np.flatnonzero((indices < 0) | (indices >= rows))[0])
        raise DatasetError(
            f"expected indices from 0 to {rows - 1}, got {indices[wrong]}", at=f"indices[{wrong}]"
        )


def _slab(where: tuple[Any, ...], grid: Grid) -> Selection:
    axes = [_axis(part, length) for part, length in zip(_filled(where, grid), grid.shape, strict=True)]
    shape = tuple(len(numbers) for numbers, kept in axes if kept)
    run, last = 1, len(axes)
    while last > 0:  # whole axes at the end, and one contiguous part before them, make one run
        numbers = axes[last - 1][0]
        if numbers.step != 1 and len(numbers) > 1:
            break
        run, last = run * len(numbers), last - 1
        if len(numbers) != grid.shape[last]:
            break
    strides = [math.prod(grid.shape[axis + 1 :]) for axis in range(len(axes))]
    starts = np.zeros(1, np.int64)
    for axis, (numbers, _) in enumerate(axes):
        values = np.asarray(numbers[:1] if axis >= last else numbers, np.int64)
        starts = (starts[:, None] + values[None, :] * strides[axis]).reshape(-1)
    return Selection(starts, run, shape, by_row=False)


def _filled(where: tuple[Any, ...], grid: Grid) -> list[Any]:
    """One entry per axis: an ellipsis, or nothing at the end, stands for whole axes."""
    dots = [at for at, part in enumerate(where) if part is Ellipsis]
    if len(dots) > 1 or len(where) - len(dots) > len(grid.shape):
        raise DatasetError(
            f"expected at most one index or slice per axis of shape {grid.shape}, got {len(where)}"
        )
    at = dots[0] if dots else len(where)
    missing = [slice(None)] * (len(grid.shape) - (len(where) - len(dots)))
    return [*where[:at], *missing, *where[at + 1 :]]


def _axis(part: Any, length: int) -> tuple[range, bool]:
    """The indices along one axis, and whether the axis stays in the result."""
    if isinstance(part, slice):
        try:
            numbers = range(*part.indices(length))
        except (TypeError, ValueError) as error:
            raise DatasetError(f"expected a slice of whole numbers, got {part}: {error}") from None
        if numbers.step < 0:
            raise DatasetError(f"expected a slice with a positive step, got {part}")
        return numbers, True
    if isinstance(part, int | np.integer) and not isinstance(part, bool) and 0 <= part < length:
        return range(int(part), int(part) + 1), False
    raise DatasetError(f"expected a slice or a number from 0 to {length - 1}, got {part!r}")
