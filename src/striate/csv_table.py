"""CSV tables that people write: a header, then lines; a mistake is named by its line and column."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from striate.errors import StriateError, UnitError
from striate.limits import read_bounded

LARGEST = 2**26  # bytes; a table of a million points is smaller


@dataclass(frozen=True, slots=True)
class CsvLine:
    """One line: its cells by the names of their columns."""

    cells: dict[str, str]
    at: str
    kind: type[StriateError]  # what a mistake raises

    def refusal(self, message: str, column: str) -> StriateError:
        """The error to raise for a cell."""
        return self.kind(message, at=f"{self.at}, {column}")

    def number(self, column: str, *, unit: Callable[[str], float] | None = None) -> float:
        """A number, or a text that `unit` reads, such as "1.9 GB/s"; NaN where it is neither and there is no `unit`."""
        text = self.cells.get(column, "")
        try:
            return float(text)
        except ValueError:
            if unit is None:
                return math.nan
        try:
            return float(unit(text))
        except (UnitError, OverflowError) as error:
            message = (
                error.message if isinstance(error, UnitError) else f"the number is too large: {text!r:.40}"
            )
            raise self.refusal(message, column) from None

    def whole(self, column: str, least: int, most: int, *, otherwise: int | None = None) -> int:
        """A whole number from `least` to `most`; `otherwise` where there is no such column."""
        if column not in self.cells and otherwise is not None:
            return otherwise
        found = self.number(column)
        if not (least <= found <= most and found == int(found)):
            there = column in self.cells
            what = f"got {self.cells[column]!r:.40}" if there else f"there is no column {column}"
            raise self.refusal(f"expected a whole number from {least} to {most}, {what}", column)
        return int(found)


def read_csv(path: str | Path, *, kind: type[StriateError]) -> tuple[list[str], list[CsvLine]]:
    """The names of the columns, and the lines; empty lines and comments (#) are left out.

    Raises `kind` for a file that is no such table, for names that occur twice, and for lines of another length.
    """
    try:
        text = read_bounded(path, LARGEST, kind=kind).decode("utf-8-sig")
        return _parsed(text, kind)
    except FileNotFoundError:
        raise kind("no such file", source=str(path)) from None
    except UnicodeDecodeError:
        raise kind("expected UTF-8 text, found other bytes", source=str(path)) from None
    except (OSError, csv.Error) as error:
        raise kind(f"expected comma-separated values: {error!s:.120}", source=str(path)) from None
    except kind as error:
        raise error.in_source(str(path)) from None


def _parsed(text: str, kind: type[StriateError]) -> tuple[list[str], list[CsvLine]]:
    lines = text.splitlines()
    rows = csv.reader(lines, strict=True, delimiter=_delimiter(lines))
    found = [(rows.line_num, row) for row in rows if row and not row[0].lstrip().startswith("#")]
    header = [name.strip() for name in found[0][1]] if found else []
    if len(set(header)) != len(header):
        raise kind(f"expected column names that all differ, found {', '.join(header[:12])[:200]}")
    return header, [_line(header, row, f"line {number}", kind) for number, row in found[1:]]


def _delimiter(lines: list[str]) -> str:
    """A comma; a semicolon or a tab where the names of the columns are parted by these alone."""
    names = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    return next((one for one in (";", "\t") if one in names and "," not in names), ",")


def _line(header: list[str], row: list[str], at: str, kind: type[StriateError]) -> CsvLine:
    if len(row) != len(header):
        raise kind(f"expected {len(header)} values, found {len(row)}", at=at)
    return CsvLine({name: cell.strip() for name, cell in zip(header, row, strict=True)}, at, kind)
