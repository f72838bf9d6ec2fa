"""Timelines: one schema for observed and simulated bars, kept exactly on disk."""

import contextlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import TraceError
from striate.trace.timeline import SCHEMA, Timeline

NAMES = ("rank 0", "disk 3.0", "<script>")
STATES = ("compute", "write_all")
bars = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 1),
        st.integers(0, 2**61),
        st.integers(0, 2**61),
        st.integers(0, 2**62),
    ),
    max_size=20,
)


def timeline_of(rows):
    resource, state, start, length, size = (np.array(rows, np.int64).reshape(-1, 5)[:, i] for i in range(5))
    narrow = resource.astype(np.int32), state.astype(np.int32)
    return Timeline(NAMES, STATES, *narrow, start, start + length, size)


def spelt_out(timeline):
    return [
        (timeline.resources[resource], timeline.states[state], int(start), int(end), int(size))
        for resource, state, start, end, size in zip(
            timeline.resource, timeline.state, timeline.start, timeline.end, timeline.bytes, strict=True
        )
    ]


@given(bars)
def test_a_loaded_timeline_shows_the_same_bars(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("timeline") / "t.parquet"
    timeline = timeline_of(rows)
    timeline.save(path)

    again = Timeline.load(path)

    assert spelt_out(again) == spelt_out(timeline)
    assert (again.seconds, len(again)) == (timeline.seconds, len(timeline))


def test_seconds_run_from_the_first_start_to_the_last_end():
    timeline = timeline_of(
        [(0, 0, 10**12, 10**12, 0), (1, 1, 3 * 10**12, 2 * 10**12, 5), (0, 1, 0, 10**11, 0)]
    )

    assert timeline.seconds == 5.0  # 0 s to 5 s
    assert timeline.busy_seconds().tolist() == [1.1, 2.0, 0.0]


def test_an_empty_timeline_takes_no_time():
    assert timeline_of([]).seconds == 0
    assert len(timeline_of([])) == 0


def table_with(**columns):
    table = timeline_of([(0, 0, 5, 1, 2), (1, 1, 6, 1, 2)]).to_arrow()
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, values)
    return table.replace_schema_metadata({"striate": SCHEMA})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.table({"x": [1]}), "expected a timeline (striate.timeline/1), got another table (t)"),
        (
            table_with().replace_schema_metadata({"striate": "striate.timeline/9"}),
            "expected a timeline (striate.timeline/1), got striate.timeline/9 (t)",
        ),
        (table_with(end=pa.array([4, 4])), "expected start <= end in every row - at column end (t)"),
        (table_with(end=pa.array(["4", "4"])), "expected whole numbers, none missing - at column end (t)"),
        (table_with(start=pa.array([4, None])), "expected whole numbers, none missing - at column start (t)"),
        (table_with(bytes=pa.array([4.5, 1])), "expected whole numbers, none missing - at column bytes (t)"),
        (
            table_with(state=pa.array(["a", None]).dictionary_encode()),
            "expected names, none missing - at column state (t)",
        ),
        (table_with(resource=pa.array([1, 2])), "expected names, none missing - at column resource (t)"),
    ],
)
def test_another_table_is_refused(table, message):
    with pytest.raises(TraceError) as refusal:
        Timeline.from_arrow(table, source="t")

    assert str(refusal.value) == message


def test_plain_text_columns_are_understood():
    table = table_with(resource=pa.array(["rank 0", "rank 1"]))

    assert Timeline.from_arrow(table).resources == ("rank 0", "rank 1")


@given(st.data())
def test_a_damaged_file_is_refused_or_harmless(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("timeline") / "t.parquet"
    timeline_of([(0, 0, 5, 1, 2)]).save(path)
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])

    with contextlib.suppress(TraceError):
        Timeline.load(path)


def test_a_file_that_is_none_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_text("no parquet")

    with pytest.raises(TraceError, match="expected a timeline, found no Parquet file"):
        Timeline.load(path)
    with pytest.raises(TraceError, match="cannot read: No such file"):
        Timeline.load(tmp_path / "missing")


def test_the_file_names_its_schema(tmp_path):
    timeline_of([(0, 0, 5, 1, 2)]).save(tmp_path / "t.parquet")

    assert pq.read_schema(tmp_path / "t.parquet").metadata[b"striate"] == b"striate.timeline/1"
