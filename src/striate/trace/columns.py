"""The columns of a trace: one row per operation; `docs/data-model.md` describes every one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from striate.arrow import array, strings
from striate.errors import TraceError
from striate.trace.kinds import KINDS, LEVELS

NONE = -1  # no file, no peer, no offset known, no request ...
UNFINISHED = -(2**31)  # status of a call that never returned

# name -> (NumPy type of the column, or of its codes; what a row says that says nothing)
NUMBERS: dict[str, tuple[Any, int]] = {
    "rank": (np.int32, 0),
    "thread": (np.int32, 0),
    "file": (np.int32, NONE),
    "offset": (np.int64, NONE),
    "bytes": (np.int64, 0),
    "blocks": (np.int64, 1),
    "stride": (np.int64, 0),
    "extents": (np.int32, NONE),
    "start": (np.int64, 0),
    "end": (np.int64, 0),
    "complete": (np.int64, NONE),
    "communicator": (np.int32, NONE),
    "peer": (np.int32, NONE),
    "tag": (np.int32, NONE),
    "source": (np.int32, NONE),
    "source_tag": (np.int32, NONE),
    "received": (np.int64, 0),
    "request": (np.int64, NONE),
    "region": (np.int32, NONE),
    "status": (np.int32, 0),
    "resource": (np.int32, NONE),
    "work": (np.int64, NONE),
    "instructions": (np.int64, 0),
}
ADDED = frozenset(
    ("resource", "work", "instructions")
)  # files from before lack them, and mean what says nothing
WORDS = {"level": LEVELS, "kind": KINDS}
NAMES = (
    "rank",
    "thread",
    "level",
    "kind",
    "function",
    "collective",
    *[name for name in NUMBERS if name not in ("rank", "thread")],
)


def operations(rows: int, columns: Mapping[str, Any]) -> pa.Table:
    """A table of `rows` operations; a column left out says nothing, a number stands for all rows.

    `level` and `kind` are codes into `LEVELS` and `KINDS`; `function` is a pair (codes, names).
    """
    unknown = set(columns) - set(NAMES)
    assert not unknown, f"no such column: {unknown}"
    arrays = {}
    for name in NAMES:
        if name in WORDS:
            codes = _column(columns.get(name, 0), rows, np.int8)
            arrays[name] = pa.DictionaryArray.from_arrays(array(codes), strings(WORDS[name]))
        elif name == "function":
            codes, names = columns.get(name, (0, ("",)))
            codes = _column(codes, rows, np.int16)
            arrays[name] = pa.DictionaryArray.from_arrays(array(codes), strings(names))
        elif name == "collective":
            arrays[name] = array(_column(columns.get(name, False), rows, np.bool_))
        elif name == "complete" and name not in columns:
            arrays[name] = array(_column(columns.get("end", 0), rows, np.int64))
        else:
            kind, default = NUMBERS[name]
            arrays[name] = array(_column(columns.get(name, default), rows, kind))
    return pa.table(arrays)


def _column(values: Any, rows: int, kind: Any) -> NDArray[Any]:
    if isinstance(values, int | np.integer | bool):
        return np.full(rows, values, kind)
    array: NDArray[Any] = np.ascontiguousarray(values, dtype=kind)
    assert array.shape == (rows,), f"expected {rows} rows, got {array.shape}"
    return array


def expect_columns(found: Collection[str]) -> None:
    """Raise TraceError when a column is missing that every trace has."""
    missing = [name for name in NAMES if name not in found and name not in ADDED]
    if missing:
        raise TraceError(f"expected a column {missing[0]!r} in the trace, found none", at="columns")


def _coded(column: pa.ChunkedArray) -> tuple[Any, pa.Array]:
    """The number of each row's word, and the words that rows have, each kept once however long it is."""
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    array = column.unify_dictionaries().combine_chunks()
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    used, numbers = np.unique(array.indices.to_numpy(zero_copy_only=False), return_inverse=True)
    return numbers, pc.take(array.dictionary, pa.array(used)).cast(pa.string())


def normalised(table: pa.Table) -> pa.Table:
    """The same rows with exactly our columns, types and words; raises TraceError where that cannot be."""
    import pyarrow.compute as pc

    expect_columns(table.column_names)
    columns: dict[str, Any] = {}
    for name in (name for name in NAMES if name in table.column_names):
        column = table.column(name)
        if column.null_count:
            raise TraceError(
                f"expected a value in every row of the column {name}, "
                f"found {column.null_count} rows without a value",
                at=name,
            )
        try:
            if name in WORDS:
                numbers, words = _coded(column)
                codes = pc.index_in(words, pa.array(WORDS[name])).to_numpy(zero_copy_only=False)
                if np.isnan(codes.astype(float)).any():
                    raise TraceError(f"expected one of {', '.join(WORDS[name])}", at=f"column {name}")
                columns[name] = codes.astype(np.int8)[numbers] if table.num_rows else np.empty(0, np.int8)
            elif name == "function":
                numbers, words = _coded(column)
                columns[name] = numbers, words.to_pylist()
            elif name == "collective":
                columns[name] = column.cast(pa.bool_()).to_numpy()
            else:
                columns[name] = column.cast(pa.from_numpy_dtype(NUMBERS[name][0])).to_numpy()
        except pa.ArrowException as error:
            raise TraceError(f"unexpected type {column.type}: {error}", at=f"column {name}") from None
    return operations(table.num_rows, columns)
