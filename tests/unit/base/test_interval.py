"""Intervals: a low and a high end with the estimate between them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.interval import Interval

ends = st.floats(0, 1e12)
intervals = st.lists(ends, min_size=3, max_size=3).map(lambda values: Interval(*sorted(values)))


def test_both_bounds_hold_in_a_combination():
    coarse, fine = Interval(2.0, 3.0, 9.0), Interval(1.0, 8.0, 8.0)

    assert coarse.combined(fine) == Interval(2.0, 3.0, 8.0)  # the larger low, the smaller high
    assert fine.combined(coarse) == Interval(2.0, 8.0, 8.0)


def test_the_estimate_moves_inside_the_combination():
    assert Interval(0, 1, 10).combined(Interval(4, 5, 6)) == Interval(4, 4, 6)
    assert Interval(0, 9, 10).combined(Interval(4, 5, 6)) == Interval(4, 6, 6)


def test_paper_004_combines_the_two_best_bounds():
    """Section 6.1, the table of rungs: low of one rung and high of another leave 6.0 %."""
    macro, queue = Interval(4844.8, 5177.9, 7660.3), Interval(2630.7, 2650.7, 5133.1)

    both = queue.combined(macro)

    assert (both.low, both.high) == (4844.8, 5133.1)
    assert both.relative_error == pytest.approx(0.060, abs=5e-4)


def test_intervals_apart_cannot_be_combined():
    one, other = Interval(1, 1, 2), Interval(3, 3, 4)

    assert not one.meets(other)
    with pytest.raises(
        ValueError, match=r"expected intervals that overlap, got 1 \(1 to 2\) and 3 \(3 to 4\)"
    ):
        one.combined(other)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((2, 1, 3), "expected an interval with low <= estimate <= high, got 2, 1, 3"),
        ((0, 4, 3), "expected an interval with low <= estimate <= high, got 0, 4, 3"),
        ((math.nan, 1, 2), "expected an interval with low <= estimate <= high, got nan, 1, 2"),
        ((0, math.inf, math.inf), "expected an interval with a finite estimate, got inf"),
    ],
)
def test_what_is_not_an_interval_is_refused(values, message):
    with pytest.raises(ValueError, match="expected") as refusal:
        Interval(*values)

    assert str(refusal.value) == message


def test_an_exact_value_has_no_width():
    exact = Interval.exactly(5.0)

    assert exact.width == 0
    assert exact.relative_error == 0
    assert 5.0 in exact
    assert 5.1 not in exact


def test_the_relative_error_is_against_the_low_end():
    assert Interval(2, 3, 5).relative_error == 1.5  # (5 - 2) / 2
    assert Interval(0, 1, 2).relative_error == math.inf
    assert Interval(0, 0, 0).relative_error == 0
    assert Interval(1, 1, math.inf).relative_error == math.inf


def test_an_interval_prints_its_estimate_first():
    assert str(Interval(82.2, 88.4, 94.6)) == "88.4 (82.2 to 94.6)"


@given(intervals, intervals)
def test_a_combination_lies_in_both(one, other):
    if not one.meets(other):
        assert one.high < other.low or other.high < one.low
        return

    both = one.combined(other)

    assert both.low in one
    assert both.low in other
    assert both.high in one
    assert both.high in other
    assert both.combined(one) == both
    assert both.width <= min(one.width, other.width)
