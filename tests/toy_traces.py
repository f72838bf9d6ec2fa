"""Small traces whose sums can be done in the head."""

import numpy as np
import pyarrow as pa

from striate.layout.extent_lists import ExtentLists
from striate.layout.extents import Extents
from striate.trace.columns import operations
from striate.trace.header import Flag, Header, TracedCommunicator, TracedFile
from striate.trace.kinds import KINDS, LEVELS
from striate.trace.resources import NAMES, SCHEMA
from striate.trace.trace import Trace


def trace_of(rows, *, ranks=2, files=("data",), lists=(), samples=None, **header):
    """A trace of rows given as dictionaries with words for kind, level and function."""
    functions = sorted({row.get("function", "") for row in rows} | {""})
    columns = {}
    for name in {name for row in rows for name in row}:
        if name == "function":
            columns[name] = (np.array([functions.index(row.get(name, "")) for row in rows]), functions)
        elif name in ("kind", "level"):
            words = KINDS if name == "kind" else LEVELS
            columns[name] = np.array([words.index(row[name]) for row in rows])
        else:
            default = {"blocks": 1, "bytes": 0, "collective": False, "received": 0, "status": 0}.get(name, -1)
            columns[name] = np.array([row.get(name, default) for row in rows])
    named = tuple(name if isinstance(name, TracedFile) else TracedFile(name) for name in files)
    header = {"files": named} | header
    packed = ExtentLists.of([Extents(a, b) for a, b in lists])
    return Trace.of(operations(len(rows), columns), Header(ranks, **header), packed, samples)


def row(rank, kind, start, end, *, level="mpi-io", **more):
    return {"rank": rank, "kind": kind, "level": level, "start": start, "end": end} | more


def two_ranks():
    """Rank 0 writes 100 bytes in 10 ns twice, rank 1 reads 50 in 40 ns; below them POSIX moves the same bytes."""
    rows = [
        row(
            0, "write", 0, 10, file=0, offset=0, bytes=100, collective=True, function="MPI_File_write_at_all"
        ),
        row(0, "write", 2, 8, level="posix", file=0, offset=0, bytes=100, function="pwrite"),
        row(0, "write", 1000, 1010, file=0, offset=100, bytes=100, function="MPI_File_write_at"),
        row(0, "barrier", 20, 30, level="mpi", communicator=0, collective=True, function="MPI_Barrier"),
        row(1, "read", 0, 40, file=0, offset=7, bytes=50, extents=0, function="MPI_File_read_at"),
        row(1, "write", 60, 70, level="posix", file=1, offset=0, bytes=5, function="write"),
        row(1, "region", 0, 100, level="program", region=0),
    ]
    return trace_of(
        rows,
        files=("data", "log"),
        lists=[([0, 30], [20, 30])],
        regions=("solve",),
        communicators=(TracedCommunicator("world"), TracedCommunicator("odd", (1,))),
        flags=(Flag("toy", "made by hand"),),
        hosts=("a", "b"),
        host_of_rank=(0, 1),
    )


def samples_of(*rows):
    """Samples given as (host, time, ten counters)."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    return pa.table(dict(zip(NAMES, columns, strict=True))).cast(SCHEMA)


def watched():
    """Host a for three samples a second apart, host b, which tells of its memory only, for two."""
    second, unknown = 10**9, (-1,) * 4
    samples = samples_of(
        (0, 0, 0, 0, 0, 0, 1000, 300, 5, 7, 0, 0),
        (1, 0, *unknown, 500, 400, *unknown),
        (0, second, second, second // 2, 0, second // 2, 1000, 500, 105, 7, 4096, 0),
        (1, second, *unknown, 500, 450, *unknown),
        (0, 2 * second, second, second // 2, second, 3 * second // 2, 1000, 400, 205, 57, 4096, 512),
    )
    rows = [
        row(0, "write", 0, 10, file=0, offset=0, bytes=100),
        row(1, "read", 0, 10, file=0, offset=0, bytes=7),
    ]
    return trace_of(rows, samples=samples, hosts=("a", "b"), host_of_rank=(0, 1))
