"""A traced program as a workload: nothing is lost on the way."""

import sys

import pytest

from mpi_libraries import PROGRAMS
from striate.cluster import load_cluster
from striate.predict import predict
from striate.workload import Workload
from striate.workload.kinds import Kind
from striate.workload.unfold import unfold
from traced_runs import run_traced

RANKS, STEPS, STRIP = 4, 40, 64 * 256 * 8


@pytest.fixture(scope="module")
def jacobi(any_mpi, tmp_path_factory):
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    folder = tmp_path_factory.mktemp("jacobi")
    _, status, trace = run_traced(
        any_mpi, folder, sys.executable, PROGRAMS / "jacobi.py", folder / "field", ranks=RANKS
    )
    assert status == 0
    return trace


def test_the_replay_asks_for_what_the_program_asked_for(jacobi):
    workload = Workload.from_trace(jacobi)
    workload.check()
    (application,) = workload.applications
    steps = [list(unfold(application, rank)) for rank in range(RANKS)]
    written = [sum(s.operands["bytes"] for s in mine if s.kind is Kind.WRITE_ALL) for mine in steps]
    sent = [sum(s.operands["bytes"] for s in mine if s.kind in (Kind.SEND, Kind.SENDRECV)) for mine in steps]
    edges = [1, 2, 2, 1]

    assert written == [4 * STRIP] * RANKS
    assert sent == [neighbours * STEPS * 256 * 8 for neighbours in edges]
    assert all(sum(s.kind is Kind.ALLREDUCE for s in mine) == STEPS for mine in steps)


def test_repeated_steps_are_folded(jacobi):
    (application,) = Workload.from_trace(jacobi).applications
    operations = sum(len(list(unfold(application, rank))) for rank in range(RANKS))

    assert application.text.rows < operations / 3


def test_the_time_between_operations_is_kept_as_compute(jacobi):
    (application,) = Workload.from_trace(jacobi).applications
    computed = sum(s.operands["picoseconds"] for s in unfold(application, 0) if s.kind is Kind.COMPUTE) / 1e12
    mine = jacobi.select(ranks=[0])
    start, end = (mine.column(name).astype(int) for name in ("start", "end"))
    message_end = int(jacobi.select(ranks=[0], levels=["mpi-io", "mpi"]).column("end").max())

    # Operations may overlap or be left out of the replay, so their times together are the most they can take away.
    assert (message_end - (end - start).sum()) / 1e9 <= computed <= end.max() / 1e9


def test_the_replay_finishes_on_the_fine_rung(jacobi):
    workload = Workload.from_trace(jacobi)
    (application,) = workload.applications
    computed = max(
        sum(s.operands["picoseconds"] for s in unfold(application, rank) if s.kind is Kind.COMPUTE)
        for rank in range(RANKS)
    )
    forecast = predict(workload, load_cluster("laptop"), rung="fine")

    assert forecast.seconds.estimate >= computed / 1e12
