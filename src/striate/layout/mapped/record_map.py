"""Mapping at first generation: the place of every record of a file, known before the second is written.

A file format is areas of fixed-size slots, nested in any way. Every rank computes the map from the same few
numbers and gets the same map, so no rank ever asks another where to write (thesis 003, section 6.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from striate.errors import LayoutError
from striate.layout.columns import Int64, Whole, positive, together, whole_numbers
from striate.layout.datatypes import Datatype
from striate.layout.extents import Extents
from striate.units import LARGEST


@dataclass(frozen=True)
class Slot:
    """Room for one record: `size` bytes. A padded one may be filled with less; see `striate.layout.mapped.slots`."""

    name: str
    size: int
    padded: bool = True

    def __post_init__(self) -> None:
        positive(self.size, f"bytes in slot {self.name!r}")


@dataclass(frozen=True)
class Area:
    """`count` copies of its members in order, one for every value of the index `name`."""

    name: str
    count: int
    members: tuple[Slot | Area, ...]

    def __init__(self, name: str, count: int, *members: Slot | Area) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "count", positive(count, f"copies of area {name!r}"))
        object.__setattr__(self, "members", members)
        if not members:
            raise LayoutError(
                f"expected at least one slot (room for one record) or nested area in area {name!r}, got none"
            )

    @cached_property
    def stride(self) -> int:
        """Bytes of one copy."""
        return sum(_bytes(member) for member in self.members)


def _bytes(part: Slot | Area) -> int:
    return part.size if isinstance(part, Slot) else part.count * part.stride


@dataclass(frozen=True)
class Column:
    """All slots of one name: the first at `start`, the others by steps of the indices around them."""

    slot: Slot
    start: int
    counts: Mapping[str, int]
    strides: Mapping[str, int]


class RecordMap:
    """Where every record of the format lies: `RecordMap(Area("run", 4, Slot("header", 60), ...))`.

    Refuses formats with two slots of one name, an index inside itself, or more than 2^63 - 1 bytes.
    """

    def __init__(self, *parts: Slot | Area) -> None:
        self.parts = parts
        self.size = sum(_bytes(part) for part in parts)
        if not parts or self.size > LARGEST:
            raise LayoutError(
                f"expected a file format with records of 1 to 2^63 - 1 bytes in all, got {self.size}"
            )
        self._columns: dict[str, Column] = {}
        for column in _columns(parts, 0, {}, {}):
            if column.slot.name in self._columns:
                raise LayoutError(
                    f"expected slots (room for one record) with different names, got {column.slot.name!r} twice"
                )
            self._columns[column.slot.name] = column

    @property
    def slots(self) -> list[str]:
        """Names of the slots, in the order of the file."""
        return list(self._columns)

    def column(self, slot: str) -> Column:
        """Counts and strides of one slot; refuses a name the format does not have."""
        if slot not in self._columns:
            raise LayoutError(f"expected a slot (room for one record) among {self.slots}, got {slot!r}")
        return self._columns[slot]

    def offset(self, slot: str, /, **indices: Whole) -> Int64:
        """First byte of the slot at these indices, numbers or arrays; refuses indices outside the area."""
        column = self.column(slot)
        if set(indices) != set(column.counts):
            raise LayoutError(
                f"expected the indices {sorted(column.counts)} for the slot (room for one record) {slot!r}, "
                f"got {sorted(indices)}"
            )
        offsets: Int64 = np.asarray(column.start, np.int64)
        for name, values in indices.items():
            index = whole_numbers(values, f"index {name!r}")
            _refuse_outside(name, index, column.counts[name])
            offsets, steps = together(offsets, index)
            offsets = offsets + steps * column.strides[name]
        return offsets[()]

    def extents(self, slot: str, /, **indices: Whole) -> Extents:
        """The byte runs of these slots, in the order of the indices."""
        offsets = np.atleast_1d(self.offset(slot, **indices)).reshape(-1)
        return Extents.trusted(offsets, np.full_like(offsets, self.column(slot).slot.size))

    def view(self, *runs: Extents) -> Datatype:
        """The datatype whose data are these runs in the order of the file: the file view of one rank (6.2.4).

        MPI wants the displacements of a view to grow, so the runs are merged; the extent is the whole file.
        """
        together_ = Extents([], [])
        for extents in runs:
            together_ = together_.followed_by(extents)
        return Datatype(together_.merged(), 0, self.size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordMap) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)


def _columns(
    parts: tuple[Slot | Area, ...], start: int, counts: dict[str, int], strides: dict[str, int]
) -> Iterator[Column]:
    for part in parts:
        if isinstance(part, Slot):
            yield Column(part, start, counts, strides)
        elif part.name in counts:
            raise LayoutError(
                f"expected no area (repeated records) inside an area of the same name, got {part.name!r} inside itself"
            )
        else:
            inner = counts | {part.name: part.count}
            yield from _columns(part.members, start, inner, strides | {part.name: part.stride})
        start += _bytes(part)


def _refuse_outside(name: str, index: Int64, count: int) -> None:
    wrong = index[(index < 0) | (index >= count)]
    if wrong.size:
        raise LayoutError(f"expected the index {name} from 0 to {count - 1}, got {int(wrong.flat[0])}")
