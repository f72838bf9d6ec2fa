"""The caller's arrays: records to write as bytes, and arrays to read into; refused when they do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.plan.selection import as_array

Bytes = npt.NDArray[np.uint8]


def record_bytes(records: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Bytes:
    """The records as bytes in C order; refuses another shape or a type that would lose something."""
    array = as_array(records)
    if array.dtype != dtype:
        if not np.can_cast(array.dtype, dtype, "safe"):
            raise DatasetError(
                f"expected records of a type that converts to {dtype} without loss, got {array.dtype}"
            )
        array = array.astype(dtype)
    if array.shape != shape:
        raise DatasetError(f"expected records of shape {shape}, got {array.shape}")
    return bytes_of(np.ascontiguousarray(array))


def result_array(
    out: npt.NDArray[Any] | None, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    """Where to read into: `out` when it fits, or a new array."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        found = type(out).__name__
    elif out.dtype != dtype or out.shape != shape:
        found = f"one of {out.dtype} {out.shape}"
    elif not out.flags.c_contiguous:
        found = "one that is not contiguous"
    elif not out.flags.writeable:
        found = "one that is read-only"
    else:
        return out
    raise DatasetError(f"expected `out` to be a contiguous, writable array of {dtype} {shape}, got {found}")


def bytes_of(array: npt.NDArray[Any]) -> Bytes:
    """The bytes of a contiguous array."""
    return array.reshape(-1).view(np.uint8)
