"""A traced program as a workload: nothing is lost on the way."""

import sys

import pytest

from mpi_libraries import PROGRAMS
from striate.apps.pmc3.nexus import random_matrix
from striate.cluster import load_cluster
from striate.ladder import predict
from striate.rungs.fine import play
from striate.workload import Workload
from striate.workload.kinds import Kind
from striate.workload.transforms.unfold import unfold
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

    assert application.programs.rows < operations / 3


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


def programs(folder):
    """The command of each real application, small."""
    matrix = folder / "random.nex"
    matrix.write_text(random_matrix(6, 40, seed=5))
    sampled = ("--runs", "3", "--chains", "2", "--generations", "60", "--sample-frequency", "7")
    return {
        "jacobi": (PROGRAMS / "jacobi.py", folder / "field"),
        "mesh": (PROGRAMS / "mesh.py", folder / "dataset"),
        "pmc3": (
            "-m",
            "striate.apps.pmc3",
            matrix,
            "--parallel-file",
            folder / "out",
            *sampled,
            "--model",
            "jc69",
        ),
    }


@pytest.mark.parametrize("name", ["jacobi", "mesh", "pmc3"])
@pytest.mark.parametrize("machine", ["laptop", "westmere"])
def test_a_replay_moves_the_bytes_that_were_moved(name, machine, traced_application):
    trace = traced_application(name)
    workload = Workload.from_trace(trace)
    workload.check()
    run = play(workload, load_cluster(machine))
    asked = trace.info()

    assert asked.bytes_written > 10_000
    assert int(run.disk_bytes_written.sum()) == asked.bytes_written
    assert int(run.disk_bytes_read.sum() + run.cache_hit_bytes.sum()) == asked.bytes_read
    assert (run.rank_end > 0).all()


@pytest.fixture(scope="module")
def traced_application(any_mpi, tmp_path_factory):
    """A function that traces one of the applications, once."""
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    done = {}

    def trace(name):
        if name not in done:
            folder = tmp_path_factory.mktemp(name)
            output, status, done[name] = run_traced(any_mpi, folder, sys.executable, *programs(folder)[name])
            assert status == 0, output
        return done[name]

    return trace


def test_the_mesh_writes_every_node_each_time(traced_application):
    trace = traced_application("mesh")
    blocks = [row for row in trace.per_file().to_pylist() if row["file"].endswith(".blocks")]

    assert sum(row["bytes_written"] for row in blocks) >= 2 * 4000 * 40
