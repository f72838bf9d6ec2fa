"""The arrays of a workload file: complete, of the right length, and fitting together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from striate.errors import WorkloadError
from striate.layout.extent_lists import ExtentLists
from striate.workload.program import Int64s

if TYPE_CHECKING:
    import pyarrow as pa

MOST_RANKS = 2**26  # a file of a few bytes must not ask for all memory


def expect(condition: bool, message: str, at: str | None = None) -> None:
    """Refuse the file unless the condition holds."""
    if not condition:
        raise WorkloadError(message, at=at)


def columns_of(arrays: pa.Table) -> dict[str, Int64s]:
    """The arrays by name."""
    columns = (_column(item) for item in arrays["values"])
    return dict(zip(arrays["array"].to_pylist(), columns, strict=True))


def _column(item: Any) -> Int64s:
    values = item.values
    if values is None:
        return np.empty(0, np.int64)
    expect(values.null_count == 0, "an array has holes")
    return np.asarray(values.to_numpy(zero_copy_only=False), np.int64)


def sized(named: dict[str, Int64s], name: str, length: int) -> Int64s | None:
    """The array of that name, if there is one; refuses another length."""
    column = named.get(name)
    if column is not None:
        expect(len(column) == length, f"expected {length} values, got {len(column)}", f"array {name!r}")
    return column


def counts_of(named: dict[str, Int64s], number: int, ranks: int) -> Int64s:
    """How many bytes each rank sends to each other one."""
    matrix = sized(named, f"counts {number}", ranks * ranks)
    if matrix is None:
        raise WorkloadError("the array is missing", at=f"array 'counts {number}'")
    return matrix.reshape(ranks, ranks)


def extents_of(named: dict[str, Int64s]) -> ExtentLists:
    """The byte runs of all lists; none when the file has no such arrays."""
    parts = [named.get(f"extent {part}") for part in ("first", "offset", "length")]
    if all(part is None for part in parts):
        return ExtentLists.of([])
    first, offset, length = (np.empty(0, np.int64) if part is None else part for part in parts)
    sound = (
        len(first) > 0
        and first[0] == 0
        and (first[:-1] <= first[1:]).all()
        and first[-1] == len(offset) == len(length)
    )
    expect(bool(sound), "the byte runs do not fit together", "array 'extent first'")
    return ExtentLists(first, offset, length)
