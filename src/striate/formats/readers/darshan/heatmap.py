"""Heatmap records: bytes read and written by each rank in each stretch of the run, for one module."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_HEAD = 48  # id, rank, width of a bin, bins, and two pointers that mean nothing here


@dataclass(frozen=True, slots=True, eq=False)
class Heat:
    """Bytes of one rank by time."""

    id: int
    rank: int
    bin_seconds: float
    written: NDArray[np.int64]
    read: NDArray[np.int64]


def heat(version: int, content: bytes, *, order: str) -> tuple[list[Heat], bool] | None:
    """Records in the order of the log, and whether it ended well; None for a version we do not know."""
    if version != 1:
        return None
    found: list[Heat] = []
    at = 0
    while at + _HEAD <= len(content):
        number, rank, width, bins = struct.unpack_from(f"{order}Qqdq", content, at)
        at += _HEAD
        if not 0 <= bins <= (len(content) - at) // 16 or not 0 < width < 1e9:
            return found, False
        values = np.frombuffer(content, order + "i8", 2 * bins, at).astype(np.int64)
        found.append(Heat(number, rank, width, values[:bins], values[bins:]))
        at += 16 * bins
    return found, at == len(content)
