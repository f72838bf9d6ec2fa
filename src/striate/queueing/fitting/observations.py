"""Measured speedups or times at points (p, d), from a CSV file, a data frame or plain columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from striate.csv_table import CsvLine, read_csv
from striate.errors import QueueingError
from striate.queueing.curves import Floats, Integers
from striate.queueing.work import whole_numbers

_NAMES = {
    "processors": ("p", "processors"),
    "disks": ("d", "disks"),
    "speedup": ("s", "speedup"),
    "seconds": ("t", "seconds", "time"),
}


@dataclass(frozen=True, eq=False)
class Observations:
    """One value per point; `quantity` says whether values are speedups or seconds."""

    processors: Integers
    disks: Integers
    values: Floats
    quantity: str

    def __post_init__(self) -> None:
        if not self.processors.size == self.disks.size == self.values.size:
            raise QueueingError(
                f"expected columns of one length, got {self.processors.size} processors, "
                f"{self.disks.size} disks and {self.values.size} values"
            )
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
            raise QueueingError(
                f"expected a column {' or '.join(_NAMES[name])}, found the columns {_listed(columns)}"
            )
    if ("speedup" in found) == ("seconds" in found):
        raise QueueingError(
            f"expected either a column speedup or a column seconds, found the columns {_listed(columns)}"
        )
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
    header, lines = read_csv(path, kind=QueueingError)
    try:
        if not header:
            raise QueueingError("expected a first line such as p,d,speedup, found an empty file")
        if not lines:
            raise QueueingError("expected at least one row of values after the first line, found none")
        return from_columns({name.lower(): [_number(line, name) for line in lines] for name in header})
    except QueueingError as error:
        raise error.in_source(str(path)) from error


def _number(line: CsvLine, name: str) -> float:
    try:
        return float(line.cells[name])
    except ValueError:
        raise line.refusal(f"expected a number, got {line.cells[name]!r:.40}", name) from None


def _listed(names: Any) -> str:
    found = ", ".join(str(name)[:40] for name in list(names)[:12])
    return found or "none"
