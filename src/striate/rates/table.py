"""Tables of measured writes: settings, bytes, and seconds or a rate; rows of equal settings become one median."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from striate import units
from striate.errors import RatesError, UnitError
from striate.limits import SMALL_FILE, read_bounded

KNOWN = (
    *("nodes", "ranks_per_node", "ranks", "stripes", "multiplier", "aggregators", "lock_mode"),
    *("bytes", "seconds", "rate", "repeats"),
)
MOST = 2**31 - 1
MOST_ROWS = 4000  # of different settings


@dataclass(frozen=True, slots=True)
class RateRow:
    """One setting: a write of `bytes` by the aggregators of a job into `stripes` objects, and its median time."""

    nodes: int
    ranks_per_node: int
    stripes: int
    multiplier: int  # aggregators per stripe
    lock_mode: str
    bytes: int
    others: tuple[tuple[str, str], ...] = ()  # columns that the formula does not know
    seconds: float = math.nan  # NaN: asked for
    runs: int = 1  # that `seconds` is the median of
    scatter: float = math.nan  # of one run's logarithm, where there are several

    @property
    def ranks(self) -> int:
        return self.nodes * self.ranks_per_node

    @property
    def aggregators(self) -> int:
        """Ranks that write: a job has no more of them than ranks."""
        return min(self.stripes * self.multiplier, self.ranks)

    @property
    def job(self) -> tuple[Any, ...]:
        """What is given before anything is chosen."""
        return (self.others, self.nodes, self.ranks_per_node, self.bytes)

    @property
    def known(self) -> bool:
        return math.isfinite(self.seconds)


def read_rates(path: str | Path) -> list[RateRow]:
    """The settings of a CSV file in the order of the file; raises RatesError at the line and column of a mistake.

    Columns: bytes; seconds or rate (empty: the row is a question); nodes and ranks_per_node, or ranks; stripes; and
    multiplier (aggregators = stripes x multiplier) or aggregators, without both every rank writes; lock_mode; repeats,
    the runs that a row is the median of. Any other column is a setting by which the table is split.
    """
    try:
        text = read_bounded(path, SMALL_FILE, kind=RatesError).decode("utf-8-sig")
        lines = list(csv.DictReader(text.splitlines()))
    except FileNotFoundError:
        raise RatesError("no such file", source=str(path)) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RatesError(f"not a table of rates: {error!s:.120}", source=str(path)) from None
    try:
        rows = merged([_row(line, number) for number, line in enumerate(lines, start=2)])
        if not 1 <= len(rows) <= MOST_ROWS:
            raise RatesError(f"expected 1 to {MOST_ROWS:,} rows of different settings, got {len(rows):,}")
        return rows
    except RatesError as error:
        raise error.in_source(str(path)) from None


def merged(rows: Sequence[RateRow]) -> list[RateRow]:
    """Rows of equal settings as one, by the median of their seconds."""
    groups: dict[tuple[Any, ...], list[RateRow]] = {}
    for row in rows:
        groups.setdefault((row.known, row.job, row.stripes, row.multiplier, row.lock_mode), []).append(row)
    return [_median(group) for group in groups.values()]


def by_part(rows: Sequence[RateRow]) -> dict[tuple[tuple[str, str], ...], list[RateRow]]:
    """Rows apart by the columns that the formula does not know."""
    parts: dict[tuple[tuple[str, str], ...], list[RateRow]] = {}
    for row in rows:
        parts.setdefault(row.others, []).append(row)
    return parts


def where(rows: Sequence[RateRow], conditions: Sequence[str], *, source: str) -> list[RateRow]:
    """The rows of one part of a table; raises RatesError when they are of several, naming what to choose by."""
    for text in conditions:
        name, equals, value = text.partition("=")
        if not equals or not any(name == column for row in rows for column, _ in row.others):
            columns = sorted({column for row in rows for column, _ in row.others})
            wanted = ", ".join(columns) or "none: the table has no other columns"
            raise RatesError(
                f"expected COLUMN=VALUE of a column among {wanted}, got {text!r:.60}", source=source
            )
        rows = [row for row in rows if (name, value) in row.others]
    parts = sorted(by_part(rows))
    if len(parts) > 1:
        name = next(one for one, _ in parts[0] if len({dict(part)[one] for part in parts}) > 1)
        value = min(dict(part)[name] for part in parts)
        raise RatesError(
            f"the table has {len(parts)} parts; choose one with --where {name}={value}",
            at=name,
            source=source,
        )
    if not parts:
        raise RatesError(f"no row of the table matches {' and '.join(conditions)}", source=source)
    return list(rows)


def _median(rows: Sequence[RateRow]) -> RateRow:
    logs = np.log([row.seconds for row in rows])
    scatter = float(np.std(logs, ddof=1)) if len(rows) > 1 else math.nan
    seconds = median(row.seconds for row in rows)
    return replace(rows[0], seconds=seconds, runs=sum(row.runs for row in rows), scatter=scatter)


def _row(line: Mapping[Any, Any], number: int) -> RateRow:
    at = f"line {number}"
    if None in line or None in line.values():
        raise RatesError("expected as many fields as the header has", at=at)
    cells = {str(key).strip(): str(value).strip() for key, value in line.items()}
    nodes = _count(cells, "nodes", at, otherwise=1)
    per_node = _ranks_per_node(cells, nodes, at)
    stripes = _count(cells, "stripes", at, otherwise=1)
    moved = _bytes(cells, at)
    return RateRow(
        nodes=nodes,
        ranks_per_node=per_node,
        stripes=stripes,
        multiplier=_multiplier(cells, stripes, nodes * per_node, at),
        lock_mode=cells.get("lock_mode", ""),
        bytes=moved,
        others=tuple(sorted((key, value) for key, value in cells.items() if key not in KNOWN)),
        seconds=_seconds(cells, moved, at),
        runs=_count(cells, "repeats", at, otherwise=1),
    )


def _ranks_per_node(cells: Mapping[str, str], nodes: int, at: str) -> int:
    if "ranks_per_node" in cells:
        return _count(cells, "ranks_per_node", at)
    ranks = _count(cells, "ranks", at)
    if ranks % nodes:
        raise RatesError(
            f"expected as many ranks on every one of {nodes} nodes, got {ranks}", at=f"{at}, ranks"
        )
    return ranks // nodes


def _multiplier(cells: Mapping[str, str], stripes: int, ranks: int, at: str) -> int:
    if "multiplier" in cells:
        return _count(cells, "multiplier", at)
    aggregators = _count(cells, "aggregators", at, otherwise=ranks)
    return max(1, round(aggregators / stripes))


def _count(cells: Mapping[str, str], name: str, at: str, *, otherwise: int | None = None) -> int:
    if name not in cells and otherwise is not None:
        return otherwise
    text = cells.get(name, "")
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not (1 <= found <= MOST and found == int(found)):
        what = f"got {text!r:.40}" if name in cells else f"there is no column {name}"
        raise RatesError(f"expected a whole number from 1, {what}", at=f"{at}, {name}")
    return int(found)


def _bytes(cells: Mapping[str, str], at: str) -> int:
    if "bytes" not in cells:
        raise RatesError("expected a column bytes", at=at)
    text = cells["bytes"]
    try:
        found = float(text)
    except ValueError:
        found = _with_unit(units.size, text, f"{at}, bytes")
    if not 1 <= found <= units.LARGEST:
        raise RatesError(f"expected 1 byte or more, got {text!r:.40}", at=f"{at}, bytes")
    return int(found)


def _seconds(cells: Mapping[str, str], moved: int, at: str) -> float:
    """The time of a row; NaN where the cell is empty."""
    name = "seconds" if "seconds" in cells else "rate"
    if name not in cells:
        raise RatesError("expected a column seconds or rate", at=at)
    text = cells[name]
    if not text:
        return math.nan
    try:
        found = float(text)
    except ValueError:
        found = _with_unit(units.rate if name == "rate" else units.seconds, text, f"{at}, {name}")
    if not (math.isfinite(found) and found > 0):
        raise RatesError(
            f"expected a number above 0, or an empty cell for a question, got {text!r:.40}",
            at=f"{at}, {name}",
        )
    return moved / found if name == "rate" else found


def _with_unit(read: Any, text: str, at: str) -> float:
    try:
        return float(read(text))
    except UnitError as error:
        raise RatesError(error.message, at=at) from None
