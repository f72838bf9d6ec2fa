"""Darshan's extended records (DXT): every read and write with offset, size and times, taken in whole arrays."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEAD = "Qqq64sqq"  # id, rank, shared, host, writes, reads
_SEGMENT = [("offset", "i8"), ("length", "i8"), ("start", "f8"), ("end", "f8")]
THREADS_SINCE = {"DXT_POSIX": 2, "DXT_MPIIO": 3}  # module versions that record the thread
OFFSETS_SINCE = {"DXT_POSIX": 1, "DXT_MPIIO": 2}  # ... and that record the offset
KNOWN = {"DXT_POSIX": 2, "DXT_MPIIO": 3}


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Accesses of one module, one row each, in the order of the log."""

    id: NDArray[np.uint64]
    rank: NDArray[np.int64]
    write: NDArray[np.bool_]
    offset: NDArray[np.int64]
    length: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    thread: NDArray[np.int64]
    hosts: dict[int, str]
    whole: bool  # False: the records ended in the middle of one


def segments(content: bytes, *, order: str, threads: bool) -> Segments:
    """Walk from record to record; the accesses of each are one array."""
    head = struct.Struct(order + _HEAD)
    fields = [*_SEGMENT, ("thread", "i8")] if threads else _SEGMENT
    segment = np.dtype([(name, order + kind) for name, kind in fields])
    parts, numbers, ranks, writes, reads, hosts = [], [], [], [], [], {}
    at, whole = 0, True
    while at < len(content):
        if at + head.size > len(content):
            whole = False
            break
        number, rank, _, host, write, read = head.unpack_from(content, at)
        at += head.size
        room = (len(content) - at) // segment.itemsize
        if write < 0 or read < 0 or write + read > room:
            whole = False
            break
        end = at + (write + read) * segment.itemsize
        parts.append(content[at:end])
        at = end
        numbers.append(number)
        ranks.append(rank)
        writes.append(write)
        reads.append(read)
        hosts[rank] = host.rstrip(b"\0").decode("utf-8", "replace")
    rows = np.frombuffer(b"".join(parts), segment)
    counts = np.array(writes, np.int64) + np.array(reads, np.int64)
    kinds = np.tile([True, False], len(writes))
    each: Any = np.empty(2 * len(writes), np.int64)
    each[0::2], each[1::2] = writes, reads
    return Segments(
        np.repeat(np.array(numbers, np.uint64), counts),
        np.repeat(np.array(ranks, np.int64), counts),
        np.repeat(kinds, each),
        rows["offset"].astype(np.int64),
        rows["length"].astype(np.int64),
        rows["start"].astype(np.float64),
        rows["end"].astype(np.float64),
        rows["thread"].astype(np.int64) if threads else np.zeros(len(rows), np.int64),
        hosts,
        whole,
    )
