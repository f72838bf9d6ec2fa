"""Measured speedups or times at points (p, d), from a CSV file, a data frame or plain columns."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from striate.errors import QueueingError
from striate.limits import SMALL_FILE, read_bounded
from striate.queueing.curves import Floats, Integers
from striate.queueing.work import whole_numbers

LARGEST_FILE = 64 * 1024**2  # bytes; a surface of a million points is smaller
_NAMES = {
    "processors": ("p", "processors"),
    "disks": ("d", "disks"),
    "speedup": ("s", "speedup"),
    "seconds": ("t", "seconds", "time"),
}


@dataclass(frozen=True, eq=False)
class Observations:
    """One value a point; `quantity` says whether values are speedups or seconds."""

    processors: Integers
    disks: Integers
    values: Floats
    quantity: str

    def __post_init__(self) -> None:
        if not self.processors.size == self.disks.size == self.values.size:
            raise QueueingError("expected as many processors as disks and values")
        bad = ~(np.isfinite(self.values) & (self.values > 0))
        if bad.any():
            row = int(np.argmax(bad))
            raise QueueingError(
                f"expected a positive {self.quantity}, got {self.values[row]:g}", at=f"row {row + 1}"
            )

    @property
    def times(self) -> Floats:
        """Seconds; for speedups, times in units of T1."""
        return self.values if self.quantity == "seconds" else 1 / self.values


def from_columns(columns: Mapping[str, Any]) -> Observations:
    """From a mapping of columns or a data frame: p, d and one of speedup or seconds."""
    found = {name: columns[key] for name, keys in _NAMES.items() for key in keys if key in columns}
    for name in ("processors", "disks"):
        if name not in found:
            raise QueueingError(f"expected a column {' or '.join(_NAMES[name])}, found {_listed(columns)}")
    if ("speedup" in found) == ("seconds" in found):
        raise QueueingError(f"expected one column, speedup or seconds, found {_listed(columns)}")
    quantity = "speedup" if "speedup" in found else "seconds"
    try:
        values = np.asarray(found[quantity], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise QueueingError(f"expected numbers in column {quantity}: {error}") from error
    processors = whole_numbers(np.asarray(found["processors"]), name="p (processors)")
    disks = whole_numbers(np.asarray(found["disks"]), name="d (disks)")
    return Observations(processors, disks, values, quantity)


def read_observations(path: str | Path) -> Observations:
    """From a CSV file whose first line names the columns: `p,d,speedup` or `p,d,seconds`."""
    path = Path(path)
    if path.stat().st_size > LARGEST_FILE:
        raise QueueingError(
            f"expected at most {LARGEST_FILE} bytes, found {path.stat().st_size}", source=str(path)
        )
    try:
        text = read_bounded(path, SMALL_FILE, kind=QueueingError).decode("utf-8-sig")
        return from_columns(_columns(text))
    except UnicodeDecodeError as error:
        raise QueueingError("expected UTF-8 text, found other bytes", source=str(path)) from error
    except csv.Error as error:
        raise QueueingError(f"expected comma-separated values: {error}", source=str(path)) from error
    except QueueingError as error:
        raise error.in_source(str(path)) from error


def _columns(text: str) -> dict[str, list[float]]:
    rows = csv.reader(text.splitlines(), strict=True)
    lines = [
        (number, row) for number, row in enumerate(rows, 1) if row and not row[0].lstrip().startswith("#")
    ]
    if not lines:
        raise QueueingError("expected a first line such as p,d,speedup, found an empty file")
    header = [name.strip().lower() for name in lines[0][1]]
    if len(set(header)) != len(header):
        raise QueueingError(f"expected different column names, found {_listed(header)}")
    if len(lines) == 1:
        raise QueueingError("expected at least one row of values after the first line, found none")
    values = [_numbers(row, len(header), at=f"line {number}") for number, row in lines[1:]]
    return {name: [row[column] for row in values] for column, name in enumerate(header)}


def _numbers(row: list[str], width: int, *, at: str) -> list[float]:
    if len(row) != width:
        raise QueueingError(f"expected {width} values, found {len(row)}", at=at)
    for text in row:
        try:
            float(text)
        except ValueError as error:
            raise QueueingError(f"expected a number, got {text[:40]!r}", at=at) from error
    return [float(text) for text in row]


def _listed(names: Any) -> str:
    found = ", ".join(str(name)[:40] for name in list(names)[:12])
    return found or "none"
