"""What a replay keeps of a trace: synchronous sends, making communicators, hints, sieving, the span of the run."""

import numpy as np
import pytest

from striate.cluster import load_cluster
from striate.errors import PredictionError
from striate.ladder import predict
from striate.rungs.fine import play
from striate.trace.analysis.span import run_span
from striate.trace.header import TracedCommunicator, TracedFile
from striate.workload import Workload
from striate.workload import operations as do
from striate.workload.kinds import Kind
from striate.workload.transforms.unfold import unfold
from toy_traces import row, trace_of

MS = 1_000_000
ROMIO = {"romio_cb_write": "automatic", "romio_ds_read": "automatic", "romio_ds_write": "automatic"}


def message(rank, kind, start, end, **more):
    return row(rank, kind, start, end, level="mpi", communicator=0, **more)


def kinds(trace, rank=0):
    (application,) = Workload.from_trace(trace).applications
    return [step.kind for step in unfold(application, rank)]


def test_a_synchronous_send_waits_for_its_receiver():
    sent = message(0, "send", 0, 353 * MS, function="MPI_Ssend", peer=1, tag=0, bytes=8)
    received = message(1, "recv", 353 * MS, 353 * MS + 1000, function="MPI_Recv", peer=0, tag=0, bytes=8)
    workload = Workload.from_trace(trace_of([sent, received], ranks=2, duration=353 * MS + 1000))
    run = play(workload, load_cluster("laptop"))

    assert run.rank_end[0] / 1e12 == pytest.approx(0.353, abs=1e-3)


def test_a_short_plain_send_does_not_wait():
    def program(rank, ranks):
        yield do.send(1, 8) if rank == 0 else do.compute("5 ms")
        if rank:
            yield do.recv(0, 8)

    assert play(Workload.from_program(program, 2), load_cluster("laptop")).rank_end[0] < 1e9


def test_making_a_communicator_makes_ranks_wait_for_each_other():
    rows = [
        message(0, "communicator", 0, 100 * MS, function="MPI_Comm_split", collective=True),
        message(0, "barrier", 100 * MS, 100 * MS + 1000, collective=True),
        message(1, "communicator", 100 * MS, 100 * MS + 500, function="MPI_Comm_split", collective=True),
        message(1, "barrier", 100 * MS + 500, 100 * MS + 1000, collective=True),
    ]
    trace = trace_of(rows, ranks=2)

    assert kinds(trace) == [Kind.ALLGATHER, Kind.ALLREDUCE, Kind.BARRIER]
    assert predict(trace, "laptop", rung="fine").seconds.estimate == pytest.approx(0.1, abs=1e-3)


def test_a_communicator_that_some_members_make_is_no_call_of_all():
    rows = [
        message(0, "communicator", 0, 5000, function="MPI_Comm_create_group", collective=True),
        message(0, "barrier", 9000, 9500, collective=True),
        message(1, "barrier", 9000, 9500, collective=True),
    ]

    assert kinds(trace_of(rows, ranks=2)) == [Kind.COMPUTE, Kind.BARRIER]


def test_the_run_begins_after_init_and_ends_before_finalize():
    rows = [
        message(0, "init", 0, 40 * MS, function="MPI_Init"),
        message(1, "init", 0, 50 * MS, function="MPI_Init"),
        message(0, "barrier", 45 * MS, 61 * MS, collective=True),
        message(1, "barrier", 60 * MS, 61 * MS, collective=True),
        message(0, "finalize", 61 * MS, 90 * MS, function="MPI_Finalize"),
        message(1, "finalize", 71 * MS, 90 * MS, function="MPI_Finalize"),
    ]
    trace = trace_of(rows, ranks=2)

    assert run_span(trace) == (40 * MS, 71 * MS)
    assert trace.seconds == pytest.approx(0.031)
    assert predict(trace, "laptop", rung="fine").seconds.estimate == pytest.approx(0.030, abs=1e-3)


def strided(**hints):
    access = row(0, "read", 0, 1000, file=0, offset=0, bytes=40_000, blocks=10_000, stride=1000)
    return trace_of([access], ranks=1, files=(TracedFile("data", hints=hints),))


def test_an_independent_strided_read_is_sieved():
    (application,) = Workload.from_trace(strided(**ROMIO)).applications
    steps = [step for step in unfold(application, 0) if step.kind is Kind.READ]

    # Each buffer begins at the first block that is not in the one before: 0, 4195 and 8390 strides on.
    assert [step.operands["offset"] for step in steps] == [0, 4_195_000, 8_390_000]
    assert [step.operands["bytes"] for step in steps] == [4 << 20, 4 << 20, 9_999_004 - 8_390_000]
    assert {step.operands["count"] for step in steps} == {1}


def test_without_sieving_every_block_is_read():
    off = ROMIO | {"romio_ds_read": "disable"}
    (application,) = Workload.from_trace(strided(**off)).applications
    (step,) = [step for step in unfold(application, 0) if step.kind is Kind.READ]

    assert (step.operands["count"], step.operands["bytes"]) == (10_000, 4)


def test_a_sieved_write_reads_each_buffer_first():
    access = row(0, "write", 0, 1000, file=0, offset=10, bytes=200, blocks=2, stride=600_000)
    trace = trace_of([access], ranks=1, files=(TracedFile("data", hints=ROMIO),))

    assert kinds(trace) == [Kind.READ, Kind.WRITE, Kind.READ, Kind.WRITE]


def collective(offsets, **hints):
    rows = [
        row(rank, "write", 0, 1000, file=0, offset=offset, bytes=100, blocks=2, stride=200, collective=True,
            communicator=0)
        for rank, offset in enumerate(offsets)
    ]  # fmt: skip
    named = TracedFile("data", hints=ROMIO | hints)
    return trace_of(rows, ranks=len(offsets), files=(named,), hosts=("a",), host_of_rank=(0,) * len(offsets))


@pytest.mark.parametrize(
    ("offsets", "hints", "method"),
    [
        ((0, 50, 100), {"cb_nodes": "1"}, "two-phase:nodes:16MiB"),
        ((0, 50, 100), {"cb_nodes": "2", "cb_buffer_size": "65536"}, "two-phase:2:64KiB"),
        ((0, 1000, 2000), {}, "direct"),
        ((0, 1000, 2000), {"romio_cb_write": "enable"}, "two-phase:nodes:16MiB"),
        ((0, 50, 100), {"romio_cb_write": "disable"}, "direct"),
    ],
)
def test_recorded_hints_choose_how_collective_calls_access(offsets, hints, method):
    (application,) = Workload.from_trace(collective(offsets, **hints)).applications

    assert application.files[0].collective == method


def test_recorded_stripes_are_kept_and_fit_the_machine():
    trace = collective((0, 1000), striping_factor="128", striping_unit="1048576")
    workload = Workload.from_trace(trace)
    forecast = predict(workload, "lustre-64", rung="fine")

    assert workload.applications[0].files[0].layout == "simple:128:1MiB"
    assert workload.fitted(64).applications[0].files[0].layout == "simple:64:1MiB"
    assert any("are striped over all 64" in note for note in forecast.notes)


def test_computing_is_scaled_and_instructions_are_not():
    def program(rank, ranks):
        yield do.compute(1e-3 * (rank + 1))
        yield do.barrier()

    workload = Workload.from_program(program, 4)
    seconds = {
        scale: predict(workload, "laptop", rung="fine", cpu_scale=scale).seconds.estimate
        for scale in (1.0, 100.0)
    }
    last = workload.computing_scaled(np.array([1.0, 1.0, 1.0, 0.5]))

    assert seconds[100.0] - seconds[1.0] == pytest.approx(99 * 4e-3, rel=1e-6)
    assert predict(last, "laptop", rung="fine").seconds.estimate == pytest.approx(3e-3, rel=0.2)
    with pytest.raises(PredictionError, match="above 0"):
        predict(workload, "laptop", cpu_scale=0.0)


def test_speeds_of_nodes_are_compared_with_those_of_the_traced_machine():
    fast, slow = load_cluster("lustre-64"), load_cluster("sp2")
    workload = Workload.from_program(lambda rank, ranks: [do.compute("1 s")], 2)
    ratio = slow.node_types[0].instructions_per_second / fast.node_types[0].instructions_per_second

    found = predict(workload, fast, rung="fine", cpu_scale=slow).seconds.estimate

    assert found == pytest.approx(ratio, rel=1e-3)


def test_groups_of_a_split_keep_their_order():
    pairs = (TracedCommunicator("world"), TracedCommunicator("odd", (3, 1)))
    rows = [message(rank, "barrier", 0, 10, collective=True) | {"communicator": 1} for rank in (1, 3)]
    (application,) = Workload.from_trace(trace_of(rows, ranks=4, communicators=pairs)).applications

    assert application.groups(1).member.tolist() == [3, 1]


def test_opening_takes_its_recorded_time_where_no_metadata_server_is_described():
    rows = [
        row(0, "open", 0, 9 * MS, file=0, collective=True, communicator=0),
        row(1, "open", 4 * MS, 9 * MS, file=0, collective=True, communicator=0),
        message(0, "barrier", 9 * MS, 9 * MS + 1000, collective=True),
        message(1, "barrier", 9 * MS, 9 * MS + 1000, collective=True),
    ]
    workload = Workload.from_trace(trace_of(rows, ranks=2))
    recorded = workload.on(False).computing_scaled(2.0)
    kept = [
        step.operands["picoseconds"]
        for step in unfold(recorded.applications[0], 0)
        if step.kind is Kind.COMPUTE
    ]

    assert kept == [2 * 5 * MS * 1000]  # from when the last rank had come
    assert workload.on(True) is workload
