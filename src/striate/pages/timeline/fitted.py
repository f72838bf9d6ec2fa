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


def most_items(drawn: Sequence[Bars], room: int, *, most: int) -> list[Levels]:
    """How many items each level of every run may have: `most` in all, and about `room` bytes."""
    found = shared_out([bars.counts() for bars in drawn], most)
    sizes = [[0] * len(levels) for levels in found]
    changed = [[True] * len(levels) for levels in found]
    for _ in range(_ROUNDS):
        for run, bars in enumerate(drawn):
            for level in np.flatnonzero(changed[run]).tolist():
                sizes[run][level] = _size(bars, level, found[run][level])
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


def _fewer(items: int, wants: int, has: int) -> int:
    """As many items as are likely to fit into the bytes that a level has."""
    return items if wants <= has else max(int(0.97 * items * has / wants), _LEAST_ITEMS)


def _size(bars: Bars, level: int, most: int) -> int:
    """About how many bytes the items of one level take when there are at most `most` of them."""
    own = bars.of_level(level)
    if not len(own):
        return 0
    limits = [most if number == level else 0 for number in range(len(LEVELS_APART))]
    return estimated_size(items_of(own, bundled_apart(own, most=limits)), (ROUGH,))
