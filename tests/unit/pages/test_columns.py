"""Columns of a page: a slow reader gives back what was packed."""

import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from striate.pages.columns import ROUGH_STEPS, pack, varints

WHOLE = arrays.arrays(np.int64, st.integers(0, 50), elements=st.integers(-(2**62), 2**62))


def read_varints(content: bytes) -> list[int]:
    """One byte after the other, as the format's description has it."""
    found, number, shift = [], 0, 0
    for byte in content:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(number // 2 if number % 2 == 0 else -(number + 1) // 2)
            number, shift = 0, 0
    assert shift == 0
    return found


@given(WHOLE)
def test_variable_length_integers_read_back(values):
    assert read_varints(varints(values)) == values.tolist()


@given(WHOLE, arrays.arrays(np.float64, st.integers(0, 9), elements=st.floats(allow_nan=False)))
def test_columns_read_back_from_what_is_packed(whole, doubles):
    whole = whole // 4  # differences of two stay within 64 bits
    directory, content = pack({"whole": whole, "doubles": doubles})
    raw = zlib.decompress(content, -15)

    first, second = directory
    assert len(raw) == first["bytes"] + second["bytes"]
    values = np.array(read_varints(raw[: first["bytes"]]), np.int64)
    assert (np.cumsum(values) if first["kind"] == "steps" else values).tolist() == whole.tolist()
    assert np.frombuffer(raw[first["bytes"] :], "<f8").tolist() == doubles.tolist()
    assert second["kind"] == "double"


def test_a_rising_column_is_kept_as_steps():
    directory, _ = pack({"rising": np.arange(1000) * 1000})

    assert directory == [{"name": "rising", "kind": "steps", "rows": 1000, "bytes": 1 + 999 * 2}]


@given(arrays.arrays(np.int64, st.integers(0, 50), elements=st.integers(0, 2**60)))
def test_rough_columns_come_back_right_to_about_one_percent(values):
    (column,), content = pack({"bytes": values}, ("bytes",))
    steps = np.array(read_varints(zlib.decompress(content, -15)), float)

    assert column["kind"] == "rough"
    np.testing.assert_allclose(2 ** (steps / ROUGH_STEPS), values + 1.0, rtol=0.011)
