"""How fine each level of a timeline can be drawn in a page of so many bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from striate.pages.columns import estimated_size
from striate.pages.timeline.bars import LEVELS_APART, Bars
from striate.pages.timeline.budget import Levels, shared_out
from striate.pages.timeline.bundles import bundled_apart
from striate.pages.timeline.items import ROUGH, items_of

_LEAST_ITEMS = 100  # of a level
_ROUNDS = 6  # of estimates, each nearer
_SAMPLED, _STRETCHES = 40_000, 8  # bars of a level that estimates look at, and in how many stretches


def most_items(drawn: Sequence[Bars], room: int, *, most: int) -> list[Levels]:
    """How many items each level of every run may have: `most` in all, and about `room` bytes."""
    found = shared_out([bars.counts() for bars in drawn], most)
    samples = [[_sample(bars.of_level(level)) for level in range(len(LEVELS_APART))] for bars in drawn]
    sizes = [[0] * len(levels) for levels in found]
    changed = [[True] * len(levels) for levels in found]
    for _ in range(_ROUNDS):
        for run, mine in enumerate(samples):
            for level in np.flatnonzero(changed[run]).tolist():
                sizes[run][level] = _size(*mine[level], level, found[run][level])
        allowed = shared_out(sizes, room)
        changed = [
            [wants > has for wants, has in zip(*levels, strict=True)]
            for levels in zip(sizes, allowed, strict=True)
        ]
        if not any(map(any, changed)):
            break
        found = [
            [_fewer(*level) for level in zip(*levels, strict=True)]
            for levels in zip(found, sizes, allowed, strict=True)
        ]
    return found


def _sample(bars: Bars) -> tuple[Bars, float]:
    """Some stretches of neighbours that stand for all, and how many times as many there are."""
    if len(bars) <= 2 * _SAMPLED:
        return bars, 1.0
    begins = np.linspace(0, len(bars) - _SAMPLED // _STRETCHES, _STRETCHES).astype(np.int64)
    rows = (begins[:, None] + np.arange(_SAMPLED // _STRETCHES)).ravel()
    return bars.chosen(rows), len(bars) / len(rows)


def _fewer(items: int, wants: int, has: int) -> int:
    """As many items as are likely to fit into the bytes that a level has."""
    return items if wants <= has else max(int(0.97 * items * has / wants), _LEAST_ITEMS)


def _size(sample: Bars, times: float, level: int, most: int) -> int:
    """About how many bytes the items of one level take when there are at most `most` of them."""
    if not len(sample):
        return 0
    limits = [int(most / times) if number == level else 0 for number in range(len(LEVELS_APART))]
    return int(times * estimated_size(items_of(sample, bundled_apart(sample, most=limits)), (ROUGH,)))
