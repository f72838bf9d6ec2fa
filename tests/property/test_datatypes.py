"""Flattened datatypes equal a slow twin that lists every byte of the type map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import TraceError
from striate.layout.datatypes import (
    Datatype,
    Dealt,
    FileView,
    contiguous,
    darray,
    element,
    hindexed,
    hvector,
    indexed,
    struct,
    subarray,
    vector,
)
from striate.record.datatype import datatype_of

counts = st.integers(0, 4)


class Twin:
    """Bytes of a type map one by one, with MPI's bounds."""

    def __init__(self, places, lower, upper):
        self.places, self.lower, self.upper = places, lower, upper

    @property
    def extent(self):
        return self.upper - self.lower

    def at(self, displacements):
        if not displacements:
            return Twin([], 0, 0)
        places = [displacement + place for displacement in displacements for place in self.places]
        return Twin(places, min(displacements) + self.lower, max(displacements) + self.upper)


def bytes_of(extents):
    return [
        offset + byte
        for offset, size in zip(extents.offsets.tolist(), extents.sizes.tolist(), strict=True)
        for byte in range(size)
    ]


@dataclass
class Made:
    """A datatype as `striate.layout` flattens it, its twin, and its tree as the tracer writes it."""

    datatype: Datatype
    twin: Twin
    combiner: int
    numbers: Sequence[int] = ()
    addresses: Sequence[int] = ()
    inner: Sequence[Made] = ()

    def tree(self) -> list[int]:
        head = [self.combiner, len(self.twin.places), self.twin.extent, self.twin.lower]
        for part in (self.numbers, self.addresses, ()):
            head += [len(part), *part]
        return [*head, len(self.inner), *(number for one in self.inner for number in one.tree())]


def starts_of(blocks, places, extent):
    return [
        place + copy * extent for place, block in zip(places, blocks, strict=True) for copy in range(block)
    ]


@st.composite
def datatypes(draw, depth=3):
    """A datatype with its twin and tree, nested up to `depth` deep; displacements may be negative."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        size = draw(st.sampled_from([1, 2, 8]))
        return Made(element(size), Twin(list(range(size)), 0, size), 1)
    one = draw(datatypes(depth=depth - 1))
    base, twin = one.datatype, one.twin
    kind = draw(st.sampled_from([*"cvVhHbrs"]))
    if kind == "c":
        count = draw(counts)
        made = twin.at([i * twin.extent for i in range(count)])
        return Made(contiguous(count, base), made, 3, [count], inner=[one])
    if kind in "vV":
        count, block, stride = draw(counts), draw(counts), draw(st.integers(-2, 5))
        step = stride * twin.extent if kind == "v" else stride
        inner = twin.at([i * twin.extent for i in range(block)])
        made = inner.at([i * step for i in range(count)]) if block else Twin([], 0, 0)
        if kind == "v":
            return Made(vector(count, block, stride, base), made, 4, [count, block, stride], inner=[one])
        return Made(hvector(count, block, stride, base), made, 6, [count, block], [stride], [one])
    if kind == "r":
        lower, extent = draw(st.integers(-3, 3)), draw(st.integers(0, 40))
        made = Twin(twin.places, lower, lower + extent)
        return Made(base.resized(lower, extent), made, 18, (), [lower, extent], [one])
    blocks = draw(st.lists(st.integers(0, 3), max_size=4))
    places = draw(st.lists(st.integers(-3, 9), min_size=len(blocks), max_size=len(blocks)))
    if kind == "s":
        inner = [one, *(draw(datatypes(depth=depth - 1)) for _ in blocks[1:])][: len(blocks)]
        parts = [
            part.twin.at(starts_of([block], [place], part.twin.extent))
            for part, block, place in zip(inner, blocks, places, strict=True)
            if block
        ]
        made = Twin(
            [place for part in parts for place in part.places],
            min((part.lower for part in parts), default=0),
            max((part.upper for part in parts), default=0),
        )
        bases = [part.datatype for part in inner]
        return Made(struct(blocks, places, bases), made, 12, [len(blocks), *blocks], places, inner)
    if kind == "b" and blocks:
        blocks = blocks[:1] * len(blocks)
    unit = twin.extent if kind == "h" else 1
    made = twin.at(starts_of(blocks, [place * unit for place in places], twin.extent))
    if kind == "h":
        return Made(indexed(blocks, places, base), made, 7, [len(blocks), *blocks, *places], inner=[one])
    numbers = [len(blocks), *(blocks[:1] or [0])] if kind == "b" else [len(blocks), *blocks]
    return Made(hindexed(blocks, places, base), made, 19 if kind == "b" else 9, numbers, places, [one])


@given(datatypes())
def test_a_nested_datatype_lists_the_bytes_of_its_type_map(made):
    datatype, twin = made.datatype, made.twin

    assert bytes_of(datatype.runs) == twin.places
    assert datatype.size == len(twin.places)
    if twin.places:
        assert (datatype.lower, datatype.extent) == (twin.lower, twin.extent)
    offsets, sizes = datatype.runs.offsets, datatype.runs.sizes
    assert (offsets[1:] != offsets[:-1] + sizes[:-1]).all()  # neighbours are joined


@given(datatypes())
def test_a_recorded_datatype_is_the_one_that_was_made(made):
    content = np.array(made.tree(), np.int64).tobytes()

    if min(made.twin.places, default=0) < 0:
        with pytest.raises(TraceError, match="data at byte -"):
            datatype_of(content)
        return
    found = datatype_of(content)

    assert bytes_of(found.runs) == made.twin.places
    assert found.extent == made.twin.extent


@st.composite
def shapes(draw):
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    starts = [draw(st.integers(0, size - 1)) for size in sizes]
    parts = [draw(st.integers(1, size - start)) for size, start in zip(sizes, starts, strict=True)]
    return sizes, parts, starts


@given(shapes(), st.sampled_from(["C", "F"]), st.sampled_from([1, 8]))
def test_a_subarray_is_what_numpy_slices(shape, order, width):
    sizes, parts, starts = shape
    numbers = np.arange(int(np.prod(sizes))).reshape(sizes, order=order)
    window = tuple(slice(start, start + part) for start, part in zip(starts, parts, strict=True))
    wanted = numbers[window].reshape(-1, order=order)
    made = subarray(sizes, parts, starts, element(width), order)

    assert bytes_of(made.runs) == [int(number) * width + byte for number in wanted for byte in range(width)]
    assert (made.lower, made.extent) == (0, int(np.prod(sizes)) * width)


@st.composite
def dealt_arrays(draw):
    sizes = draw(st.lists(st.integers(1, 7), min_size=1, max_size=3))
    kinds = [draw(st.sampled_from(["block", "cyclic", "none"])) for _ in sizes]
    grid = [1 if kind == "none" else draw(st.integers(1, 3)) for kind in kinds]
    deals = [
        Dealt(kind, draw(st.sampled_from([None, 1, 2]) if kind == "cyclic" else st.none())) for kind in kinds
    ]
    return sizes, deals, grid


def owner(deal, index, size, processes):
    """The process along one dimension that owns `index`: HPF's rule, one index at a time."""
    if deal.kind == "none":
        return 0
    if deal.kind == "block":
        return index // -(-size // processes)
    return index // (deal.argument or 1) % processes


@given(dealt_arrays(), st.sampled_from(["C", "F"]))
def test_a_dealt_array_gives_every_element_to_its_owner(dealt, order):
    sizes, deals, grid = dealt
    numbers = np.arange(int(np.prod(sizes))).reshape(sizes, order=order)
    owners = {}
    for place in np.ndindex(*sizes):
        coordinates = [owner(*item) for item in zip(deals, place, sizes, grid, strict=True)]
        owners.setdefault(int(np.ravel_multi_index(coordinates, grid)), []).append(int(numbers[place]))

    for rank in range(int(np.prod(grid))):
        made = darray(rank, sizes, deals, grid, element(1), order)
        assert sorted(bytes_of(made.runs)) == sorted(owners.get(rank, []))
        assert bytes_of(made.runs) == sorted(bytes_of(made.runs))
        assert made.extent == int(np.prod(sizes))


@given(shapes(), st.integers(0, 20), st.integers(0, 60), st.integers(0, 80))
def test_a_view_reads_the_tiles_byte_after_byte(shape, displacement, start, size):
    made = subarray(*shape, element(2))
    tiles = [
        displacement + tile * made.extent + byte
        for tile in range((start + size) // made.size + 2)
        for byte in bytes_of(made.runs)
    ]

    assert bytes_of(FileView(displacement, made).extents(start, size)) == tiles[start : start + size]
