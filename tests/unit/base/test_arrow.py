"""Columns cross between NumPy and Arrow as pyarrow's own functions bring them over."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from striate.arrow import among, array, as_numpy, distinct, empty, lists, strings, taken

KINDS = ("i1", "i2", "i4", "i8", "u8", "f8", "?")
columns = st.sampled_from(KINDS).flatmap(lambda kind: arrays(np.dtype(kind), st.integers(0, 40)))


@given(columns)
def test_a_column_is_what_pyarrow_makes_of_it(values):
    made = array(values)

    made.validate(full=True)
    assert made.type == pa.array(values).type
    assert np.array_equal(as_numpy(made), values, equal_nan=values.dtype.kind == "f")
    assert as_numpy(made).dtype == values.dtype


@given(columns, st.data())
def test_slices_and_chunks_are_read_as_one_column(values, data):
    cut = data.draw(st.integers(0, len(values)))
    chunked = pa.chunked_array([array(values)[:cut], array(values)[cut:]])

    assert np.array_equal(as_numpy(chunked), values, equal_nan=values.dtype.kind == "f")


def test_a_column_with_nulls_is_read_as_pyarrow_does():
    assert np.isnan(as_numpy(pa.chunked_array([[1, None, 3]]))[1])


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=9))
def test_strings_are_what_pyarrow_makes_of_them(values):
    assert strings(values).equals(pa.array(values, pa.string()))


@given(st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4), max_size=6))
def test_lists_are_what_pyarrow_makes_of_them(values):
    assert lists(values).equals(pa.array(values, pa.list_(pa.int64())))


few = arrays(np.int64, st.integers(0, 12), elements=st.integers(-3, 3))


@given(few, few)
def test_values_are_told_apart_as_numpy_does(values, wanted):
    assert np.array_equal(distinct(values), np.unique(values))
    assert np.array_equal(among(values, wanted), np.isin(values, wanted))


@pytest.mark.parametrize("chunks", [1, 3])
def test_rows_are_taken_as_pyarrow_takes_them(chunks):
    one = pa.table(
        {
            "number": pa.array([5, 6, 7, 8], pa.int32()),
            "truth": [True, False, False, True],
            "word": pa.array(["a", "b", "b", "c"]).dictionary_encode(),
            "text": ["x", "y", "", "z"],
            "missing": [1, None, 3, None],
            "list": [[1], [], [2, 3], [4]],
        }
    )
    table = pa.concat_tables([one] * chunks)
    rows = np.array([3, 0, 0, 2])

    assert taken(table, rows).equals(table.take(pa.array(rows)).combine_chunks())
    assert taken(table, rows[:0]).num_rows == 0


def test_words_of_different_dictionaries_are_taken_by_their_meaning():
    both = [pa.array(words).dictionary_encode() for words in (["a", "b"], ["b", "c"])]
    table = pa.table({"word": pa.chunked_array(both)})

    assert taken(table, np.array([1, 2, 3])).column("word").to_pylist() == ["b", "b", "c"]


def test_an_empty_table_has_its_columns():
    schema = pa.schema([("name", pa.string()), ("size", pa.int64()), ("share", pa.float64())])

    assert empty(schema).equals(schema.empty_table())
