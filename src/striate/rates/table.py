"""Tables of measured writes: settings, bytes, and seconds or a rate; rows of equal settings become one median."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from striate import units
from striate.csv_table import CsvLine, read_csv
from striate.errors import RatesError

KNOWN = (
    *("nodes", "ranks_per_node", "ranks", "stripes", "multiplier", "aggregators", "lock_mode"),
    *("bytes", "seconds", "rate", "repeats"),
)
# Columns that number or date repeated runs of a setting.
OF_RUNS = (
    *("run", "rep", "repeat", "repetition", "iteration", "trial", "seed", "job", "jobid", "job_id"),
    *("date", "time", "timestamp", "start", "started", ""),
)
UNKNOWN = ("", "-", "na", "n/a", "nan", "none", "null")  # a cell without a time
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

    Columns: bytes; seconds or rate (empty or NA: the row is a question); nodes and ranks_per_node, or ranks; stripes;
    multiplier (aggregators = stripes x multiplier) or aggregators, without both every rank writes; lock_mode; repeats,
    the runs that a row is the median of. Columns that number or date the runs (run, jobid, date) are left out. Any
    other column is a setting by which the table is split.
    """
    _, lines = read_csv(path, kind=RatesError)
    try:
        rows = merged([_row(replace(line, cells=_named(line.cells))) for line in lines])
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
                f"expected COLUMN=VALUE with a column among {wanted}, got {text!r:.60}", source=source
            )
        rows = [row for row in rows if (name, value) in row.others]
    parts = sorted(by_part(rows))
    if len(parts) > 1:
        name = next(one for one, _ in parts[0] if len({dict(part)[one] for part in parts}) > 1)
        value = min(dict(part)[name] for part in parts)
        raise RatesError(
            f"the rows of the table differ in column {name}; choose rows with --where {name}={value}",
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


def _row(line: CsvLine) -> RateRow:
    nodes, stripes = (line.whole(name, 1, MOST, otherwise=1) for name in ("nodes", "stripes"))
    per_node = _ranks_per_node(line, nodes)
    moved = _bytes(line)
    return RateRow(
        nodes=nodes,
        ranks_per_node=per_node,
        stripes=stripes,
        multiplier=_multiplier(line, stripes, nodes * per_node),
        lock_mode=line.cells.get("lock_mode", ""),
        bytes=moved,
        others=tuple(sorted((key, value) for key, value in line.cells.items() if key not in KNOWN)),
        seconds=_seconds(line, moved),
        runs=line.whole("repeats", 1, MOST, otherwise=1),
    )


def _named(cells: Mapping[str, str]) -> dict[str, str]:
    """Cells by the names of KNOWN in small letters; without the columns of runs."""
    lower = {key: key.lower() if key.lower() in KNOWN else key for key in cells}
    return {lower[key]: value for key, value in cells.items() if key.lower() not in OF_RUNS}


def _ranks_per_node(line: CsvLine, nodes: int) -> int:
    if "ranks_per_node" in line.cells:
        return line.whole("ranks_per_node", 1, MOST)
    ranks = line.whole("ranks", 1, MOST)
    if ranks % nodes:
        raise line.refusal(
            f"expected a number of ranks that is a multiple of the {nodes} nodes, got {ranks}", "ranks"
        )
    return ranks // nodes


def _multiplier(line: CsvLine, stripes: int, ranks: int) -> int:
    if "multiplier" in line.cells:
        return line.whole("multiplier", 1, MOST)
    return max(1, round(line.whole("aggregators", 1, MOST, otherwise=ranks) / stripes))


def _bytes(line: CsvLine) -> int:
    if "bytes" not in line.cells:
        raise RatesError("expected a column `bytes`, found no such column", at=line.at)
    found = line.number("bytes", unit=units.size)
    if not 1 <= found <= units.LARGEST:
        raise line.refusal(f"expected 1 byte or more, got {line.cells['bytes']!r:.40}", "bytes")
    return int(found)


def _seconds(line: CsvLine, moved: int) -> float:
    """The time of a row; NaN where the cell is empty."""
    name = "seconds" if "seconds" in line.cells else "rate"
    if name not in line.cells:
        raise RatesError("expected a column `seconds` or a column `rate`, found neither", at=line.at)
    text = line.cells[name]
    if text.lower() in UNKNOWN:
        return math.nan
    found = line.number(name, unit=units.rate if name == "rate" else units.seconds)
    if not (math.isfinite(found) and found > 0):
        raise line.refusal(
            f"expected a number above 0, or an empty cell for a time to forecast, got {text!r:.40}", name
        )
    return moved / found if name == "rate" else found
