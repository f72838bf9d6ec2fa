"""What a picture of a layout shows: the first strips of the file, some left out where a round is long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from striate.layout.distributions.grouped_blocks import GroupedBlocks
from striate.layout.distributions.two_d_stripe import TwoDStripe
from striate.layout.layout import Layout
from striate.units import LARGEST

MOST_STRIPS = 28


@dataclass(frozen=True)
class ShownStrip:
    """Strip `number` of the file: `size` bytes from `offset` on, at `physical` of `server`."""

    number: int
    offset: int
    size: int
    server: int
    physical: int

    @property
    def end(self) -> int:
        return self.offset + self.size


def shown_strips(layout: Layout, byte: int | None = None) -> list[ShownStrip]:
    """The strips worth drawing, in the order of the file; the strip of `byte` is always among them."""
    starts = _two_d_starts(layout) if isinstance(layout, TwoDStripe) else _first_starts(layout)
    strips = [_strip_from(layout, start) for start in starts]
    if byte is not None and not any(strip.offset <= byte < strip.end for strip in strips):
        strips.append(_strip_from(layout, _start_of(layout, byte)))
    return sorted(strips, key=lambda strip: strip.offset)


def _first_starts(layout: Layout) -> list[int]:
    """Starts of the first strips: two rounds of the servers, or as many as there is room for."""
    wanted = min(MOST_STRIPS, 2 * _strips_in_a_round(layout))
    starts: list[int] = []
    offset = 0
    while len(starts) < wanted and offset < LARGEST // 2:
        starts.append(offset)
        offset += int(layout.run_length(offset))
    return starts


def _strips_in_a_round(layout: Layout) -> int:
    strips = getattr(layout, "strips", None)
    if strips is not None:
        return len(strips)
    if isinstance(layout, GroupedBlocks):
        filled = -(-layout.domain // layout.block)
        return max(layout.servers, 2 * filled)
    return layout.servers


def _two_d_starts(layout: TwoDStripe) -> list[int]:
    """For each group its first rows and its last, as room allows, and the first row of the next round."""
    small = layout.servers // layout.groups
    rows = _two_d_rows(layout, MOST_STRIPS - small)
    numbers = chain(
        (number for group in range(layout.groups) for number in _of_group(layout, group, rows)),
        (layout.servers * layout.factor + column for column in range(small)),
    )
    return [number * layout.unit for number in islice(numbers, MOST_STRIPS)]


def _of_group(layout: TwoDStripe, group: int, rows: list[int]) -> Iterator[int]:
    """Numbers of a group's strips in these rows."""
    small = layout.servers // layout.groups
    members = small if group < layout.groups - 1 else layout.servers - small * group
    first = group * small * layout.factor
    return (first + row * members + column for row in rows for column in range(members))


def _two_d_rows(layout: TwoDStripe, room: int) -> list[int]:
    last = layout.factor - 1
    for rows in ({0, 1, last}, {0, last}):
        shown = [row for row in sorted(rows) if row <= last]
        if len(shown) * layout.servers <= room:
            return shown
    return [0]


def _strip_from(layout: Layout, start: int) -> ShownStrip:
    server, physical = layout.locate(start)
    size = min(int(layout.run_length(start)), LARGEST - start)
    return ShownStrip(int(layout.strip_number(start)), start, size, int(server), int(physical))


def _start_of(layout: Layout, byte: int) -> int:
    """First byte of the strip that holds `byte`: its end less the longest run that ends there, by bisection."""
    end = byte + int(layout.run_length(byte))
    low, high = 0, byte
    while low < high:
        middle = (low + high) // 2
        if middle + int(layout.run_length(middle)) >= end:
            high = middle
        else:
            low = middle + 1
    return low
