"""Values of a Parquet file's columns by its footer: those that pyarrow counts."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.parquet_footer import values_of

WORDS = st.lists(st.one_of(st.none(), st.text(max_size=3)), max_size=6)


@given(
    rows=st.lists(st.tuples(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), WORDS, st.booleans())),
    group=st.integers(1, 5),
    index=st.booleans(),
)
def test_values_are_those_that_pyarrow_counts(rows, group, index):
    numbers, words, truths = zip(*rows, strict=True) if rows else ((), (), ())
    columns = {
        "numbers": pa.array(numbers, pa.int64()),
        "words": pa.array(words, pa.list_(pa.string())),
        "truths": pa.array(truths, pa.bool_()),
        "pairs": pa.array(
            [{"a": at, "b": 0.5} for at in range(len(rows))], pa.struct({"a": pa.int32(), "b": pa.float64()})
        ),
    }
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, row_group_size=group, write_page_index=index)
    metadata = pq.ParquetFile(sink).metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]

    assert values_of(sink.getvalue()) == [
        one.column(at).num_values for one in groups for at in range(metadata.num_columns)
    ]


def test_a_footer_that_ends_inside_a_field_is_refused():
    from striate.parquet_footer import _Compact

    with pytest.raises((ValueError, IndexError)):
        _Compact(b"\x19\x1c").structure(0)  # a list of one structure that is not there
