"""What reading a file may take: bytes it unpacks to, rows and seconds; relative to the file, and settable.

A few kilobytes can unpack to gigabytes. STRIATE_READ_BYTES, STRIATE_READ_ROWS and STRIATE_READ_SECONDS replace the
limits of every reader, for a file that is trusted: `STRIATE_READ_ROWS=1e9 striate info run.parquet`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from striate.errors import StriateError, TraceError, UnitError
from striate.parquet_footer import values_of
from striate.units import about_size, count, seconds, size

T = TypeVar("T", int, float)

FREE_BYTES, BYTES_PER_BYTE = 2**26, 48  # text packs 10 to 30 times
FREE_ROWS, ROWS_PER_BYTE = 2**20, 0.5  # two times of a row take more than two bytes
FREE_SECONDS, SECONDS_PER_BYTE = 120.0, 1e-6
SMALL_FILE = 2**24  # descriptions, forecasts, advice: written by people and by us
LEAST_MEMORY = 2**28  # libraries abort the process where they cannot allocate while they are loaded


@dataclass
class ReadBudget:
    """What is left for one input; readers take from it as they go."""

    most_bytes: int
    most_rows: int
    most_seconds: float
    unpacked: int = 0
    rows: int = 0
    begun: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, *paths: Path) -> ReadBudget:
        """The budget for files, or for folders of files, by their size and the environment."""
        length = sum(map(_length, paths))
        return cls(
            _setting("STRIATE_READ_BYTES", size, max(FREE_BYTES, BYTES_PER_BYTE * length)),
            int(_setting("STRIATE_READ_ROWS", count, max(float(FREE_ROWS), ROWS_PER_BYTE * length))),
            _setting("STRIATE_READ_SECONDS", seconds, FREE_SECONDS + SECONDS_PER_BYTE * length),
        )

    def unpack(self, number: int) -> None:
        """Take bytes; raises TraceError when there are too many, or the time is over."""
        self.unpacked += number
        if self.unpacked > self.most_bytes:
            most = about_size(self.most_bytes)
            raise TraceError(
                f"the file decompresses to more than {most}; STRIATE_READ_BYTES=SIZE allows more"
            )
        self.look()

    def take_rows(self, number: int) -> None:
        """Take rows; raises TraceError when there are too many, or the time is over."""
        self.rows += number
        if self.rows > self.most_rows:
            raise TraceError(
                f"the file has more than {self.most_rows:,} rows; STRIATE_READ_ROWS=NUMBER allows more"
            )
        self.look()

    def take_table(self, source: Path | bytes, metadata: Any, values_per_row: int) -> None:
        """Take the rows of a Parquet file, and what its lists hold beyond so many values per row."""
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        if any(group.num_rows < 0 for group in groups):
            raise TraceError("expected Parquet row groups of 0 rows or more, found a negative number of rows")
        try:
            values = sum(max(0, number) for number in values_of(source))
        except (ValueError, IndexError):
            raise TraceError("the footer of the Parquet file is damaged") from None
        self.take_rows(max(metadata.num_rows, -(-values // values_per_row)))

    def look(self) -> None:
        """Raise TraceError when the time is over."""
        if time.monotonic() - self.begun > self.most_seconds:
            most = f"{self.most_seconds:.0f} s"
            raise TraceError(
                f"reading the file takes longer than {most}; STRIATE_READ_SECONDS=TIME allows more"
            )


def limit_memory(text: str) -> None:
    """Let this process have no more memory than a size such as "1 GiB"; what needs more raises MemoryError then.

    Raises UnitError below 256 MiB, which the libraries take by themselves.
    """
    import resource

    most = size(text)
    if most < LEAST_MEMORY:
        raise UnitError(f"expected a memory limit of at least {about_size(LEAST_MEMORY)}, got {text!r}")
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def memory_limit() -> int | None:
    """Bytes that this process may have; None where there is no limit."""
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return None if soft == resource.RLIM_INFINITY else soft


def read_bounded(path: str | Path, most: int, *, kind: type[StriateError] = TraceError) -> bytes:
    """The whole file; raises `kind` when it holds more than `most` bytes: a device may hold no end of them."""
    with Path(path).open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise kind(f"expected a file of at most {about_size(most)}, found a larger one", source=str(path))
    return content


def _length(path: Path) -> int:
    if path.is_dir():
        return sum(one.stat().st_size for one in path.rglob("*") if one.is_file())
    return path.stat().st_size


def _setting(name: str, read: Callable[[str], T], usual: T) -> T:
    given = os.environ.get(name)
    if given is None:
        return usual
    try:
        return read(given)
    except UnitError as error:
        raise UnitError(error.message, at=name) from None


def read_small_text(path: Path, *, kind: type[StriateError], other_bytes: str = "strict") -> str:
    """The text of a file that people write; raises `kind` in one line, also for what is no UTF-8 unless replaced."""
    try:
        content = read_bounded(path, SMALL_FILE, kind=kind)
        return content.decode("utf-8-sig", other_bytes)
    except OSError as error:
        raise kind(f"cannot read it: {error.strerror}", source=str(path)) from None
    except UnicodeDecodeError:
        raise kind("expected UTF-8 text, found other bytes", source=str(path)) from None
