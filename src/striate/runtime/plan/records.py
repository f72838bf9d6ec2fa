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
            raise DatasetError(f"expected records of {dtype}, got {array.dtype}")
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
    wanted = f"expected `out` to be a contiguous, writable array of {dtype} {shape}"
    if not isinstance(out, np.ndarray):
        raise DatasetError(f"{wanted}, got {type(out).__name__}")
    if out.dtype != dtype or out.shape != shape:
        raise DatasetError(f"{wanted}, got one of {out.dtype} {out.shape}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        flaw = "read-only" if out.flags.c_contiguous else "not contiguous"
        raise DatasetError(f"{wanted}, got one that is {flaw}")
    return out


def bytes_of(array: npt.NDArray[Any]) -> Bytes:
    """The bytes of a contiguous array."""
    return array.reshape(-1).view(np.uint8)
