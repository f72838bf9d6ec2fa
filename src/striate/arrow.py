"""Arrow arrays of NumPy columns and back, and rows taken of tables, without what pyarrow and NumPy import for them.

`pyarrow.array` and `to_numpy` import pandas wherever that is installed; `take`, `filter` and `cast` first describe
every function of Arrow. Together that is half a second of CPU time, more than reading most logs takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_LONGEST = 2**31 - 1  # bytes, or entries, that 32-bit offsets reach


def array(values: NDArray[Any]) -> pa.Array:
    """A column of numbers or truth values without nulls; numbers share their memory with it."""
    column = np.ascontiguousarray(values)
    content = np.packbits(column, bitorder="little") if column.dtype == np.bool_ else column
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(column.dtype), len(column), [None, pa.py_buffer(content)]
    )


def as_numpy(column: pa.ChunkedArray | pa.Array) -> NDArray[Any]:
    """A column as NumPy: that of numbers without nulls is a view of it, others are as `to_numpy` makes them."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    if column.null_count or not _plain(column.type) or not chunks:
        return np.asarray(column.to_numpy())
    parts = [_view(chunk) for chunk in chunks]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _plain(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _view(chunk: pa.Array) -> NDArray[Any]:
    content, length, first = chunk.buffers()[1], len(chunk), chunk.offset
    if pa.types.is_boolean(chunk.type):
        bits = np.unpackbits(np.frombuffer(content, np.uint8), count=first + length, bitorder="little")
        return bits[first:].astype(np.bool_)
    kind = np.dtype(chunk.type.to_pandas_dtype())
    return np.frombuffer(content, kind, length, first * kind.itemsize) if length else np.empty(0, kind)


def strings(values: Sequence[str]) -> pa.Array:
    """A column of strings without nulls."""
    encoded = [value.encode() for value in values]
    ends = _ends(encoded)
    if ends is None:
        return pa.array(values, pa.string())  # which knows how to refuse them
    content = pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))
    return pa.Array.from_buffers(pa.string(), len(encoded), [None, *content])


def lists(values: Sequence[Sequence[int] | NDArray[np.int64]]) -> pa.Array:
    """A column of lists of 64-bit numbers, without nulls."""
    ends = _ends(values)
    if ends is None:
        return pa.array(values, pa.list_(pa.int64()))
    parts = [np.asarray(value, np.int64) for value in values]
    return pa.ListArray.from_arrays(array(ends), array(np.concatenate([np.empty(0, np.int64), *parts])))


def _ends(values: Sequence[Any]) -> NDArray[np.int32] | None:
    """Where each value begins and the last one ends; None where they are too long for 32-bit offsets."""
    ends = np.cumsum([0, *map(len, values)], dtype=np.int64)
    return ends.astype(np.int32) if ends[-1] <= _LONGEST else None


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The values in order, each once; `np.unique` imports masked arrays for it, which takes longer than it does."""
    ordered = np.sort(values)
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return np.asarray(ordered[new])


def among(values: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each value is one of those wanted, as `np.isin` says."""
    ordered = np.sort(wanted)
    places = np.searchsorted(ordered, values, side="right") - np.searchsorted(ordered, values, side="left")
    return np.asarray(places > 0)


def empty(schema: pa.Schema) -> pa.Table:
    """A table of strings and numbers without rows."""
    columns = [
        strings([]) if pa.types.is_string(field.type) else array(np.empty(0, field.type.to_pandas_dtype()))
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def taken(table: pa.Table, rows: NDArray[Any]) -> pa.Table:
    """The rows of these numbers, in this order, as one chunk."""
    columns = [_taken(column, rows) for column in table.columns]
    return pa.Table.from_arrays(columns, schema=table.schema)


def _taken(column: pa.ChunkedArray, rows: NDArray[Any]) -> pa.Array:
    kind = column.type
    if pa.types.is_dictionary(kind) and _one_dictionary(column):
        codes = pa.chunked_array([chunk.indices for chunk in column.chunks], kind.index_type)
        return pa.DictionaryArray.from_arrays(_taken(codes, rows), column.chunks[0].dictionary)
    if _plain(kind) and not column.null_count:
        return array(as_numpy(column)[rows])
    found = column.take(array(np.asarray(rows, np.int64))).combine_chunks()
    return found if isinstance(found, pa.Array) else pa.concat_arrays(found.chunks)


def _one_dictionary(column: pa.ChunkedArray) -> bool:
    return bool(column.chunks) and all(
        chunk.dictionary.equals(column.chunks[0].dictionary) and not chunk.null_count
        for chunk in column.chunks
    )
