"""Differences between runs, and messages between ranks, without a browser."""

import numpy as np
import pytest

from striate.pages.run import runs_of
from striate.pages.timeline.requests import requested
from striate.pages.views.compare import view
from striate.trace.analysis.matched import matched
from striate.trace.analysis.phases import phases_of
from striate.trace.header import TracedCommunicator
from unit.pages.runs import small, trace


def line(view_, level, name, phase="the whole run"):
    number = view_.data["phases"].index(phase)
    (table,) = (
        table for table in view_.data["tables"] if (table["phase"], table["level"]) == (number, level)
    )
    return next(line["of"] for line in table["lines"] if line["name"] == name)


def levels(view_, phase=0):
    return [table["level"] for table in view_.data["tables"] if table["phase"] == phase]


def test_one_run_has_no_differences():
    assert view(runs_of([small()])) is None


def test_operations_of_two_runs_stand_side_by_side_level_by_level():
    made = view(runs_of([small(), small(slower=2.0)]))
    before, after = line(made, "mpi-io", "write")

    assert before == (2, pytest.approx(0.080), 2 << 20)
    assert after == (2, pytest.approx(0.160), 2 << 20)
    assert line(made, "posix", "write")[0] == (4, pytest.approx(0.060), 2 << 20)
    assert levels(made) == ["mpi-io", "mpi", "posix", "program", "file"]


def test_what_changed_most_is_said_at_each_level():
    made = view(runs_of([small(program="first"), small(slower=2.0, program="second")]))

    (words,) = made.data["words"]
    assert words.startswith("second took 180 ms, 2.00 times as long as first (90 ms).")
    assert "Of MPI-IO calls, write grew the most, by 80 ms over all ranks." in words
    assert "Of regions and computation, region step grew the most, by 120 ms over all ranks." in words


def simulated(slower=1.0):
    """A rank that writes through a server to a disk, which seeks first; times of all three levels are one."""
    rows = [
        (0, "mpi-io", "write", 0, 10 * slower, {"bytes": 1000, "file": 0, "offset": 0}),
        (0, "network", "transfer", 1, 1 + 5 * slower, {"bytes": 1000, "resource": 1}),
        (0, "server", "write", 2, 2 + 8 * slower, {"bytes": 1000, "file": 0, "offset": 0, "resource": 0}),
        (-1, "disk", "seek", 3, 3 + 4 * slower, {"resource": 2}),
        (-1, "disk", "write", 3 + 4 * slower, 3 + 7 * slower, {"bytes": 1000, "resource": 2}),
    ]
    return trace(
        rows,
        ranks=1,
        regions=(),
        program="simulated",
        source="simulated by a test",
        resources=("server 0", "link", "disk 0.0"),
    )


def observed():
    """The same write as seen from outside, with a seek of the file pointer."""
    rows = [
        (0, "mpi-io", "seek", 0, 1, {"file": 0}),
        (0, "mpi-io", "write", 1, 16, {"bytes": 1000, "file": 0, "offset": 0}),
        (0, "posix", "write", 2, 15, {"bytes": 1000, "file": 0, "offset": 0}),
    ]
    return trace(rows, ranks=1, regions=(), program="observed")


def test_a_byte_is_not_counted_again_on_its_way_to_the_disk():
    made = view(runs_of([observed(), simulated()]))

    assert line(made, "mpi-io", "write") == [
        (1, pytest.approx(0.015), 1000),
        (1, pytest.approx(0.010), 1000),
    ]
    assert line(made, "server", "write") == [None, (1, pytest.approx(0.008), 1000)]
    assert line(made, "disk", "write") == [None, (1, pytest.approx(0.003), 1000)]
    assert line(made, "network", "transfer") == [None, (1, pytest.approx(0.005), 1000)]


def test_a_seek_in_a_file_is_no_seek_of_a_disk():
    made = view(runs_of([observed(), simulated()]))

    assert line(made, "mpi-io", "seek") == [(1, pytest.approx(0.001), 0), None]
    assert line(made, "disk", "seek") == [None, (1, pytest.approx(0.004), 0)]


def test_only_what_both_runs_tell_of_is_said_to_grow():
    (words,) = view(runs_of([observed(), simulated()])).data["words"]

    assert words == (
        "simulated took 10 ms, 1.60 times faster than observed (16 ms). "
        "Of MPI-IO calls, write shrank the most, by 5 ms."
    )


def two_phases(second=1.0):
    rows = [
        (0, "program", "region", 0, 10, {"region": 0}),
        (0, "mpi-io", "write", 1, 9, {"file": 0, "offset": 0, "bytes": 5}),
        (0, "program", "region", 10, 10 + 20 * second, {"region": 1}),
        (0, "mpi-io", "write", 12, 12 + 8 * second, {"file": 0, "offset": 0, "bytes": 7}),
        (0, "server", "write", 12, 12 + 6 * second, {"resource": 0, "bytes": 7}),
        (-1, "disk", "write", 12, 12 + 5 * second, {"resource": 1, "bytes": 7}),
        (0, "mpi-io", "sync", 40, 41, {"file": 0}),
    ]
    return trace(rows, ranks=1, regions=("setup", "step"), resources=("server 0", "disk 0.0"))


def test_phases_are_compared_one_by_one():
    made = view(runs_of([two_phases(), two_phases(2.0)]))

    assert made.data["phases"] == ["the whole run", "setup", "step"]
    assert line(made, "mpi-io", "write", "setup") == [(1, pytest.approx(0.008), 5)] * 2
    assert line(made, "mpi-io", "write", "step") == [
        (1, pytest.approx(0.008), 7),
        (1, pytest.approx(0.016), 7),
    ]
    assert line(made, "mpi-io", "write")[1] == (2, pytest.approx(0.024), 12)
    assert levels(made, 2) == ["mpi-io", "program", "server"]  # a disk's job is no rank's


def test_without_regions_the_same_stretches_of_io_are_phases():
    def run(slower):
        accesses = [(0, 10), (500, 500 + 10 * slower)]
        return trace([(0, "posix", "read", a, b, {"file": 0}) for a, b in accesses], ranks=1, regions=())

    made = view(runs_of([run(1), run(3)]))
    assert made.data["phases"] == ["the whole run", "I/O phase 1", "I/O phase 2"]
    assert line(made, "posix", "read", "I/O phase 2") == [
        (1, pytest.approx(0.010), 0),
        (1, pytest.approx(0.030), 0),
    ]


def test_the_innermost_region_counts():
    rows = [
        (0, "program", "region", 0, 100, {"region": 0}),
        (0, "program", "region", 0, 40, {"region": 1}),
        (0, "posix", "read", 10, 20),
        (0, "posix", "read", 50, 60),
        (1, "posix", "read", 50, 60),
    ]
    names, (phase,) = phases_of([trace(rows, regions=("outer", "inner"))])

    assert names == ("outer", "inner")
    assert phase.tolist() == [0, 1, 1, 0, -1]


def test_files_are_matched_by_the_last_part_of_their_names():
    made = view(runs_of([small(files=("/a/data.bin",)), small(files=("/b/data.bin",))]))
    before, after = line(made, "file", "data.bin")

    assert before == after


def test_what_only_one_run_has_is_missing_in_the_other():
    made = view(runs_of([small(), trace([(0, "posix", "sync", 0, 1)])]))

    assert line(made, "posix", "sync") == [None, (1, pytest.approx(0.001), 0)]


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
