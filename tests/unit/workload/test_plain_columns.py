"""Logs of plain file calls become the same program by columns as they do row by row."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from striate.formats.read import read_trace
from striate.workload.program import ProgramTable
from striate.workload.replay import from_trace
from striate.workload.replay.from_trace import application_of_trace
from toy_traces import row, trace_of

LOGS = Path(__file__).parents[2] / "data" / "darshan"


def said(application):
    """All that an application is, as plain values."""
    columns = {one.name: getattr(application.programs, one.name).tolist() for one in fields(ProgramTable)}
    kinds = {one.name: getattr(application.programs, one.name).dtype.str for one in fields(ProgramTable)}
    names = [one.name for one in application.communicators]
    return columns, kinds, names, application.files, application.regions, application.counts


def expect_the_same(trace, monkeypatch):
    by_columns = said(application_of_trace(trace))
    with monkeypatch.context() as patch:
        patch.setattr(from_trace, "is_plain", lambda source: False)
        by_rows = said(application_of_trace(trace))

    assert by_columns == by_rows


@pytest.mark.parametrize("log", sorted(LOGS.glob("*.darshan")), ids=lambda path: path.stem)
def test_logs_say_the_same_by_columns(log, monkeypatch):
    expect_the_same(read_trace(log), monkeypatch)


calls = st.tuples(
    st.integers(0, 2),  # rank
    st.sampled_from(("read", "write", "open", "close", "sync", "stat", "delete", "finalize")),
    st.integers(0, 20),  # start, in steps of 20 us
    st.sampled_from((0, 10_000, 50_000)),  # how long
    st.integers(-1, 2),  # file
    st.integers(0, 3),  # offset, in blocks
    st.booleans(),  # collective
    st.sampled_from((0, 1, 4, 5)),  # blocks
)


@settings(max_examples=60, deadline=None)
@given(st.lists(calls, min_size=1, max_size=40), st.booleans())
def test_any_plain_calls_say_the_same_by_columns(listed, repeated):
    rows = [
        row(
            rank,
            kind,
            turn * 500_000 + 20_000 * start,
            turn * 500_000 + 20_000 * start + length,
            level="posix",
            file=file,
            offset=4096 * (offset + turn) if kind in ("read", "write") else -1,
            bytes=4096 if kind in ("read", "write") else 0,
            blocks=blocks if kind in ("read", "write") else 1,
            stride=1024 if blocks == 4 else 7,
            collective=collective,
        )
        for turn in range(4 if repeated else 1)
        for rank, kind, start, length, file, offset, collective, blocks in listed
    ]
    trace = trace_of(rows, ranks=3, files=("a", "b", "a"))

    with pytest.MonkeyPatch.context() as patch:
        expect_the_same(trace, patch)


def test_a_call_with_a_gap_of_bytes_goes_row_by_row(monkeypatch):
    rows = [row(0, "write", 0, 10, file=0, offset=0, bytes=100, blocks=10, stride=20)]
    monkeypatch.setattr(from_trace, "plain_application", lambda *_, **__: pytest.fail("by columns"))

    assert np.count_nonzero(application_of_trace(trace_of(rows, ranks=1, files=("a",))).programs.kind)
