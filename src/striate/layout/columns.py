"""Whole numbers in and out: scalars, lists and arrays become int64 columns and keep their shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import LayoutError
from striate.units import LARGEST

Int64 = npt.NDArray[np.int64]
Whole = int | Sequence[int] | npt.NDArray[np.integer[Any]]


def whole_numbers(values: Whole, what: str) -> Int64:
    """`values` as int64, in their shape; refuses floats, text, and numbers beyond 2^63 - 1."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(array.shape, np.int64)
    if array.dtype.kind not in "iu":
        raise LayoutError(f"expected whole numbers up to 2^63 - 1 for {what}, got {_shown(values)}")
    if array.dtype == np.uint64 and int(array.max()) > LARGEST:
        raise LayoutError(f"expected whole numbers up to 2^63 - 1 for {what}, got {int(array.max())}")
    return np.ascontiguousarray(array, np.int64).reshape(array.shape)


def together(first: Int64, second: Int64) -> tuple[Int64, Int64]:
    """Both in one shape, as NumPy broadcasts them; refuses shapes that do not fit."""
    try:
        one, other = np.broadcast_arrays(first, second)
    except ValueError:
        raise LayoutError(
            f"expected two arrays of one length, got arrays of shapes {first.shape} and {second.shape}"
        ) from None
    return np.ascontiguousarray(one).reshape(one.shape), np.ascontiguousarray(other).reshape(one.shape)


def positive(value: int, what: str) -> int:
    """`value` when it is a whole number from 1 to 2^63 - 1; refuses all else."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= LARGEST:
        raise LayoutError(f"expected {what} from 1 to 2^63 - 1, got {_shown(value)}")
    return int(value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
