"""Numbers of a page as bytes: columns of variable-length integers or doubles, deflated together, base64 outside."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = Mapping[str, NDArray[Any]]
ROUGH_STEPS = 32  # to a doubling


def pack(columns: Columns, rough: Collection[str] = ()) -> tuple[list[dict[str, Any]], bytes]:
    """(directory, deflated bytes): what `web/lib/columns.js` turns back into typed arrays.

    Whole numbers become variable-length integers, of differences where those are shorter; others become doubles. Those
    named in `rough`, not negative, are kept as logarithms and come back right to about 1 %.
    """
    directory, parts = _parts(columns, rough)
    squeezer = zlib.compressobj(6, zlib.DEFLATED, -15)  # a raw stream: DecompressionStream("deflate-raw")
    return directory, squeezer.compress(b"".join(parts)) + squeezer.flush()


def estimated_size(columns: Columns, rough: Collection[str] = ()) -> int:
    """About how many bytes `pack` would make of them, rather too many than too few, in a part of its time."""
    return len(zlib.compress(b"".join(_parts(columns, rough)[1]), 1))


def _parts(columns: Columns, rough: Collection[str]) -> tuple[list[dict[str, Any]], list[bytes]]:
    directory, parts = [], []
    for name, column in columns.items():
        kind, content = _rough(np.asarray(column)) if name in rough else _encoded(np.asarray(column))
        directory.append({"name": name, "kind": kind, "rows": len(column), "bytes": len(content)})
        parts.append(content)
    return directory, parts


def as_text(content: bytes) -> str:
    """Bytes as text that no HTML parser looks into."""
    return base64.b64encode(content).decode()


def _encoded(column: NDArray[Any]) -> tuple[str, bytes]:
    if column.dtype.kind == "f":
        return "double", column.astype("<f8").tobytes()
    plain = column.astype(np.int64)
    steps = np.diff(plain, prepend=0)
    if _length(steps) < _length(plain):
        return "steps", varints(steps)
    return "whole", varints(plain)


def _rough(column: NDArray[Any]) -> tuple[str, bytes]:
    return "rough", varints(np.rint(np.log2(column + 1.0) * ROUGH_STEPS).astype(np.int64))


def _length(values: NDArray[np.int64]) -> int:
    """About how many bytes the variable-length integers take."""
    return int(np.log2(np.abs(values.astype(np.float64)) * 2 + 1).sum() / 7) + len(values)


def varints(values: NDArray[np.int64]) -> bytes:
    """Zigzag, then seven bits a byte, lowest first, the eighth bit saying that more follow."""
    rest = ((values << 1) ^ (values >> 63)).view(np.uint64)
    sizes = np.ones(len(rest), np.int64)
    for limit in range(7, 64, 7):
        sizes += rest >= np.uint64(1) << np.uint64(limit)
    ends = np.cumsum(sizes)
    out = np.zeros(int(ends[-1]) if len(ends) else 0, np.uint8)
    at = ends - sizes
    live = np.arange(len(rest))
    while len(live):
        more = sizes[live] > 1
        out[at[live]] = (rest[live] & np.uint64(127)).astype(np.uint8) | (more.astype(np.uint8) << 7)
        live = live[more]
        rest[live] >>= np.uint64(7)
        sizes[live] -= 1
        at[live] += 1
    return out.tobytes()
