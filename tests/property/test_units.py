"""What is printed reads back as the same number, and no text makes a reader fall over."""

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from striate import units
from striate.errors import UnitError

whole = st.one_of(
    st.integers(0, 2**63 - 1),
    st.builds(lambda n, power: min(n * 10**power, 2**63 - 1), st.integers(0, 10**6), st.integers(0, 15)),
    st.builds(lambda n, power: min(n << power, 2**63 - 1), st.integers(0, 10**6), st.integers(0, 50)),
)


@given(whole)
@example(10**12)
@example(2**63 - 1)
def test_every_size_reads_back_as_itself(bytes_):
    assert units.size(units.format_size(bytes_)) == bytes_


@given(whole)
def test_no_other_prefix_is_shorter(bytes_):
    shown = units.format_size(bytes_)

    for prefix, scale in (units._BINARY | units._DECIMAL).items():
        if bytes_ and bytes_ % scale == 0:
            assert len(shown) <= len(f"{bytes_ // scale} {prefix}B")


@given(whole)
@example(2**63 - 1)
def test_every_picosecond_reads_back_as_itself(ticks):
    assert units.picoseconds(units.format_picoseconds(ticks)) == ticks


@given(st.floats(0, allow_infinity=False, allow_nan=False) | whole.map(float))
@example(1e300)
@example(5e-324)
@example(float(2**63))
@example(1.7976931348623157e308)
def test_every_rate_reads_back_as_the_same_double(bytes_per_second):
    assert units.rate(units.format_rate(bytes_per_second)) == bytes_per_second


numbers = st.from_regex(r"[+-]?[0-9]{1,5}(\.[0-9]{0,4})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
unit_names = st.sampled_from(sorted(units._SIZE_UNITS | units._RATE_UNITS | units._TIME_UNITS)) | st.text(
    max_size=3
)
anything = st.text(max_size=70) | st.builds("{} {}".format, numbers, unit_names)


@pytest.mark.parametrize("read", [units.size, units.rate, units.seconds, units.picoseconds, units.count])
@given(text=anything)
@example(text="1e999")
@example(text="1e-999 ps")
@example(text="\x00")
@example(text="1_ B")
@example(text="٣ B")  # a digit, but not one of ours
def test_any_text_is_a_number_or_refused(read, text):
    value = read_or_refusal(read, text)

    if isinstance(value, UnitError):
        assert str(value).startswith("expected ")
        assert "\n" not in str(value)
    else:
        assert value >= 0
        assert math.isfinite(value)


def read_or_refusal(read, text):
    try:
        return read(text)
    except UnitError as refusal:
        return refusal


@given(st.integers(0, 10**9), st.sampled_from(sorted(units._SIZE_UNITS)))
def test_a_size_is_its_number_times_its_unit(number, unit):
    exact = number * units._SIZE_UNITS[unit]

    if exact < 2**63:
        assert units.size(f"{number} {unit}") == exact
    else:
        with pytest.raises(UnitError, match="at most"):
            units.size(f"{number} {unit}")


@given(st.fractions(0, 10**6))
def test_a_time_is_off_by_half_a_picosecond_at_most(seconds):
    assert abs(units.picoseconds(seconds) - seconds * 10**12) <= Fraction(1, 2)
