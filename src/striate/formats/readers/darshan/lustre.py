"""Lustre records: where the stripes of every component of a file's layout lie."""

from __future__ import annotations

import struct
from dataclasses import dataclass

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
        raise struct.error("more components than bytes")
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
        raise struct.error("more stripes than bytes")
    return struct.unpack_from(f"{order}{count}q", content, at)
