"""The order in which blocks of a file are accessed: one after the other, or in leaps that never meet a block twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from math import prod
from typing import Any

import numpy as np

MOST_LISTED = 4096  # blocks in random order that are kept one by one
_LEVELS = 4

Access = Callable[[Any, int], None]  # (place of the block, which of its batch)


def in_turn(body: Any, blocks: int, batch: int, access: Access) -> None:
    """Blocks 0, 1, 2 ... in batches; what is left over comes last."""
    with body.repeat(blocks // batch) as group:
        for number in range(batch):
            access(group * batch + number, number)
    for number in range(blocks % batch):
        access(blocks // batch * batch + number, number)


def at_random(body: Any, blocks: int, batch: int, access: Access) -> None:
    """Every block once in random order; beyond MOST_LISTED blocks in leaps, for a list would be too long.

    The leaps are those of nested loops whose inner ones move furthest, so that two accesses in a row lie far apart.
    """
    if blocks <= MOST_LISTED:
        for number, place in enumerate(np.random.default_rng(0).permutation(blocks).tolist()):
            access(place, number % batch)
        return
    groups = blocks // batch
    for group in _leaps(body, groups):
        for number in range(batch):
            access(group + number * groups, number)
    for number in range(blocks % batch):
        access(groups * batch + number, number)


def _leaps(body: Any, count: int) -> Iterator[Any]:
    """Loops over 0 ... count - 1, as affine values; several nests where `count` is no product of like numbers."""
    first = 0
    while first < count:
        sizes = _sizes(count - first)
        with ExitStack() as nest:
            place: Any = first
            for level, size in enumerate(sizes):  # the outermost moves least
                place = nest.enter_context(body.repeat(size)) * prod(sizes[:level]) + place
            yield place
        first += prod(sizes)


def _sizes(count: int) -> list[int]:
    """Up to _LEVELS like numbers whose product is at most `count`, and near it."""
    sizes: list[int] = []
    for left in range(_LEVELS, 0, -1):
        size = max(int(count ** (1 / left)), 1)
        sizes.append(min(size, count))
        count //= sizes[-1]
    return [size for size in sizes if size > 1] or [1]
