"""Differences between runs, and messages between ranks, without a browser."""

import numpy as np
import pytest

from striate.pages.requests import requested
from striate.pages.run import runs_of
from striate.pages.views.compare import view
from striate.trace.header import TracedCommunicator
from striate.trace.matched import matched
from unit.pages.runs import small, trace


def line(view_, table, name):
    return next(line["of"] for line in view_.data["tables"][table] if line["name"] == name)


def test_one_run_has_no_differences():
    assert view(runs_of([small()])) is None


def test_operations_of_two_runs_stand_side_by_side():
    made = view(runs_of([small(), small(slower=2.0)]))
    before, after = line(made, "operation", "write")

    assert before == (2, pytest.approx(0.080), 2 << 20)
    assert after == (2, pytest.approx(0.160), 2 << 20)
    assert line(made, "operation", "write (system calls)")[0] == (4, pytest.approx(0.060), 2 << 20)


def test_the_largest_difference_comes_first_and_is_said():
    made = view(runs_of([small(program="first"), small(slower=2.0, program="second")]))

    assert made.data["tables"]["operation"][0]["name"] == "step"
    (words,) = made.data["words"]
    assert words.startswith("second took 180 ms, 2.00 times as long as first (90 ms).")
    assert "step grew the most: 120 ms more in all rows." in words


def test_files_are_matched_by_the_last_part_of_their_names():
    made = view(runs_of([small(files=("/a/data.bin",)), small(files=("/b/data.bin",))]))
    before, after = line(made, "file", "data.bin")

    assert before == after


def test_what_only_one_run_has_is_missing_in_the_other():
    made = view(runs_of([small(), trace([(0, "posix", "sync", 0, 1)])]))

    assert line(made, "operation", "sync") == [None, (1, pytest.approx(0.001), 0)]


def message(rank, kind, start, peer, tag=0, communicator=0):
    return (rank, "mpi", kind, start, start + 1, {"peer": peer, "tag": tag, "communicator": communicator})


def pairs(made):
    rank, start = made.column("rank"), made.column("start")
    sends, receives = matched(made)
    return sorted(
        (int(rank[a]), int(start[a]) // 10**6, int(rank[b]), int(start[b]) // 10**6)
        for a, b in zip(sends, receives, strict=True)
    )


def test_messages_of_one_envelope_arrive_in_order():
    rows = [
        message(0, "send", 1, 1),
        message(0, "send", 3, 1),
        message(1, "recv", 5, 0),
        message(1, "recv", 7, 0),
    ]

    assert pairs(trace(rows)) == [(0, 1, 1, 5), (0, 3, 1, 7)]


def test_tags_keep_messages_apart_and_lost_halves_are_left_out():
    rows = [
        message(0, "send", 1, 1, tag=8),
        message(0, "send", 3, 1, tag=9),
        message(1, "recv", 5, 0, tag=9),
        message(1, "send", 9, 0, tag=9),
    ]

    assert pairs(trace(rows)) == [(0, 3, 1, 5)]


def test_peers_are_ranks_of_their_communicator():
    rows = [message(2, "send", 1, 0), message(0, "recv", 5, 1), message(1, "recv", 5, 1)]
    made = trace(rows, ranks=3)
    header = type(made.header)(ranks=3, communicators=(TracedCommunicator("odd", (0, 2)),))

    assert pairs(type(made)(made.table, header)) == [(2, 1, 0, 5)]


def test_a_trace_without_messages_has_none():
    sends, receives = matched(trace([(0, "posix", "read", 0, 1)]))

    assert sends.tolist() == receives.tolist() == []
    assert sends.dtype == np.int64


def test_a_servers_work_belongs_to_the_call_under_way():
    rows = [
        (0, "mpi-io", "write", 10, 20),
        (0, "mpi-io", "write", 30, 40),
        (1, "mpi-io", "write", 0, 50),
        (0, "server", "write", 12, 15),
        (0, "server", "write", 30, 33),
        (1, "server", "write", 30, 33),
        (0, "server", "write", 25, 26),  # after the call: of no call that is known
        (0, "server", "write", 5, 6),  # before the first
    ]
    made = trace(rows)
    rank, start = made.column("rank"), made.column("start") // 10**6
    calls, work = requested(made)

    found = sorted(
        (int(rank[call]), int(start[call]), int(start[one])) for call, one in zip(calls, work, strict=True)
    )
    assert found == [(0, 10, 12), (0, 30, 30), (1, 0, 30)]
