"""Work-flow graphs from a table: one CSV row per block, with its disk, its receivers and its computation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from striate import units
from striate.csv_table import CsvLine, read_csv
from striate.errors import StriateError, WorkloadError
from striate.workload.flows import Graph, ListedFlows, expect_at_least

COLUMNS = ("group", "disk", "receivers", "local", "compute", "blocks", "write")
_TRUTHS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def read_graphs(
    path: Path, *, processors: int, disks_per_processor: int, block_bytes: int, sequential: bool = True
) -> ListedFlows:
    """The stream that a table describes; refuses unknown columns and bad values, naming line and column.

    Columns: `disk` (counted over all processors: disk d belongs to processor d // disks_per_processor); `group` (its
    rows stand together and in rising order; a group begins when the one before it has ended everywhere, default 0);
    `receivers` (other processors, separated by spaces); `local` (does the disk's own processor use the block, default
    true); `compute` (time on every processor that uses it, such as `10 ms`, default 0); `blocks` (its size in blocks,
    default 1); `write` (the receivers and the own processor compute and send, and the disk writes, default false; the
    rows of a group all read or all write). Only `disk` is needed.
    """
    expect_at_least(1, processors, "processors", at="$.processors")
    expect_at_least(1, disks_per_processor, "disks", at="$.disks_per_processor")
    expect_at_least(1, block_bytes, "bytes", at="$.block")
    names, lines = read_csv(path, kind=WorkloadError)
    try:
        groups = _groups(names, lines, processors, processors * disks_per_processor)
        listed = tuple(tuple(group) for group in groups)
        return ListedFlows(path.stem, processors, disks_per_processor, block_bytes, listed, sequential)
    except StriateError as error:
        raise WorkloadError(error.message, at=error.at, source=str(path)) from None


def _groups(names: list[str], lines: list[CsvLine], processors: int, disks: int) -> list[list[Graph]]:
    if "disk" not in names or not set(names) <= set(COLUMNS):
        raise WorkloadError(
            f"expected a column `disk` and no other columns than {', '.join(COLUMNS)}, got {names}"
        )
    groups: list[list[Graph]] = []
    last = -1
    for line in lines:
        group = line.whole("group", 0, 2**31, otherwise=0)
        if group < last:
            raise line.refusal(f"expected rising group numbers, got {group} after {last}", "group")
        if group > last:
            groups.append([])
        last = group
        groups[-1].append(_graph(line, processors, disks))
    if not groups:
        raise WorkloadError("expected at least one row")
    return groups


def _graph(line: CsvLine, processors: int, disks: int) -> Graph:
    named = line.cells.get("receivers", "")
    receivers = tuple(
        replace(line, cells={"receivers": text}).whole("receivers", 0, processors - 1)
        for text in named.split()
    )
    if len(set(receivers)) < len(receivers):
        raise line.refusal(f"expected every receiver of a block once, got {named!r:.60}", "receivers")
    blocks = line.number("blocks") if line.cells.get("blocks") else 1.0
    if not 0 < blocks <= 1e6:
        said = line.cells["blocks"]
        raise line.refusal(
            f"expected a number of data blocks above 0, at most 1e6, got {said!r:.40}", "blocks"
        )
    disk = line.whole("disk", 0, disks - 1)
    local, write = _truth(line, "local", "true"), _truth(line, "write", "false")
    return Graph(disk, receivers, local, _picoseconds(line), blocks, write)


def _truth(line: CsvLine, column: str, default: str) -> bool:
    word = (line.cells.get(column) or default).lower()
    if word not in _TRUTHS:
        raise line.refusal(f"expected true or false in the column {column}, got {word!r:.40}", column)
    return _TRUTHS[word]


def _picoseconds(line: CsvLine) -> int:
    text = line.cells.get("compute") or "0"
    try:
        return units.picoseconds(float(text) if text.replace(".", "", 1).isdigit() else text)
    except (StriateError, OverflowError, ValueError) as error:
        message = error.message if isinstance(error, StriateError) else f"expected a time, got {text!r:.40}"
        raise line.refusal(message, "compute") from None
