"""Programs without MPI under the tracer: what was recorded is what strace counts."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from strace_counts import in_order, recorded, strace
from striate.cli.main import run
from striate.errors import TraceError
from striate.formats.read import read_trace
from striate.record.launch import record
from striate.workload import Workload
from striate.workload.kinds import Kind
from striate.workload.transforms.unfold import unfold

PROGRAMS = Path(__file__).parent / "programs"


def traced(folder, *command, levels=("mpi-io", "mpi", "posix")):
    return record([str(word) for word in command], scratch=folder, levels=levels, max_bytes=2**28)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A function that compiles one of the C programs."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here")

    def build(name):
        program = tmp_path_factory.mktemp("program") / name
        source = str(PROGRAMS / f"{name}.c")
        subprocess.run([compiler, "-O1", "-pthread", source, "-o", str(program)], check=True)
        return program

    return build


def folders(tmp_path):
    found = tmp_path / "traced", tmp_path / "counted"
    for folder in found:
        folder.mkdir()
    return found


def test_forks_and_threads_are_recorded_as_strace_counts_them(compiled, tmp_path):
    ours, theirs = folders(tmp_path)
    program = compiled("family")
    run = traced(tmp_path, program, ours)

    assert run.exit_status == 0
    assert run.trace.ranks == 10  # main, two children with 2 and 3 threads beside the first, two started
    expected = strace([program, theirs], theirs, tmp_path / "calls")
    expected.remove({"close": 1})  # of the child of vfork, which runs in its parent's memory and is nobody
    assert in_order(recorded(run.trace)) == in_order(expected)


def test_processes_are_told_apart(compiled, tmp_path):
    ours, _ = folders(tmp_path)
    trace = traced(tmp_path, compiled("family"), ours).trace
    first, *others = trace.header.processes

    assert [one.role for one in trace.header.processes] == [
        "program",
        "worker",
        "worker",
        "program",
        "program",
    ]
    assert sorted(len(one.ranks) for one in others[:2]) == [3, 4]  # either may run first
    assert {one.parent for one in others[:3]} == {first.number}
    assert others[2].number == others[3].number  # one program took the other's place
    assert {flag.code for flag in trace.header.flags} == {"ranks-inferred", "messages-missing"}
    assert "worker" in str(trace.info())


def test_offsets_and_shared_descriptors_are_followed_into_children(compiled, tmp_path):
    ours, _ = folders(tmp_path)
    trace = traced(tmp_path, compiled("family"), ours).trace
    rows = trace.select(files=["main"], kinds=["read"]).to_pandas()

    assert sorted(zip(rows["offset"], rows["bytes"], strict=True)) == [
        *((0, 512), (100, 4000), (512, 512), (10000, 0))
    ]
    after = trace.select(files=["after"], kinds=["write"]).to_pandas()
    assert sorted(after["bytes"]) == [11, 11, 12, 12, 13, 13]


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_a_data_loader_is_recorded_as_strace_counts_it(how, tmp_path):
    ours, theirs = folders(tmp_path)
    command = [sys.executable, PROGRAMS / "loader.py"]
    run = traced(tmp_path, *command, ours, how)
    expected = strace([*command, theirs, how], theirs, tmp_path / "calls")

    assert run.exit_status == 0
    assert in_order(recorded(run.trace)) == in_order(expected)
    assert [one.role for one in run.trace.header.processes].count("worker") == 3
    size = sum(path.stat().st_size for path in ours.glob("*.npz"))
    assert run.trace.info().bytes_read >= size
    assert run.trace.info().bytes_written >= 800_000 + size


def test_mapped_pages_and_streams_are_noticed(compiled, tmp_path):
    trace = traced(tmp_path, compiled("mapped"), tmp_path / "data").trace
    rows = trace.to_pandas().set_index("function")
    flag = next(flag for flag in trace.header.flags if flag.code == "mapped")

    assert rows.loc["mmap", "bytes"] == 4 << 20
    assert 1 << 20 <= rows.loc["munmap", "bytes"] <= (1 << 20) + 65536  # the kernel maps pages around a fault
    assert (rows.loc["fwrite", "bytes"].sum(), rows.loc["fread", "bytes"].sum()) == (4 << 20, 3 << 20)
    assert rows.loc["fread", "offset"].tolist() == [(1 << 20) * number for number in (1, 2, 3)]
    assert "1 file mapped into memory (4 MiB)" in flag.message


def test_a_file_deleted_before_its_flush_is_deleted_in_the_replay_and_folders_are_no_files(
    compiled, tmp_path
):
    run = traced(tmp_path, compiled("deleting"), tmp_path)
    deletes = run.trace.select(kinds=["delete"]).to_pandas()
    (application,) = Workload.from_trace(run.trace).applications
    steps = [step.kind for step in unfold(application, 0) if step.kind != Kind.COMPUTE]

    assert run.exit_status == 0
    assert [(Path(row.file).name, row.function, row.status != 0) for row in deletes.itertuples()] == [
        *(("scratch", "unlink", False), ("removed", "remove", False), ("removed", "unlink", True))
    ]
    assert steps == [
        *(Kind.OPEN, Kind.WRITE, Kind.ERASE, Kind.SYNC, Kind.CLOSE),
        *(Kind.OPEN, Kind.CLOSE, Kind.ERASE),
    ]


def test_a_process_that_is_killed_leaves_what_it_did(tmp_path):
    text = (
        f"import os; f = os.open({str(tmp_path / 'x')!r}, 66); os.write(f, b'abc'); os.kill(os.getpid(), 9)"
    )
    recording = traced(tmp_path, sys.executable, "-c", text)

    assert recording.exit_status == -signal.SIGKILL
    assert recording.trace.info().bytes_written == 3
    assert "crashed" in {flag.code for flag in recording.trace.header.flags}


def test_ranks_of_a_launcher_come_in_its_order_and_workers_after_their_rank(tmp_path):
    text = (
        "import os, subprocess, sys\n"
        "rank = os.environ.get('RANK')\n"
        "open(sys.argv[1] + '/' + str(rank), 'w').close()\n"
        "if rank is None:\n"
        "    for number in '10':\n"
        "        subprocess.run([sys.executable, *sys.argv], env=os.environ | {'RANK': number, 'WORLD_SIZE': '2'})\n"
        "elif not os.fork():\n"
        "    open(sys.argv[1] + '/worker', 'w').close()\n"
        "else:\n"
        "    os.wait()\n"
    )
    script = tmp_path / "launch.py"
    script.write_text(text)
    processes = traced(tmp_path, sys.executable, script, tmp_path).trace.header.processes

    assert [(one.role, one.launch_rank) for one in processes] == [
        *(("launcher", -1), ("rank", 0), ("worker", 0), ("rank", 1), ("worker", 1))
    ]


def test_the_tracer_s_own_files_survive_a_program_that_closes_everything(tmp_path):
    text = (
        "import os\n"
        "for n in range(3, 200):\n"
        "    try: os.close(n)\n"
        "    except OSError: pass\n"
        "names = [os.open(f'{n}.data', os.O_CREAT | os.O_RDWR) for n in range(30)]\n"
        "os.closerange(names[20], names[29] + 1)\n"
        "[os.dup2(names[0], n) for n in range(3, 60)]\n"
        "os.write(59, b'last')\n"
    )
    opener = f"open({str(tmp_path / 'first')!r}, 'w').close(); os.chdir({str(tmp_path)!r})\n"
    trace = traced(tmp_path, sys.executable, "-c", "import os\n" + opener + text).trace
    contents = {path.name: path.read_bytes() for path in tmp_path.glob("*.data")}

    assert trace.select(kinds=["open"]).table.num_rows == 31
    assert contents == {f"{n}.data": b"last" if n == 0 else b"" for n in range(30)}
    assert trace.select(kinds=["write"]).to_pandas()["file"].tolist() == [str(tmp_path / "0.data")]


def test_what_a_script_sends_to_files_is_followed_and_its_own_output_is_not(tmp_path):
    text = "echo first; cat a > b; cp b c; exec >d; cat c; echo last"
    (tmp_path / "a").write_bytes(bytes(100_000))
    with (tmp_path / "out").open("w") as out:
        script = f"import sys; from pathlib import Path; sys.path[:0] = {sys.path!r}; "
        script += "from striate.record.launch import record; "
        script += (
            f"run = record(['sh', '-c', {text!r}], scratch=Path('.'), levels=('posix',), max_bytes=2**20); "
        )
        script += "run.trace.save('run.parquet')"
        subprocess.run([sys.executable, "-c", script], cwd=tmp_path, stdout=out, check=True)
    info = read_trace(tmp_path / "run.parquet").per_file().to_pylist()
    written = {Path(row["file"]).name: row["bytes_written"] for row in info}

    assert (tmp_path / "out").read_text() == "first\n"
    assert "out" not in written
    assert (written["b"], written["c"]) == (100_000, 100_000)
    assert 100_000 <= written["d"] <= 100_005  # the shell's own echo may go by a stream


def test_a_forecast_is_made_of_such_a_trace(tmp_path, capsys):
    ours, _ = folders(tmp_path)
    target = tmp_path / "run.parquet"

    assert (
        run(
            ["trace", "-o", str(target), "--", sys.executable, str(PROGRAMS / "loader.py"), str(ours), "fork"]
        )
        == 0
    )
    assert read_trace(target).header.processes
    assert run(["info", str(target)]) == 0
    assert run(["predict", str(target), "westmere", "--within", "9"]) in (0, 3)


def test_a_program_that_opens_no_file_is_refused(tmp_path):
    with pytest.raises(TraceError, match=r"no process called MPI_Init or opened a file.*status 0"):
        traced(tmp_path, "true")
    with pytest.raises(TraceError, match="cannot run"):
        traced(tmp_path, os.fspath(tmp_path / "nowhere"))
