"""One program under every MPI: what was recorded is what the program says it did."""

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from mpi_libraries import MPIS, PROGRAMS
from striate.cli.main import run
from striate.formats.read import read_trace
from striate.ladder import predict
from striate.record.launch import tracer_path
from striate.workload import Workload
from striate.workload.kinds import Kind
from striate.workload.transforms.unfold import unfold
from traced_runs import RANKS, run_traced


def accounts(trace):
    """The trace in the words in which the programs say what they did."""
    lines = []
    rows = trace.table.to_pylist()
    gathered = [row for row in rows if row["kind"] not in ("gather", "gatherv")]  # the program's own account
    for row in gathered:
        name = row["kind"] + ("_all" if row["collective"] and row["level"] == "mpi-io" else "")
        if row["level"] == "mpi-io" and row["kind"] in ("read", "write"):
            numbers = (row["offset"], row["bytes"], row["blocks"], row["stride"])
        elif row["kind"] in ("send", "recv"):
            numbers = (row["peer"], row["bytes"])
        elif row["kind"] == "sendrecv":
            numbers = (row["peer"], row["bytes"], row["source"], row["received"])
        elif row["kind"] in ("allreduce", "bcast", "barrier", "allgather", "alltoallv"):
            numbers = (row["bytes"],)
        else:
            continue
        lines.append(" ".join(map(str, (row["rank"], name, *numbers))))
    return Counter(lines)


def said(output):
    return Counter(line for line in output.splitlines() if line)


def test_a_c_program_is_recorded_as_it_says_it_was(mpi, compiled, tmp_path):
    output, status, trace = run_traced(mpi, tmp_path, compiled(mpi, "small"), tmp_path / "data")

    assert status == 0
    assert sum(said(output).values()) == 17 * RANKS + 2
    assert accounts(trace) == said(output)


def test_a_python_program_is_recorded_as_it_says_it_was(mpi, tmp_path):
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    if mpi.name == "mpich-abi":
        pytest.skip("mpi4py's wheel has no variant for the standard ABI")
    output, status, trace = run_traced(
        mpi, tmp_path, sys.executable, PROGRAMS / "small.py", tmp_path / "data"
    )

    assert status == 0
    assert accounts(trace) == said(output)
    assert trace.header.regions == ("write", "exchange")


def test_polling_is_a_wait_and_computing_between_tests_is_not(tmp_path):
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    mpi = MPIS["mpich"]
    if mpi is None:
        pytest.skip("needs MPICH's wheel")
    _, status, trace = run_traced(mpi, tmp_path, sys.executable, PROGRAMS / "polling.py", ranks=2)
    rows = trace.select(ranks=[0], kinds=["wait"]).table.to_pylist()
    polled, overlapped = (1e-9 * (row["end"] - row["start"]) for row in rows)

    assert status == 0
    assert polled > 0.15
    assert overlapped < 0.05


def test_a_fortran_program_is_recorded_as_it_says_it_was(tmp_path):
    mpi, compiler = MPIS["debian-openmpi"], shutil.which("mpif90.openmpi")
    if mpi is None or compiler is None or shutil.which("gfortran") is None:
        pytest.skip("no Fortran compiler for an MPI here: Debian's libopenmpi-dev and gfortran")
    program = tmp_path / "small"
    source = PROGRAMS / "small.f90"
    built = [compiler, "-O1", f"-J{tmp_path}", str(source), "-o", str(program)]
    ran = subprocess.run(built, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    output, status, trace = run_traced(mpi, tmp_path, program, tmp_path / "data")

    assert status == 0
    assert sum(said(output).values()) == 17 * RANKS + 2
    assert accounts(trace) == said(output)


@pytest.fixture(scope="module")
def small(any_mpi, compiled, tmp_path_factory):
    """The C program's trace under the first MPI there is."""
    folder = tmp_path_factory.mktemp("small")
    return run_traced(any_mpi, folder, compiled(any_mpi, "small"), folder / "data")[2]


def test_posix_calls_below_mpi_io_are_seen_in_the_same_file(small):
    writes = small.select(levels=["posix"], kinds=["write"])

    assert small.file_names()[0].endswith("/data")
    assert set(writes.column("file")) == {0}
    assert writes.column("bytes").sum() >= 3 * 1024 * RANKS


def test_hints_are_those_that_the_library_uses(small):
    assert small.header.files[0].hints["cb_nodes"] == "1"


def test_every_operation_knows_its_region_and_times(small):
    frame = small.to_pandas()
    io = frame[(frame["level"] == "mpi-io") & frame["kind"].isin(["read", "write"])]

    assert set(io["region"]) == {"write"}
    assert set(frame[frame["kind"] == "allreduce"]["region"]) == {"exchange"}
    assert (frame["end"] >= frame["start"]).all()
    barrier = frame[frame["kind"] == "barrier"]
    assert barrier["start"].max() <= barrier["end"].min()  # nobody leaves before the last one comes


def test_communicators_have_their_members(small):
    on_half = small.where(small.of_kind("allreduce"))
    members = {
        int(rank): small.header.communicators[int(number)].members
        for rank, number in zip(on_half.column("rank"), on_half.column("communicator"), strict=True)
    }

    assert members == {0: (0, 2), 1: (1, 3), 2: (0, 2), 3: (1, 3)}


def test_non_blocking_operations_are_complete_when_their_wait_ends(small):
    later = small.where(small.column("request") >= 0)
    waits = small.where(small.of_kind("wait"))

    assert len(later) == 4 * RANKS  # iwrite_at, split read, irecv, isend
    assert set(later.column("complete")) <= set(waits.column("end"))


def test_alltoallv_keeps_who_got_how_much(small):
    row = small.where(small.of_kind("alltoallv"))
    listed = small.lists[int(row.column("extents")[0])]
    peers, sizes = listed.offsets, listed.sizes

    assert peers.tolist() == [0, 1, 2, 3]
    assert sizes.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("how", ["crash", "abort"])
def test_a_program_that_dies_leaves_what_it_did(how, any_mpi, compiled, tmp_path):
    _, status, trace = run_traced(any_mpi, tmp_path, compiled(any_mpi, "small"), tmp_path / "data", how)
    victim = trace.select(ranks=[1])

    assert status != 0
    assert "crashed" in {flag.code for flag in trace.header.flags}
    assert victim.of_kind("alltoallv").sum() == 1  # the last thing before its end


def test_what_does_not_fit_into_the_memory_is_counted(any_mpi, compiled, tmp_path):
    _, _, trace = run_traced(any_mpi, tmp_path, compiled(any_mpi, "small"), tmp_path / "data", max_bytes=640)
    flags = {flag.code: flag.message for flag in trace.header.flags}

    assert "operations did not fit" in flags["throttled"]
    assert np.bincount(trace.select(levels=["mpi-io", "mpi", "posix"]).column("rank")).max() <= 10


def test_a_lower_level_is_left_out_when_not_asked_for(any_mpi, compiled, tmp_path):
    _, _, trace = run_traced(
        any_mpi, tmp_path, compiled(any_mpi, "small"), tmp_path / "data", levels=("mpi-io",)
    )

    assert not trace.at_level("posix").any()
    assert trace.of_kind("wait")[trace.at_level("mpi")].all()  # for the non-blocking writes
    assert trace.info().bytes_written == RANKS * (5 * 1024 + 512)


def test_threads_are_told_apart_and_children_are_further_threads(any_mpi, tmp_path):
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    program = (sys.executable, PROGRAMS / "children.py", tmp_path / "data")
    _, status, trace = run_traced(any_mpi, tmp_path, *program, ranks=2)
    writes = trace.select(levels=["posix"], kinds=["write"], ranks=[1])

    assert status == 0
    own, child = (writes.where(writes.column("bytes") == size) for size in (10, 1))
    assert sorted(own.column("offset").tolist()) == [10 * number for number in range(100)]
    assert len(set(own.column("thread"))) == 2
    assert child.column("offset").tolist() == list(range(200))
    assert not {*child.column("thread")} & {*own.column("thread")}
    assert [flag.code for flag in trace.header.flags] == ["children"]


def test_deletions_are_recorded_and_replayed_whoever_asks_for_them(mpi, tmp_path):
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    if mpi.name == "mpich-abi":
        pytest.skip("mpi4py's wheel has no variant for the standard ABI")
    data = tmp_path / "data"
    data.mkdir()
    program = (sys.executable, PROGRAMS / "deleting.py", data)
    _, status, trace = run_traced(mpi, tmp_path, *program, ranks=2)
    (application,) = Workload.from_trace(trace).applications
    mine = [str(data / name) for name in ("by_mpi", "by_itself", "on_close", "own0", "own1")]
    played = [
        [
            (step.kind.label, Path(application.files[step.operands["file"]].name).name)
            for step in unfold(application, rank)
            if step.kind in (Kind.WRITE, Kind.ERASE, Kind.SYNC)
            and application.files[step.operands["file"]].name in mine
        ]
        for rank in range(2)
    ]

    assert status == 0
    assert not list(data.iterdir())
    deleted = [("delete", name) for name in ("by_itself", "by_mpi", "on_close")]
    assert sorted(step for steps in played for step in steps[:-3]) == deleted  # the last by either rank
    for rank, steps in enumerate(played):
        assert steps[-3:] == [(kind, f"own{rank}") for kind in ("write", "delete", "sync")]
    assert predict(Workload.from_trace(trace), "laptop", rung="fine").seconds.estimate > 0


def test_a_program_may_load_the_tracer_itself_through_mpi4py(any_mpi, tmp_path):
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    program = (sys.executable, PROGRAMS / "profiled.py", tracer_path())
    _, status, trace = run_traced(any_mpi, tmp_path, *program, ranks=2, preload=False)

    assert status == 0
    assert trace.info().collectives == {"barrier": 4}


def test_the_command_writes_a_trace_and_reports_a_failing_program(
    any_mpi, compiled, tmp_path, monkeypatch, capfd
):
    for name, value in any_mpi.environment().items():
        monkeypatch.setenv(name, value)
    target = tmp_path / "run.parquet"
    program = compiled(any_mpi, "small")
    good = any_mpi.command(2, program, tmp_path / "data")
    bad = any_mpi.command(2, program, tmp_path / "data", "abort")

    assert run(["trace", "-o", str(target), "--level", "mpi", "--", *good]) == 0
    assert read_trace(target).ranks == 2
    assert run(["trace", "-o", str(target), "--", *good]) == 1  # the output exists
    assert run(["trace", "-o", str(target), "--force", "--", *bad]) == 1
    assert "crashed" in {flag.code for flag in read_trace(target).header.flags}
    assert [path.name for path in tmp_path.iterdir() if "parts" in path.name] == []


def test_a_command_without_mpi_that_opens_no_file_is_refused(tmp_path, capfd):
    assert run(["trace", "-o", str(tmp_path / "run.parquet"), "--", "true"]) == 1
    assert "no process called MPI_Init" in capfd.readouterr().err
    assert run(["trace", "-o", str(tmp_path / "run.parquet"), "--", str(tmp_path / "nowhere")]) == 1


def test_hosts_are_looked_at_when_asked(mpi, compiled, tmp_path):
    *_, trace = run_traced(
        mpi, tmp_path, compiled(mpi, "small"), tmp_path / "data", "rest", sample_seconds=0.01
    )
    seen = trace.resources().to_pylist()

    assert seen  # at least from the beginning to the end, however busy this machine is
    assert {row["host"] for row in seen} == set(trace.header.hosts)
    assert all(0 <= row["cpu_user"] <= 1 for row in seen if row["cpu_user"] is not None)
    assert all(0 < row["memory_used"] < row["memory_total"] for row in seen)
    assert [row["end"] for row in seen[:-1]] == [row["start"] for row in seen[1:]]
    assert seen[0]["start"] >= 0


def test_hosts_are_not_looked_at_unless_asked(small):
    assert small.resources().num_rows == 0


def test_a_file_system_that_reserves_nothing_will_do(any_mpi, compiled, tmp_path, monkeypatch):
    """NFS before 4.2 and ramfs refuse fallocate; every event is recorded all the same."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    program = compiled(any_mpi, "small")
    library = tmp_path / "no_fallocate.so"
    subprocess.run([compiler, "-shared", "-fPIC", PROGRAMS / "no_fallocate.c", "-o", library], check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    output, status, trace = run_traced(any_mpi, tmp_path, program, tmp_path / "data")

    assert status == 0
    assert accounts(trace) == said(output)


def test_a_program_ended_by_an_interrupt_leaves_its_trace(any_mpi, tmp_path):
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    code = "from mpi4py import MPI; import time; MPI.COMM_WORLD.Barrier(); print('ready', flush=True); time.sleep(60)"
    target = tmp_path / "run.parquet"
    command = [sys.executable, "-m", "striate", "trace", "-o", target, "--", sys.executable, "-c", code]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # jobs in the background ignore it
    ) as traced:
        assert traced.stdout.readline() == "ready\n"
        os.killpg(traced.pid, signal.SIGINT)
        said_at_the_end = traced.stderr.read()

    assert traced.returncode == 1, said_at_the_end
    assert "the command ended with status" in said_at_the_end
    assert read_trace(target).of_kind("barrier").sum() == 1
    assert [path.name for path in tmp_path.iterdir()] == ["run.parquet"]
