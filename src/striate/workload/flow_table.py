"""Work-flow graphs from a table: one CSV row per block, with its disk, its receivers and its computation."""

from __future__ import annotations

import csv
from pathlib import Path

from striate import units
from striate.errors import StriateError, WorkloadError
from striate.workload.flows import Graph, ListedFlows, expect_at_least

COLUMNS = ("group", "disk", "receivers", "local", "compute", "blocks")
_NEEDED = ("disk",)
_MOST_ROWS = 5_000_000
_TRUTHS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def read_graphs(
    path: Path, *, processors: int, disks_per_processor: int, block_bytes: int, sequential: bool = True
) -> ListedFlows:
    """The stream that a table describes; refuses unknown columns and bad values, naming line and column.

    Columns: `disk` (counted over all processors: disk d belongs to processor d // disks_per_processor); `group` (its
    rows stand together and in rising order; a group begins when the one before it has ended everywhere, default 0);
    `receivers` (other processors, separated by spaces); `local` (does the disk's own processor use the block, default
    true); `compute` (time on every processor that uses it, such as `10 ms`, default 0); `blocks` (its size in blocks,
    default 1). Only `disk` is needed.
    """
    expect_at_least(1, processors, "processors", at="$.processors")
    expect_at_least(1, disks_per_processor, "disks", at="$.disks_per_processor")
    expect_at_least(1, block_bytes, "bytes", at="$.block")
    try:
        with path.open(newline="", encoding="utf-8") as file:
            groups = _groups(csv.DictReader(file), processors, processors * disks_per_processor)
        listed = tuple(tuple(group) for group in groups)
        return ListedFlows(path.stem, processors, disks_per_processor, block_bytes, listed, sequential)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise WorkloadError(f"cannot read the table: {error}", source=str(path)) from None
    except StriateError as error:
        raise WorkloadError(error.message, at=error.at, source=str(path)) from None


def _groups(rows: csv.DictReader[str], processors: int, disks: int) -> list[list[Graph]]:
    names = tuple(rows.fieldnames or ())
    strange = [name for name in names if name not in COLUMNS]
    missing = [name for name in _NEEDED if name not in names]
    if strange or missing or len(set(names)) < len(names):
        raise WorkloadError(f"expected columns of {', '.join(COLUMNS)}, with `disk` among them, got {names}")
    groups: list[list[Graph]] = []
    last = -1
    for count, row in enumerate(rows):
        at = f"line {rows.line_num}"
        if count == _MOST_ROWS:
            raise WorkloadError(f"expected at most {_MOST_ROWS} rows", at=at)
        if None in row or None in row.values():
            raise WorkloadError(f"expected {len(names)} values in a row", at=at)
        group = _whole(row.get("group") or "0", most=2**31, at=f"{at}, group")
        if group < last:
            raise WorkloadError(
                f"expected groups in rising order, got {group} after {last}", at=f"{at}, group"
            )
        if group > last:
            groups.append([])
        last = group
        groups[-1].append(_graph(row, processors, disks, at))
    if not groups:
        raise WorkloadError("expected at least one row")
    return groups


def _graph(row: dict[str, str], processors: int, disks: int, at: str) -> Graph:
    receivers = tuple(
        _whole(text, most=processors - 1, at=f"{at}, receivers")
        for text in (row.get("receivers") or "").split()
    )
    if len(set(receivers)) < len(receivers):
        raise WorkloadError(f"expected every receiver once, got {row['receivers']!r}", at=f"{at}, receivers")
    local = (row.get("local") or "true").strip().lower()
    if local not in _TRUTHS:
        raise WorkloadError(f"expected true or false, got {local!r:.40}", at=f"{at}, local")
    return Graph(
        _whole(row["disk"], most=disks - 1, at=f"{at}, disk"),
        receivers,
        _TRUTHS[local],
        _picoseconds(row.get("compute") or "0", at=f"{at}, compute"),
        _size(row.get("blocks") or "1", at=f"{at}, blocks"),
    )


def _whole(text: str, *, most: int, at: str) -> int:
    stripped = text.strip()
    if not (stripped.isascii() and stripped.isdigit()) or len(stripped) > 18 or int(stripped) > most:
        raise WorkloadError(f"expected a whole number from 0 to {most}, got {text!r:.40}", at=at)
    return int(stripped)


def _picoseconds(text: str, *, at: str) -> int:
    try:
        return units.picoseconds(float(text) if text.strip().replace(".", "", 1).isdigit() else text)
    except (StriateError, OverflowError, ValueError) as error:
        message = error.message if isinstance(error, StriateError) else f"expected a time, got {text!r:.40}"
        raise WorkloadError(message, at=at) from None


def _size(text: str, *, at: str) -> float:
    try:
        size = float(text)
    except ValueError:
        size = -1.0
    if not 0 < size <= 1e6:
        raise WorkloadError(f"expected a number of blocks above 0, got {text!r:.40}", at=at)
    return size
