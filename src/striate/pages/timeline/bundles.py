"""Level of detail: neighbouring short bars become bundles that keep each state's time, count and bytes.

Whatever the zoom, the share of time of every state stays true (as in Jumpshot's previews); single bars stay single
where there are few, or where they are long. Ranks, servers, links and disks are bundled apart: a million messages on
links hide no call of a rank.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.pages.timeline.bars import Bars
from striate.pages.timeline.budget import Levels, shared_out

Int64s = NDArray[np.int64]
BUNDLE = -1  # the state of an item that is a bundle


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Items ordered by lane and start: single bars (`state` >= 0, `bar` says which) and bundles.

    Bundle number i, in the order of items, has the parts `first_part[i]` to `first_part[i + 1]`.
    """

    lane: Int64s
    state: Int64s
    start: Int64s
    end: Int64s
    bar: Int64s  # of single bars, in their order
    first_part: Int64s
    part_state: Int64s
    part_time: Int64s
    part_count: Int64s
    part_bytes: Int64s

    def __len__(self) -> int:
        return len(self.lane)


def bundled(bars: Bars, *, most: int) -> Items:
    """At most about `most` items, shared out among the levels."""
    return bundled_apart(bars, most=shared_out([bars.counts()], most)[0])


def bundled_apart(bars: Bars, *, most: Levels) -> Items:
    """At most about as many items of each level as `most` says: the finest bundles for which that is so."""
    level = bars.level_of_lane[bars.lane]
    width = np.zeros(len(bars), np.int64)
    for number, few in enumerate(most):
        mine = level == number
        if np.count_nonzero(mine) > few:
            width[mine] = _width(bars.lane[mine], bars.start[mine], bars.end[mine], few)
    return _items(bars, _firsts(bars.lane, bars.start, bars.end, width))


def _width(lane: Int64s, start: Int64s, end: Int64s, most: int) -> int:
    """The narrowest bundles, of ticks in steps of a quarter of a doubling, that are at most `most` - or the fewest."""
    span = int(end.max()) - int(start.min())
    low, high = 0, 4 * max(span.bit_length(), 1)
    while low < high:
        middle = (low + high) // 2
        if len(_firsts(lane, start, end, np.int64(_ticks(middle)))) <= most:
            high = middle
        else:
            low = middle + 1
    return _ticks(low)


def _ticks(quarters: int) -> int:
    return round(math.pow(2.0, quarters / 4))


def _firsts(lane: Int64s, start: Int64s, end: Int64s, width: Int64s | np.int64) -> Int64s:
    """Where items begin when bars shorter than `width` are bundled: at long bars, behind them, in every new bin."""
    long = end - start >= width  # all of them where `width` is 0
    place = start // np.maximum(width, 1)
    begins = np.ones(len(lane), bool)
    begins[1:] = long[1:] | long[:-1] | (place[1:] != place[:-1]) | (lane[1:] != lane[:-1])
    return np.flatnonzero(begins)


def _items(bars: Bars, first: Int64s) -> Items:
    last = np.append(first, len(bars))[1:] - 1
    single = first == last
    state = np.where(single, bars.state[first], BUNDLE)
    member = np.repeat(np.cumsum(~single) - 1, last - first + 1)  # of which bundle, where it is of one
    inside = np.repeat(~single, last - first + 1)
    bundles, states = int((~single).sum()), max(len(bars.states), 1)
    keys, part = np.unique(member[inside] * states + bars.state[inside], return_inverse=True)
    part = np.asarray(part).ravel()
    time, size = (np.zeros(len(keys), np.int64) for _ in range(2))
    np.add.at(time, part, (bars.end - bars.start)[inside])
    np.add.at(size, part, bars.bytes[inside])
    return Items(
        bars.lane[first],
        state,
        bars.start[first],
        bars.end[last],
        first[single],
        np.searchsorted(keys, np.arange(bundles + 1) * states),
        keys % states,
        time,
        np.bincount(part, minlength=len(keys)),
        size,
    )
