"""Level of detail: neighbouring short bars become bundles that keep each state's time, count and bytes.

Whatever the zoom, the share of time of every state stays true (as in Jumpshot's previews); single bars stay single
where there are few, or where they are long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.pages.bars import Bars

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
    """At most about `most` items: the finest bundles for which that is so."""
    first = np.arange(len(bars))
    if len(bars) > most:
        first = _firsts(bars, _width(bars, most))
    return _items(bars, first)


def _width(bars: Bars, most: int) -> int:
    """The narrowest bundles, of ticks in steps of a quarter of a doubling, that are at most `most` - or the fewest."""
    span = int(bars.end.max()) - int(bars.start.min())
    low, high = 0, 4 * max(span.bit_length(), 1)
    while low < high:
        middle = (low + high) // 2
        if len(_firsts(bars, _ticks(middle))) <= most:
            high = middle
        else:
            low = middle + 1
    return _ticks(low)


def _ticks(quarters: int) -> int:
    return round(math.pow(2.0, quarters / 4))


def _firsts(bars: Bars, width: int) -> Int64s:
    """Where items begin when bars shorter than `width` are bundled: at long bars, behind them, in every new bin."""
    long = bars.end - bars.start >= width
    place = bars.start // width
    begins = np.ones(len(bars), bool)
    begins[1:] = long[1:] | long[:-1] | (place[1:] != place[:-1]) | (bars.lane[1:] != bars.lane[:-1])
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
