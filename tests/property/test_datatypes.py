"""Flattened datatypes equal a slow twin that lists every byte of the type map."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from striate.layout.datatypes import (
    Dealt,
    FileView,
    contiguous,
    darray,
    element,
    hindexed,
    hvector,
    indexed,
    subarray,
    vector,
)

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


@st.composite
def datatypes(draw, depth=3):
    """A datatype and its twin, nested up to `depth` deep."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        size = draw(st.sampled_from([1, 2, 8]))
        return element(size), Twin(list(range(size)), 0, size)
    base, twin = draw(datatypes(depth=depth - 1))
    kind = draw(st.sampled_from(["contiguous", "vector", "hvector", "indexed", "hindexed"]))
    if kind == "contiguous":
        count = draw(counts)
        return contiguous(count, base), twin.at([i * twin.extent for i in range(count)])
    if kind in ("vector", "hvector"):
        count, block, stride = draw(counts), draw(counts), draw(st.integers(0, 5))
        step = stride * twin.extent if kind == "vector" else stride
        made = vector(count, block, stride, base) if kind == "vector" else hvector(count, block, stride, base)
        inner = twin.at([i * twin.extent for i in range(block)])
        return made, inner.at([i * step for i in range(count)]) if block else Twin([], 0, 0)
    blocks = draw(st.lists(st.integers(0, 3), max_size=4))
    places = draw(st.lists(st.integers(0, 9), min_size=len(blocks), max_size=len(blocks)))
    unit = twin.extent if kind == "indexed" else 1
    made = indexed(blocks, places, base) if kind == "indexed" else hindexed(blocks, places, base)
    starts = [
        place * unit + copy * twin.extent
        for place, block in zip(places, blocks, strict=True)
        for copy in range(block)
    ]
    return made, twin.at(starts)


@given(datatypes())
def test_a_nested_datatype_lists_the_bytes_of_its_type_map(pair):
    made, twin = pair

    assert bytes_of(made.runs) == twin.places
    assert made.size == len(twin.places)
    if twin.places:
        assert (made.lower, made.extent) == (twin.lower, twin.extent)
    offsets, sizes = made.runs.offsets, made.runs.sizes
    assert (offsets[1:] != offsets[:-1] + sizes[:-1]).all()  # neighbours are joined


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
