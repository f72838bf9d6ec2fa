"""The algebra of byte runs equals a slow twin that holds sets of bytes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from property.layouts import layouts
from striate.layout import Extents

runs = st.lists(st.tuples(st.integers(0, 120), st.integers(0, 25)), max_size=12).map(Extents.of)
wide_runs = st.lists(st.tuples(st.integers(0, 2**62), st.integers(0, 2**62 - 1)), max_size=12).map(Extents.of)


def bytes_of(extents):
    return {
        byte
        for offset, size in zip(extents.offsets.tolist(), extents.sizes.tolist(), strict=True)
        for byte in range(offset, offset + size)
    }


def is_merged(extents):
    ends = extents.offsets + extents.sizes
    return bool((extents.sizes > 0).all() and (extents.offsets[1:] > ends[:-1]).all())


@given(runs, runs)
def test_combining_runs_combines_sets_of_bytes(first, second):
    for result, wanted in [
        (first.merged(), bytes_of(first)),
        (first.subtract(second), bytes_of(first) - bytes_of(second)),
    ]:
        assert bytes_of(result) == wanted
        assert is_merged(result)
        assert result.total_bytes == len(wanted)


@given(wide_runs)
def test_a_sort_is_numpys_stable_sort(extents):
    order = np.argsort(extents.offsets, kind="stable")

    assert extents.sorted() == Extents(extents.offsets[order], extents.sizes[order])


@given(layouts(), runs)
def test_the_pieces_on_servers_hold_every_byte_once(layout, extents):
    pieces = extents.merged().split(layout)
    held = [pieces.on_server(server).merged() for server in range(layout.servers)]

    assert sum(part.total_bytes for part in held) == len(bytes_of(extents))
