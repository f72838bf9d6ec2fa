"""The noun: rows in order, selections, tables, and the screen."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import TraceError
from striate.trace.analysis.intervals import _one_by_one, covered, stretches
from toy_traces import row, trace_of, two_ranks


def test_rows_are_ordered_by_rank_then_start_with_the_containing_row_first():
    trace = trace_of([row(1, "read", 0, 5), row(0, "read", 3, 4), row(0, "read", 3, 9)])

    assert list(zip(trace.column("rank"), trace.column("start"), trace.column("end"), strict=True)) == [
        (0, 3, 9),
        (0, 3, 4),
        (1, 0, 5),
    ]


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"rank": 2}, "column rank"),
        ({"file": 1}, "column file"),
        ({"end": -1}, "column end"),
        ({"bytes": -5}, "column bytes"),
        ({"extents": 0}, "column extents"),
        ({"region": 3}, "column region"),
        ({"communicator": 1}, "column communicator"),
        ({"start": -7}, "column start"),
    ],
)
def test_a_number_that_leads_nowhere_is_refused_with_its_row_and_column(bad, told):
    with pytest.raises(TraceError, match=told):
        trace_of([row(0, "write", 0, 10) | bad])


def test_bytes_are_those_the_program_asked_for_not_those_below():
    info = two_ranks().info()

    assert (info.bytes_written, info.bytes_read) == (
        100 + 100 + 5,
        50,
    )  # POSIX below MPI-IO is not counted again
    assert {level.level: level.bytes_written for level in info.levels} == {
        "mpi-io": 200,
        "mpi": 0,
        "posix": 105,
    }


def test_time_in_io_is_the_union_of_what_was_under_way():
    table = two_ranks().per_rank().to_pylist()

    assert [row["io_seconds"] for row in table] == pytest.approx([20e-9, 50e-9])
    assert [row["message_seconds"] for row in table] == pytest.approx([10e-9, 0])


def test_files_know_their_ranks_and_bytes():
    data, log = two_ranks().per_file().to_pylist()

    assert (data["ranks"], data["bytes_written"], data["bytes_read"]) == (2, 200, 50)
    assert data["seconds"] == pytest.approx((10 + 10 + 40) * 1e-9)
    assert (log["ranks"], log["bytes_written"]) == (1, 5)


def test_phases_part_where_nobody_does_io_for_long():
    phases = (
        two_ranks().per_phase().to_pylist()
    )  # the run is 1010 ns, so a gap of 20 ns parts, one of 10 does not

    assert [(phase["start"], phase["end"], phase["ranks"]) for phase in phases] == [
        (pytest.approx(0), pytest.approx(40e-9), 2),
        (pytest.approx(60e-9), pytest.approx(70e-9), 1),
        (pytest.approx(1000e-9), pytest.approx(1010e-9), 1),
    ]


def test_selection_keeps_what_meets_every_condition():
    trace = two_ranks()

    assert len(trace.select(ranks=[1])) == 3
    assert len(trace.select(files=["data"], kinds=["write"], levels=["mpi-io"])) == 2
    assert len(trace.select(between=(0.99e-6, 2e-6))) == 1
    with pytest.raises(TraceError, match="no file 'nowhere'"):
        trace.select(files=["nowhere"])
    with pytest.raises(TraceError, match="expected a kind such as"):
        trace.select(kinds=["wrote"])


def test_names_stand_in_the_data_frame():
    frame = two_ranks().to_pandas()

    assert set(frame["file"].dropna()) == {"data", "log"}
    assert list(frame[frame["kind"] == "barrier"]["communicator"]) == ["world"]


def test_the_screen_is_one_screen_and_says_what_to_keep_in_mind():
    text = str(two_ranks().info())

    assert len(text.splitlines()) < 30
    assert "slowest rank in I/O: 1 with 50 ns" in text
    assert "note: made by hand" in text
    assert json.loads(two_ranks().info().to_json())["collectives"] == {"barrier": 1, "write_all": 1}


intervals = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60), st.integers(0, 20)), max_size=30)


@given(intervals)
def test_time_covered_equals_counting_the_moments(rows):
    group, start, length = (np.array([row[at] for row in rows], np.int64) for at in range(3))
    moments = [set() for _ in range(4)]
    for who, begin, lasts in rows:
        moments[who] |= set(range(begin, begin + lasts))

    assert covered(group, start, start + length, 4).tolist() == [len(one) for one in moments]


@given(intervals.filter(bool), st.integers(0, 5))
def test_stretches_found_at_once_equal_those_found_one_by_one(rows, gap):
    group, start, length = (np.array([row[at] for row in rows], np.int64) for at in range(3))
    order = np.lexsort((start, group))
    slow = _one_by_one(group[order], start[order], (start + length)[order], gap)

    for fast, plain in zip(stretches(group, start, start + length, gap=gap), slow, strict=True):
        assert fast.tolist() == plain.tolist()
