"""The core folds as its readable twin does, row for row."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from parity import fold_twin
from striate._core import Folder

WIDTHS = {2: 0, 3: 1, 4: 2, 5: 0}

leaves = st.sampled_from(sorted(WIDTHS)).flatmap(
    lambda shape: st.tuples(st.just(shape), st.tuples(*[st.integers(0, 3)] * WIDTHS[shape]))
)
# Short stretches that come again, each time moved: loops, loops in loops, and what only looks like one.
stretches = st.lists(
    st.tuples(st.lists(leaves, min_size=1, max_size=4), st.integers(1, 4), st.integers(0, 2)), max_size=5
)


def written_out(parts, passes):
    """The operations of all stretches, `passes` times over."""
    for turn in range(passes):
        for body, count, stride in parts:
            for step in range(count):
                for shape, free in body:
                    yield shape, tuple(value + stride * step + turn for value in free)


def rows_of(folded):
    """The rows of the core as the twin tells them."""
    at = 0
    for shape, count, pair in zip(
        folded.shape.tolist(), folded.count.tolist(), folded.pair.tolist(), strict=True
    ):
        width = 1 if shape == fold_twin.LOOP else WIDTHS.get(shape, 0)
        free = tuple(folded.free[at : at + width].tolist())
        bounds = folded.first_stride[at : at + width + 1].tolist()
        strides = tuple(tuple(folded.stride[a:b].tolist()) for a, b in pairwise(bounds))
        at += width
        yield shape, count, pair, free, strides


@settings(max_examples=150, deadline=None)
@given(stretches, st.integers(1, 3))
def test_the_core_folds_as_its_twin(parts, passes):
    operations = list(written_out(parts, passes))
    twin, one_by_one, at_once = fold_twin.Folder(), Folder(True), Folder(True)
    for shape, free in operations:
        twin.add((shape,), free)
        one_by_one.add(shape, free)
    at_once.extend(
        np.array([shape for shape, _ in operations], np.int64),
        np.array([len(free) for _, free in operations], np.int64),
        np.array([value for _, free in operations for value in free], np.int64),
    )

    expected = list(fold_twin.rows_of(twin.nodes))

    assert list(rows_of(one_by_one.rows())) == expected
    assert list(rows_of(at_once.rows())) == expected


def test_a_difference_of_more_than_64_bits_is_no_stride():
    folder = Folder(True)
    for offset in (-(2**63) + 1, 2**63 - 1):
        folder.add(3, (offset,))

    assert folder.rows().free.tolist() == [-(2**63) + 1, 2**63 - 1]
    assert not folder.rows().pair.any()
