"""Counters beside the rows: what a profiler summed up over the calls of a module, per file and rank.

One table per module. `file` is the number of a file of the header (-1: none), `rank` the rank whose calls were counted,
or `ALL_RANKS` for a record that was merged over all of them: its counters are sums over the ranks, and say nothing
of a single one beyond those it names as the fastest and the slowest. All other columns are the counters by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from striate.arrow import as_numpy
from striate.errors import TraceError

ALL_RANKS = -1
SIZES = (
    "0_100",
    "100_1k",
    "1k_10k",
    "10k_100k",
    "100k_1m",
    "1m_4m",
    "4m_10m",
    "10m_100m",
    "100m_1g",
    "1g_plus",
)
SIZE_LIMITS = (101, 1025, 10241, 102401, 2**20 + 1, 2**22 + 1, 10 * 2**20 + 1, 100 * 2**20 + 1, 2**30 + 1)
LARGEST = 2**50  # bytes, or calls: no record of a sound log holds more
SHORTEST = 1e-12  # seconds, or variances: what is less is noise of a clock
LONGEST = 3.2e8 * 2**21  # seconds: ten years of each of the most ranks
DATA_MODULES = {
    "MPI-IO": "mpi-io",
    "POSIX": "posix",
    "STDIO": "posix",
    "DFS": "posix",
}  # the level of their calls
_CALLS = {
    kind: tuple(form + kind + end for form, end in
                (("", "s"), ("", "xs"), ("f", "s"), ("indep_", "s"), ("coll_", "s"), ("split_", "s"), ("nb_", "s")))
    for kind in ("read", "write")
}  # fmt: skip
Tables = Mapping[str, pa.Table]
Columns = Mapping[str, NDArray[Any]]


def checked(records: Tables, *, files: int, ranks: int) -> dict[str, pa.Table]:
    """The same tables; raises TraceError where one lacks `file` or `rank`, or refers to what is not there."""
    for module, table in records.items():
        for name, limit in (("file", files), ("rank", ranks)):
            if name not in table.column_names or not pa.types.is_int32(table.schema.field(name).type):
                raise TraceError(
                    f"expected a column {name!r} of 32-bit numbers in the counters of module {module}",
                    at=f"records {module}",
                )
            values = as_numpy(table.column(name))
            if ((values < -1) | (values >= limit)).any():
                raise TraceError(f"expected {name} numbers below {limit}", at=f"records {module}")
        if any(column.null_count for column in table.columns):
            raise TraceError(
                f"expected a value in every row of the counters of module {module}, found an empty cell",
                at=f"records {module}",
            )
    return dict(records)


def columns_of(table: pa.Table) -> Columns:
    """The counters of a table as NumPy columns; lists and words are left out."""
    return {
        name: as_numpy(table.column(name))
        for name in table.column_names
        if pa.types.is_integer(table.schema.field(name).type)
        or pa.types.is_floating(table.schema.field(name).type)
    }


def counter(columns: Columns, name: str) -> NDArray[Any]:
    """A counter of every record; zeros where the module does not count it, and where a value makes no sense."""
    if name not in columns:
        return np.zeros(len(columns["rank"]), np.int64)
    values = columns[name]
    if np.issubdtype(values.dtype, np.floating):
        return np.where((values >= SHORTEST) & (values < LONGEST), values, 0.0)
    return np.where((values >= 0) & (values < LARGEST), values, 0)


def calls(columns: Columns, kind: str) -> NDArray[np.int64]:
    """Reads or writes of every record, in whatever form."""
    names = [*_CALLS[kind]]
    if f"{kind}xs" in columns:
        names.remove(f"nb_{kind}s")  # DFS counts non-blocking calls among the others
    return np.asarray(np.sum([counter(columns, name) for name in names], axis=0), np.int64)


def moved(columns: Columns, kind: str) -> NDArray[np.int64]:
    """Bytes read or written of every record."""
    return np.asarray(counter(columns, "bytes_read" if kind == "read" else "bytes_written"), np.int64)


def opens(columns: Columns) -> NDArray[np.int64]:
    """Opens of every record, collective and independent ones."""
    names = ("opens", "fopens", "indep_opens", "coll_opens", "creates", "global_opens")
    return np.asarray(np.sum([counter(columns, name) for name in names], axis=0), np.int64)


def seconds(columns: Columns, *kinds: str) -> NDArray[np.float64]:
    """Seconds in calls of the kinds (read, write, meta; all without any) of every record, summed over its ranks."""
    spent = [counter(columns, f"{kind}_time") for kind in kinds or ("read", "write", "meta")]
    return np.asarray(np.sum(spent, axis=0), np.float64)


def asked(records: Mapping[str, Columns], module: str, files: int) -> NDArray[np.bool_]:
    """Which records of a module are what the program asked for: not those below a file's MPI-IO records."""
    columns = records[module]
    if module == "MPI-IO" or "MPI-IO" not in records:
        return np.ones(len(columns["rank"]), bool)
    above = records["MPI-IO"]
    through = np.zeros(files + 1, bool)
    busy = calls(above, "read") + calls(above, "write") > 0
    through[above["file"][busy]] = True
    through[-1] = False
    return np.asarray(~through[columns["file"]])
