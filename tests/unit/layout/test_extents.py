"""Byte runs and datatypes at their edges: empty, enormous, impossible."""

import numpy as np
import pytest

from striate.errors import LayoutError
from striate.layout import Extents
from striate.layout.datatypes import (
    Dealt,
    FileView,
    contiguous,
    darray,
    element,
    hvector,
    indexed,
    subarray,
    vector,
)

LARGEST = 2**63 - 1


def test_no_runs_combine_to_no_runs():
    nothing = Extents([], [])

    assert nothing.merged() == nothing.subtract(nothing) == nothing
    assert Extents([5], [5]).subtract(nothing) == Extents([5], [5])
    assert nothing.end == nothing.total_bytes == 0


def test_a_hole_may_reach_over_several_runs():
    assert Extents.of([(0, 10), (20, 10), (40, 10)]).subtract(Extents([5], [37])) == Extents.of(
        [(0, 5), (42, 8)]
    )


def test_total_bytes_do_not_overflow():
    assert Extents([0, 0, 0], [LARGEST] * 3).total_bytes == 3 * LARGEST


def test_shifting_keeps_runs_within_a_file():
    assert Extents([5], [5]).shifted(-5) == Extents([0], [5])
    with pytest.raises(LayoutError, match="after a shift by -6"):
        Extents([5], [5]).shifted(-6)
    with pytest.raises(LayoutError, match="after a shift by"):
        Extents([5], [5]).shifted(LARGEST - 9)


def test_a_million_runs_in_disorder_merge_to_what_numpy_finds():
    random = np.random.default_rng(7)
    offsets, sizes = random.integers(0, 2**33, 10**6), random.integers(0, 9000, 10**6)
    order = np.argsort(offsets[sizes > 0], kind="stable")
    starts, ends = offsets[sizes > 0][order], (offsets + sizes)[sizes > 0][order]
    reach = np.maximum.accumulate(ends)
    first = np.r_[True, starts[1:] > reach[:-1]]

    merged = Extents(offsets, sizes).merged()

    assert np.array_equal(merged.offsets, starts[first])
    assert np.array_equal(merged.offsets + merged.sizes, reach[np.r_[first[1:], True]])


def test_a_vector_of_doubles_strides_over_the_rest_of_a_row():
    column = vector(3, 2, 5, element(8))  # two doubles of every five, three times

    assert column.runs == Extents.of([(0, 16), (40, 16), (80, 16)])
    assert (column.lower, column.extent, column.size) == (0, 96, 48)


def test_a_vast_contiguous_type_is_one_run():
    assert contiguous(10**15, element(8)).runs == Extents([0], [8 * 10**15])
    assert subarray([10**6, 10**6], [10**6, 10**6], [0, 0], element(8)).runs == Extents([0], [8 * 10**12])


def test_a_view_of_dense_tiles_is_one_run_however_long():
    assert FileView(100, contiguous(3, element(8))).extents(7, 10**15) == Extents([107], [10**15])


def test_a_process_beyond_the_last_block_gets_nothing():
    assert len(darray(3, [4], [Dealt("block", 2)], [4], element(1)).runs) == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: element(0), "bytes in an element"),
        (lambda: contiguous(-1, element(1)), "copies from 0"),
        (lambda: contiguous(2**62, element(8)), "up to 2^63 - 1"),
        (lambda: FileView(16, hvector(3, 1, -8, element(8))), "got a datatype with data at byte -16"),
        (lambda: indexed([1], [1, 2], element(1)), "expected one displacement per block"),
        (lambda: indexed([-1], [1], element(1)), "block lengths of 0 or more, got -1"),
        (lambda: FileView(1, indexed([1], [-1], element(1))), "without data before byte 0"),
        (lambda: indexed([1], [2**61], element(8)), "within 2^63 - 1 bytes"),
        (lambda: vector(2**40, 1, 2, element(1)), "at most 134217728 byte runs"),
        (
            lambda: subarray([4], [3], [2], element(1)),
            "expected a subarray within elements 0 to 4, got 3 elements from element 2 on",
        ),
        (lambda: subarray([4], [3, 1], [2], element(1)), "per dimension"),
        (lambda: subarray([4], [3], [0], element(1), "D"), 'order "C" or "F"'),
        (lambda: darray(2, [4], [Dealt("block")], [2], element(1)), "a rank from 0 to 1, got 2"),
        (lambda: darray(0, [4], [Dealt("none")], [2], element(1)), "one process along"),
        (lambda: darray(0, [4], [Dealt("spiral")], [2], element(1)), "got 'spiral'"),
        (lambda: darray(0, [9], [Dealt("block", 2)], [2], element(1)), "of at least 5 indices, got 2"),
        (lambda: FileView(0, contiguous(0, element(1))).extents(0, 1), "a file view with data"),
        (lambda: FileView(0, element(1)).extents(-1, 1), "got 1 bytes at -1"),
    ],
)
def test_a_datatype_no_file_can_have_is_refused(call, words):
    with pytest.raises(LayoutError) as refusal:
        call()

    assert words in str(refusal.value)
