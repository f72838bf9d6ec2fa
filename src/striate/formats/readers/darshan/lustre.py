"""Lustre records: where the stripes of every component of a file's layout lie."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.trace.records import Tables, columns_of, counter

_FIXED = 7  # whole numbers of a component


@dataclass(frozen=True, slots=True)
class Component:
    """One component of a file: the bytes from `start` to `end` (-1: the end of the file), in stripes over targets."""

    id: int
    rank: int
    number: int
    stripe_size: int
    stripe_count: int
    start: int
    end: int
    pool: str
    targets: tuple[int, ...]


def components(version: int, content: bytes, *, order: str) -> tuple[list[Component], bool] | None:
    """All components in the order of the log, and whether it ended well; None for a version we do not know."""
    if version not in (1, 2):
        return None
    read = _plain if version == 1 else _composite
    found: list[Component] = []
    at = 0
    while at < len(content):
        try:
            at = read(content, at, order, found)
        except struct.error:
            return found, False
    return found, True


def _plain(content: bytes, at: int, order: str, found: list[Component]) -> int:
    """Version 1: one component, with the numbers of all OSTs and MDTs of the file system before it."""
    number, rank, _, _, _, unit, width = struct.unpack_from(f"{order}Qq5q", content, at)
    at += 56
    found.append(Component(number, rank, 0, unit, width, 0, -1, "", _targets(content, at, order, width)))
    return at + 8 * int(width)


def _composite(content: bytes, at: int, order: str, found: list[Component]) -> int:
    """Version 2: any number of components, then the targets of all of them."""
    number, rank, parts, stripes = struct.unpack_from(f"{order}Q3q", content, at)
    at += 32
    if not 0 <= parts <= (len(content) - at) // (8 * _FIXED + 16):
        raise struct.error("the record of a file layout is too short for its number of components")
    table = []
    for _ in range(parts):
        table.append(struct.unpack_from(f"{order}{_FIXED}q16s", content, at))
        at += 8 * _FIXED + 16
    targets = _targets(content, at, order, stripes)
    for part, (unit, count, _, _, start, end, _, pool) in enumerate(table):
        mine, targets = targets[: max(count, 0)], targets[max(count, 0) :]
        name = pool.split(b"\0", 1)[0].decode("utf-8", "replace")
        found.append(Component(number, rank, part, unit, count, start, end, name, mine))
    return at + 8 * int(stripes)


def _targets(content: bytes, at: int, order: str, count: int) -> tuple[int, ...]:
    if not 0 <= count <= (len(content) - at) // 8:
        raise struct.error("the record of a file layout is too short for its number of stripes")
    return struct.unpack_from(f"{order}{count}q", content, at)


def stripe_hints(records: Tables, files: int) -> dict[int, dict[str, str]]:
    """Striping of each file, as the MPI hints that ask for the same: that of the last component in use."""
    if "LUSTRE" not in records:
        return {}
    table, last = records["LUSTRE"], _last_bytes(records, files)
    columns = (table.column(name).to_pylist() for name in ("file", "stripe_size", "stripe_count", "start"))
    return {
        file: {"striping_unit": str(unit), "striping_factor": str(width)}
        for file, unit, width, start in zip(*columns, strict=True)
        if unit > 0 and width > 0 and start <= last[file]
    }


def _last_bytes(records: Tables, files: int) -> NDArray[np.int64]:
    """The last byte that POSIX accessed of each file; the last that can be where it does not tell."""
    last = np.zeros(files, np.int64)
    columns = columns_of(records["POSIX"]) if "POSIX" in records else {}
    for kind in ("read", "written") if columns else ():
        np.maximum.at(last, columns["file"], counter(columns, f"max_byte_{kind}"))
    return np.where(last > 0, last, np.iinfo(np.int64).max)
