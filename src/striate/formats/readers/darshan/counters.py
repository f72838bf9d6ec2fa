"""Darshan's counters: sums per file and rank, of the few that a trace needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# (module, version) -> (integer counters, floating counters, where each needed one stands)
_POSIX_3 = {
    "reads": 1, "writes": 2, "bytes_read": 9, "bytes_written": 10, "last_read": 11, "last_written": 12,
}  # fmt: skip
_POSIX_4 = {
    "reads": 3, "writes": 4, "bytes_read": 14, "bytes_written": 15, "last_read": 16, "last_written": 17,
}  # fmt: skip
_MPI = {
    "independent_reads": 2, "independent_writes": 3, "collective_reads": 4, "collective_writes": 5,
    "split_reads": 6, "split_writes": 7, "later_reads": 8, "later_writes": 9,
    "bytes_read": 14, "bytes_written": 15,
}  # fmt: skip
_STDIO_1 = {
    "reads": 1, "writes": 2, "bytes_written": 5, "bytes_read": 6, "last_read": 7, "last_written": 8,
}  # fmt: skip
_STDIO_2 = {name: place + 1 for name, place in _STDIO_1.items()}
_TIMES = {"read_start": 1, "write_start": 2, "read_end": 5, "write_end": 6, "read_time": 8, "write_time": 9}
_OLD_TIMES = {
    "read_start": 1,
    "write_start": 2,
    "read_end": 3,
    "write_end": 4,
    "read_time": 6,
    "write_time": 7,
}
_STDIO_TIMES = {
    "write_time": 1,
    "read_time": 2,
    "write_start": 5,
    "read_start": 6,
    "write_end": 9,
    "read_end": 10,
}

LARGEST = 2**50  # bytes, or calls: no record of a sound log holds more

LAYOUTS = {
    ("POSIX", 3): (64, 17, _POSIX_3, _TIMES),
    ("POSIX", 4): (69, 17, _POSIX_4, _TIMES),
    ("MPI-IO", 1): (51, 15, _MPI, _OLD_TIMES),
    ("MPI-IO", 2): (51, 15, _MPI, _OLD_TIMES),
    ("MPI-IO", 3): (51, 17, _MPI, _TIMES),
    ("STDIO", 1): (13, 15, _STDIO_1, _STDIO_TIMES),
    ("STDIO", 2): (14, 15, _STDIO_2, _STDIO_TIMES),
}


@dataclass(frozen=True, slots=True, eq=False)
class Counters:
    """One row a record: file id, rank (-1: all ranks together), and the counters and times by name."""

    id: NDArray[np.uint64]
    rank: NDArray[np.int64]
    numbers: dict[str, NDArray[np.int64]]
    times: dict[str, NDArray[np.float64]]
    whole: bool

    def __len__(self) -> int:
        return len(self.id)

    def calls(self, kind: str) -> NDArray[np.int64]:
        """How often `kind` (read or write) was called, in whatever form."""
        forms = ("", "independent_", "collective_", "split_", "later_")
        found = [self.numbers[form + kind + "s"] for form in forms if form + kind + "s" in self.numbers]
        return np.asarray(np.sum(np.clip(found, 0, LARGEST), axis=0, dtype=np.int64))

    def moved(self, kind: str) -> NDArray[np.int64]:
        """Bytes read or written."""
        return np.clip(self.numbers["bytes_read" if kind == "read" else "bytes_written"], 0, LARGEST)


def counters(module: str, version: int, content: bytes, *, order: str) -> Counters | None:
    """The records of a module, or None when its version is not one we know."""
    if (module, version) not in LAYOUTS:
        return None
    integers, floats, places, times = LAYOUTS[module, version]
    record = np.dtype(
        [
            ("id", order + "u8"),
            ("rank", order + "i8"),
            ("n", order + "i8", integers),
            ("f", order + "f8", floats),
        ]
    )
    rows = np.frombuffer(content, record, len(content) // record.itemsize)
    return Counters(
        rows["id"].astype(np.uint64),
        rows["rank"].astype(np.int64),
        {name: rows["n"][:, place].astype(np.int64) for name, place in places.items()},
        {name: rows["f"][:, place].astype(np.float64) for name, place in times.items()},
        len(content) % record.itemsize == 0,
    )
