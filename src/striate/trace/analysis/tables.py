"""Tables over a trace: per file, per rank, per stretch of I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from striate.arrow import array, distinct, strings
from striate.trace.analysis.intervals import covered, stretches
from striate.trace.kept import kept
from striate.trace.kinds import COLLECTIVES, IO, MESSAGES, RANK_LEVELS

if TYPE_CHECKING:
    from striate.trace.trace import Trace

Mask = NDArray[np.bool_]
_GAP_SHARE = 0.01  # of the run: I/O further apart than this belongs to different phases


@kept
def front(trace: Trace) -> Mask:
    """The accesses the program itself asked for: a file's MPI-IO accesses where it has some, POSIX ones otherwise."""
    access = trace.of_kind("read", "write") & trace.at_level(*RANK_LEVELS)
    through_mpi = trace.at_level("mpi-io")
    files = trace.column("file")
    with_mpi = np.zeros(len(trace.header.files) + 1, bool)
    with_mpi[files[access & through_mpi]] = True  # the last place is for -1, no file
    return np.asarray(access & (through_mpi | ~with_mpi[files]))


@kept
def row_calls(trace: Trace) -> NDArray[np.int64]:
    """How many calls each row stands for: its blocks where rows were made from counters, one otherwise."""
    if any(flag.code.startswith("reconstructed") for flag in trace.header.flags):
        return trace.column("blocks")
    return np.ones(len(trace), np.int64)


@kept
def per_file(trace: Trace) -> pa.Table:
    """Name, operations, bytes, seconds (union over each rank, summed) and ranks of every file."""
    trace = trace.of_ranks()
    files = len(trace.header.files)
    columns: dict[str, Any] = {"file": strings(trace.file_names())}
    columns |= _volumes(trace, trace.column("file"), files)
    known = trace.of_kind(*IO) & (trace.column("file") >= 0)
    rank, file = trace.column("rank")[known].astype(np.int64), trace.column("file")[known]
    both = rank * files + file
    distinct, place = np.unique(both, return_inverse=True)
    busy = covered(place, trace.column("start")[known], trace.column("end")[known], len(distinct))
    columns["seconds"] = array(np.bincount(distinct % max(files, 1), busy / 1e9, files))
    columns["ranks"] = array(np.bincount(distinct % max(files, 1), minlength=files))
    return pa.table(columns)


@kept
def per_rank(trace: Trace) -> pa.Table:
    """Operations, bytes, and the seconds covered by I/O and by messages, for every rank."""
    trace = trace.of_ranks()
    rank = trace.column("rank")
    columns: dict[str, Any] = {"rank": array(np.arange(trace.ranks, dtype=np.int32))}
    columns |= _volumes(trace, rank, trace.ranks)
    for name, rows in (
        ("io_seconds", trace.of_kind(*IO)),
        ("message_seconds", trace.of_kind(*MESSAGES, *COLLECTIVES) & trace.at_level("mpi")),
    ):
        busy = covered(rank[rows], trace.column("start")[rows], trace.column("end")[rows], trace.ranks)
        columns[name] = array(busy / 1e9)
    return pa.table(columns)


@kept
def per_phase(trace: Trace) -> pa.Table:
    """Stretches in which no moment without I/O of any rank is longer than 1 % of the run."""
    trace = trace.of_ranks()
    io = trace.of_kind(*IO)
    start, end = trace.column("start")[io], trace.column("end")[io]
    gap = int(trace.seconds * 1e9 * _GAP_SHARE)
    _, begins, ends = stretches(np.zeros(len(start), np.int64), start, end, gap=gap)
    phase = np.full(len(trace), -1, np.int64)
    phase[io] = np.searchsorted(begins, start, side="right") - 1
    columns: dict[str, Any] = {"start": array(begins / 1e9), "end": array(ends / 1e9)}
    columns |= _volumes(trace, phase, len(begins))
    pairs = distinct(phase[io] * trace.ranks + trace.column("rank")[io])
    columns["ranks"] = array(np.bincount(pairs // trace.ranks, minlength=len(begins)))
    return pa.table(columns)


def _volumes(trace: Trace, group: NDArray[Any], groups: int) -> dict[str, pa.Array]:
    """Operations, reads, writes, bytes read and written, by group; rows of group -1 count nowhere."""
    mine, asked = group >= 0, front(trace)
    columns = {"operations": np.bincount(group[mine], minlength=groups)}
    for kind, verb in (("read", "read"), ("write", "written")):
        rows = mine & asked & trace.of_kind(kind)
        columns[f"{kind}s"] = _whole_sums(group[rows], row_calls(trace)[rows], groups)
        columns[f"bytes_{verb}"] = _whole_sums(group[rows], trace.column("bytes")[rows], groups)
    return {name: array(column.astype(np.int64)) for name, column in columns.items()}


def _whole_sums(group: NDArray[Any], values: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    sums = np.zeros(groups, np.int64)
    np.add.at(sums, group, values)  # exact, where weights of bincount are doubles
    return sums
