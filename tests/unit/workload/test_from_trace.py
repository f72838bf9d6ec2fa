"""Workloads from traces: the same operations, compute in the gaps, loops where steps repeat."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.cluster import load_cluster
from striate.errors import WorkloadError
from striate.formats.read import read_trace
from striate.ladder import predict
from striate.trace.header import TracedCommunicator
from striate.workload import Workload
from striate.workload.kinds import Kind
from striate.workload.replay.gaps import evened, gaps_before
from striate.workload.transforms.unfold import unfold
from toy_traces import row, trace_of


def steps(trace, rank=0):
    (application,) = Workload.from_trace(trace).applications
    return list(unfold(application, rank))


def said(trace, rank=0):
    """(kind, what matters of the operands) of one rank."""
    found = []
    for step in steps(trace, rank):
        keep = {"picoseconds", "offset", "bytes", "peer", "root", "count", "stride"} & set(step.operands)
        found.append((step.kind.label, {name: step.operands[name] for name in sorted(keep)}))
    return found


def test_gaps_become_compute_and_calls_below_mpi_io_are_left_out():
    rows = [
        row(0, "write", 1000, 2000, file=0, offset=0, bytes=100),
        row(0, "write", 1200, 1800, level="posix", file=0, offset=0, bytes=100),
        row(0, "write", 5000, 6000, file=0, offset=100, bytes=50),
        row(0, "write", 9000, 9500, level="posix", file=1, offset=7, bytes=3),
    ]
    trace = trace_of(rows, ranks=1, files=("data", "log"))

    assert said(trace) == [  # the run begins with the first call, where nobody recorded MPI_Init
        ("write", {"offset": 0, "bytes": 100, "count": 1, "stride": 0}),
        ("compute", {"picoseconds": 3000_000}),
        ("write", {"offset": 100, "bytes": 50, "count": 1, "stride": 0}),
        ("compute", {"picoseconds": 3000_000}),
        ("write", {"offset": 7, "bytes": 3, "count": 1, "stride": 0}),
    ]


def test_a_deletion_below_mpi_io_is_played_unless_a_call_of_mpi_made_it():
    rows = [
        row(0, "write", 0, 1000, file=0, offset=0, bytes=100),
        row(0, "write", 1000, 2000, file=1, offset=0, bytes=100),
        row(0, "delete", 2000, 4000, file=0),
        row(0, "delete", 2100, 3900, level="posix", file=0),  # how MPI did it
        row(1, "delete", 2200, 3000, level="posix", file=0, status=2),  # failed
        row(1, "close", 2000, 4500, file=1),
        row(1, "delete", 4100, 4400, level="posix", file=1),  # with the close
        row(0, "delete", 5000, 5500, level="posix", file=1),  # the program itself
    ]
    trace = trace_of(rows, files=("data", "log"))

    kinds = [[kind for kind, _ in said(trace, rank) if kind != "compute"] for rank in (0, 1)]
    assert kinds == [["write", "write", "delete", "delete"], ["close", "delete"]]


def test_repeated_steps_are_folded_and_their_time_is_kept():
    rng = np.random.default_rng(1)
    rows, now = [], 0
    for step in range(200):
        now += 1_000_000 + int(rng.integers(-50_000, 50_000))  # a millisecond, more or less
        rows.append(
            row(0, "allreduce", now, now + 5000, level="mpi", bytes=8, communicator=0, collective=True)
        )
        now += 5000 + 20_000 + int(rng.integers(-500, 500))
        rows.append(row(0, "write", now, now + 9000, file=0, offset=4096 * step, bytes=4096))
        now += 9000
    trace = trace_of(rows, ranks=1, duration=now)
    (application,) = Workload.from_trace(trace).applications
    idle = now - 200 * (5000 + 9000)
    computed = sum(
        step.operands["picoseconds"] for step in unfold(application, 0) if step.kind is Kind.COMPUTE
    )

    assert application.programs.rows < 20
    assert computed == pytest.approx(idle * 1000, rel=1e-6)
    assert [step.operands["offset"] for step in unfold(application, 0) if step.kind is Kind.WRITE] == [
        4096 * step for step in range(200)
    ]


def test_messages_keep_their_partners_and_waits_their_requests():
    rows = [
        row(0, "send", 0, 5, level="mpi", peer=1, tag=4, bytes=10, communicator=0, request=0, complete=40),
        row(0, "recv", 10, 15, level="mpi", peer=1, tag=5, bytes=20, communicator=0, request=1, complete=40),
        row(0, "wait", 20, 40, level="mpi", complete=40),
        row(0, "sendrecv", 50, 60, level="mpi", peer=-2, tag=1, bytes=9, source=1, source_tag=1, received=7,
            communicator=0, complete=60),
        row(1, "recv", 0, 5, level="mpi", peer=0, tag=4, bytes=10, communicator=0, complete=5),
        row(1, "send", 10, 15, level="mpi", peer=0, tag=5, bytes=20, communicator=0, complete=15),
        row(1, "send", 20, 25, level="mpi", peer=0, tag=1, bytes=7, communicator=0, complete=25),
    ]  # fmt: skip
    trace = trace_of(rows)
    Workload.from_trace(trace).check()
    kinds = [step.kind.label for step in steps(trace) if step.kind is not Kind.COMPUTE]

    assert kinds == [
        "send",
        "recv",
        "wait",
        "wait",
        "recv",
    ]  # the half towards the null process is no message


def test_a_request_never_awaited_in_the_trace_is_awaited_at_the_end():
    rows = [row(0, "write", 0, 5, file=0, offset=0, bytes=8, request=3, complete=5)]
    trace = trace_of(rows, ranks=1)
    Workload.from_trace(trace).check()

    assert [step.kind.label for step in steps(trace)] == ["write", "wait"]


def test_an_alltoallv_whose_parts_are_not_told_is_dealt_evenly():
    rows = [
        row(rank, "alltoallv", 0, 5, level="mpi", bytes=7, communicator=0, collective=True)
        for rank in range(3)
    ]
    rows.append(row(0, "alltoallv", 10, 15, level="mpi", bytes=9, communicator=1, collective=True, extents=0))
    groups = (TracedCommunicator("world"), TracedCommunicator("one", (0,)))
    trace = trace_of(rows, ranks=3, communicators=groups, lists=[([0], [9])])
    (application,) = Workload.from_trace(trace).applications
    sizes = [application.counts[step.operands["counts"]][0].tolist() for step in steps(trace)[:3:2]]

    assert sizes == [[3, 2, 2], [9, 0, 0]]


def test_a_rank_that_opens_a_file_by_itself_waits_for_nobody():
    rows = [
        row(1, "open", 0, 5, level="posix", file=0, tag=1),
        row(1, "write", 10, 20, level="posix", file=0, offset=0, bytes=9),
        row(1, "sync", 30, 40, level="posix", file=0),
        row(1, "close", 50, 60, level="posix", file=0),
        *(row(rank, "open", 70, 80, file=1, collective=True, communicator=0) for rank in range(2)),
        *(row(rank, "close", 90, 99, file=1, collective=True, communicator=0) for rank in range(2)),
    ]
    workload = Workload.from_trace(trace_of(rows, files=("own", "shared")))
    workload.check()
    (application,) = workload.applications
    called = {
        (application.file_name(step.operands["file"]), application.communicators[step.communicator].name)
        for step in unfold(application, 1)
        if step.kind in (Kind.OPEN, Kind.SYNC, Kind.CLOSE)
    }

    assert called == {("own", "alone"), ("shared", "world")}
    assert predict(workload, load_cluster("laptop"), rung="fine").seconds.estimate > 0


def test_disjoint_communicators_become_one_family_with_their_own_order():
    rows = [
        row(rank, "bcast", 0, 5, level="mpi", bytes=8, peer=0, communicator=1 + rank % 2, collective=True)
        for rank in range(4)
    ]
    groups = (
        TracedCommunicator("world"),
        TracedCommunicator("even", (2, 0)),
        TracedCommunicator("odd", (1, 3)),
    )
    workload = Workload.from_trace(trace_of(rows, ranks=4, communicators=groups))
    workload.check()
    (application,) = workload.applications
    found = application.groups(1)

    assert len(application.communicators) == 2
    assert sorted(found.member[found.first[at] : found.first[at + 1]].tolist() for at in range(2)) == [
        [1, 3],
        [2, 0],
    ]


def test_strided_and_irregular_accesses_keep_their_bytes():
    rows = [
        row(
            0,
            "write",
            0,
            5,
            file=0,
            offset=64,
            bytes=40,
            blocks=4,
            stride=100,
            collective=True,
            communicator=0,
        ),
        row(0, "read", 9, 12, file=0, offset=7, bytes=50, extents=0),
    ]
    trace = trace_of(rows, ranks=1, lists=[([0, 30], [20, 30])])
    write, read = (step for step in steps(trace) if step.kind is not Kind.COMPUTE)

    assert (write.kind, write.operands["bytes"], write.operands["count"]) == (Kind.WRITE_ALL, 10, 4)
    assert read.operands["offset"] == 7
    assert Workload.from_trace(trace).applications[0].extents.sizes.tolist() == [20, 30]


def test_regions_are_closed_in_the_order_they_were_opened():
    rows = [
        row(0, "region", 0, 100, level="program", region=0),
        row(0, "region", 10, 120, level="program", region=1),  # outlasts the one around it
        row(0, "region", 50, 50, level="program", region=1),  # lasts no time
        row(0, "barrier", 20, 30, level="mpi", communicator=0, collective=True),
    ]
    trace = trace_of(rows, ranks=1, regions=("outer", "inner"))
    Workload.from_trace(trace).check()
    kinds = [step.kind.label for step in steps(trace) if step.kind is not Kind.COMPUTE]

    assert kinds.count("region_begin") == kinds.count("region_end") == 3
    assert kinds[:3] == ["region_begin", "region_begin", "barrier"]


def test_a_trace_without_operations_makes_no_workload():
    with pytest.raises(WorkloadError, match="no such operation"):
        Workload.from_trace(trace_of([], ranks=1))


def test_collective_accesses_that_ranks_made_unequally_often_stay_independent():
    rows = [row(0, "write", 0, 5, file=0, offset=0, bytes=8, collective=True)]

    assert [label for label, _ in said(trace_of(rows, ranks=2))] == ["write"]


def test_gaps_are_measured_from_the_last_end_of_all():
    assert gaps_before(np.array([5, 6, 40]), np.array([30, 7, 41])).tolist() == [5, 0, 10]


def test_evened_gaps_tell_long_from_short_and_take_a_rare_one_for_a_disturbance():
    gaps = np.array([1_000_000, 1_010_000, 50_000_000, 990_000])

    assert evened(gaps, np.zeros(4, np.int64)).tolist() == [10**9, 10**9, 50 * 10**9, 10**9]
    assert len(set(evened(np.append(np.full(9, 10**6), 10**8), np.zeros(10, np.int64)).tolist())) == 1


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 3)), min_size=1, max_size=40))
def test_evening_gaps_out_keeps_the_sum_of_each_context(pairs):
    gaps, context = (np.array([pair[at] for pair in pairs], np.int64) for at in range(2))
    found = evened(gaps, context)

    for one in set(context.tolist()):
        mine = context == one
        assert abs(int(found[mine].sum()) - 1000 * int(gaps[mine].sum())) <= mine.sum()


def test_a_darshan_log_becomes_a_workload_that_moves_the_same_bytes(data):
    trace = read_trace(data / "darshan" / "pyd_ior_hdf5_4r_dxt_lustre.darshan")
    workload = Workload.from_trace(trace)
    workload.check()
    (application,) = workload.applications
    moved = sum(
        step.operands["bytes"] * step.operands["count"]
        for rank in range(application.ranks)
        for step in unfold(application, rank)
        if "offset" in step.operands
    )
    info = trace.info()

    assert moved == info.bytes_read + info.bytes_written
