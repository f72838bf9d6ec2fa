"""`striate predict`: any program on any machine, results on stdout, exit status by what came out."""

import json

import pytest

from striate.apps import checkpoint
from striate.cli.main import run
from striate.ladder import Forecast
from striate.provenance import hash_file

PROGRAM = """
from striate.workload.operations import compute, write

def program(rank, ranks):
    for step in range(10):
        yield compute("12 ms")
        yield write("out", offset=(step * ranks + rank) * 4096, size=4096)
"""
WORKLOAD = """
from striate.workload import Spmd

def workload(ranks=4):
    body = Spmd(ranks, name="made")
    body.compute("1 s")
    return body
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "solver.py"
    path.write_text(PROGRAM)
    return path


def stdout_of(capsys, *arguments, status=0):
    assert run([str(argument) for argument in arguments]) == status
    captured = capsys.readouterr()
    return captured.out


@pytest.mark.parametrize("name", ["checkpoint", "jacobi"])
def test_a_built_in_program_is_predicted(capsys, name):
    shown = stdout_of(capsys, "predict", name, "westmere", "--ranks", 8)

    assert shown.startswith(f"{name} on westmere, 8 ranks: ")
    assert "resource" in shown


def test_a_python_file_with_a_program(capsys, program):
    shown = stdout_of(capsys, "predict", program, "laptop", "--ranks", 2)

    assert shown.splitlines()[0].startswith("solver on laptop, 2 ranks: 120 ms (80%: ")  # 10 * 12 ms


@pytest.mark.parametrize(("options", "ranks"), [([], 4), (["--ranks", "9"], 9)])
def test_a_python_file_with_a_function_that_makes_a_workload(capsys, tmp_path, options, ranks):
    path = tmp_path / "w.py"
    path.write_text(WORKLOAD)

    assert f"made on laptop, {ranks} ranks: " in stdout_of(capsys, "predict", path, "laptop", *options)


@pytest.mark.parametrize("value", ["workload()", "workload().workload()"])
def test_a_python_file_with_a_workload(capsys, tmp_path, value):
    path = tmp_path / "w.py"
    path.write_text(WORKLOAD + f"\nworkload = {value}\n")

    assert "made on laptop, 4 ranks: 1 s (80%: 698 ms to 1.43 s)" in stdout_of(
        capsys, "predict", path, "laptop"
    )


def test_a_saved_workload(capsys, tmp_path):
    path = tmp_path / "w.parquet"
    checkpoint.workload(ranks=5).save(path)

    assert "checkpoint on laptop, 5 ranks: " in stdout_of(capsys, "predict", path, "laptop")


def test_a_layout_is_given_on_the_command_line(capsys, program):
    options = ("westmere", "--ranks", 2, "--rung", "fine")
    plain = stdout_of(capsys, "predict", program, *options)
    alone = stdout_of(capsys, "predict", program, *options, "--layout", "out=basic")

    assert plain.splitlines()[0] != alone.splitlines()[0]


def test_a_way_of_collective_access_is_given_on_the_command_line(capsys, tmp_path):
    path = tmp_path / "together.py"
    path.write_text(PROGRAM.replace("write", "write_all"))
    options = (path, "westmere", "--ranks", 4, "--rung", "fine", "--json")
    plain, gathered = (
        json.loads(stdout_of(capsys, "predict", *options, *more))["servers"]
        for more in ((), ("--collective-io", "out=two-phase:1:1MiB"))
    )

    assert sum(server["bytes_written"] for server in gathered) == 10 * 4 * 4096
    assert sum(server["operations"] for server in gathered) < sum(server["operations"] for server in plain)


def test_layouts_of_no_file_and_no_kind_are_refused(capsys, program):
    for layout, status in (("in=basic", 1), ("out=none", 1), ("basic", 2)):
        assert run(["predict", str(program), "laptop", "--ranks", "2", "--layout", layout]) == status


def test_json_is_the_forecast(capsys, program):
    text = stdout_of(capsys, "predict", program, "laptop", "--ranks", 2, "--json")
    forecast = Forecast.from_json(text)

    assert json.loads(text)["schema"] == "striate.forecast/2"
    assert (forecast.workload, forecast.ranks, forecast.cluster) == ("solver", 2, "laptop")
    assert forecast.provenance.inputs == {"solver.py": hash_file(program)}


def test_an_output_file_holds_what_json_prints(capsys, program, tmp_path):
    path = tmp_path / "f.json"
    shown = stdout_of(capsys, "predict", program, "laptop", "--ranks", 2, "--json", "-o", path)

    assert path.read_text() == shown
    assert sorted(file.name for file in tmp_path.iterdir() if file.is_file()) == ["f.json", "solver.py"]


def test_an_output_page(capsys, program, tmp_path):
    stdout_of(capsys, "predict", program, "laptop", "--ranks", 2, "-o", tmp_path / "f.html")

    assert "2 ranks of solver on laptop take " in (tmp_path / "f.html").read_text()


def test_an_output_is_not_overwritten_without_force(capsys, program, tmp_path):
    path = tmp_path / "f.json"
    path.write_text("mine")
    arguments = ["predict", str(program), "laptop", "--ranks", "2", "-o", str(path)]

    assert run(arguments) == 1
    assert (
        capsys.readouterr().err
        == f"striate: the output file exists; give --force to replace it - at {path}\n"
    )
    assert path.read_text() == "mine"

    assert run([*arguments, "--force"]) == 0
    assert Forecast.load(path).ranks == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "expected an output file to write, found a directory"),
        ("missing/f.json", "the directory of the output file does not exist"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_any_work(
    capsys, program, tmp_path, name, message
):
    (tmp_path / "d.json").mkdir()
    path = tmp_path / (name or "d.json")

    assert run(["predict", str(program), "laptop", "--ranks", "2", "-o", str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.err == f"striate: {message} - at {path}\n"
    assert captured.out == ""


def test_an_unknown_suffix_is_a_usage_error(capsys, program, tmp_path):
    assert run(["predict", str(program), "laptop", "--ranks", "2", "-o", str(tmp_path / "f.pdf")]) == 2

    assert "expected an output file ending in .json or .html, got 'f.pdf'" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["solver.py"]


@pytest.mark.parametrize(("within", "status"), [("1%", 3), ("0.01", 3), ("1000000%", 0)])
def test_a_precision_that_is_not_reached_is_status_3(capsys, within, status):
    shown = stdout_of(
        capsys, "predict", "checkpoint", "westmere", "--rung", "resource", "--within", within, status=status
    )

    assert ("note: the bounds are wider than the 1% asked for" in shown) == (status == 3)


@pytest.mark.parametrize(
    "arguments",
    [
        ["predict"],
        ["predict", "checkpoint"],
        ["predict", "checkpoint", "westmere", "--ranks", "0"],
        ["predict", "checkpoint", "westmere", "--ranks", "many"],
        ["predict", "checkpoint", "westmere", "--within", "-5%"],
        ["predict", "checkpoint", "westmere", "--within", "nan"],
        ["predict", "checkpoint", "westmere", "--within", "much"],
        ["predict", "checkpoint", "westmere", "--color"],
    ],
)
def test_a_wrong_command_line_is_status_2(capsys, arguments):
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("Usage: striate predict")
    assert captured.out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["checkpoint", "westmere", "--rung", "magic"],
            "expected a forecasting method (rung) among resource, queueing, macro-rr, macro-queue, micro, flow, "
            "fine, got 'magic'",
        ),
        (
            ["solve", "westmere"],
            "found no file and no built-in program of this name; built in are jacobi, checkpoint, mesh, mesh-mpi-io, "
            "pmc3, titan, vmscope, graphs, or a kernel such as kernel:pingpong (solve)",
        ),
    ],
)
def test_a_bad_input_is_status_1_and_one_line(capsys, arguments, message):
    assert run(["predict", *arguments]) == 1
    captured = capsys.readouterr()
    assert captured.err == f"striate: {message}\n"
    assert captured.out == ""


@pytest.mark.parametrize("arguments", [["checkpoint", "nowhere.toml"], ["nowhere.parquet", "westmere"]])
def test_a_missing_file_is_named_in_one_line(capsys, arguments):
    assert run(["predict", *arguments]) == 1

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("striate: ")
    assert "nowhere" in line


def test_a_timeline_is_written_and_read_like_a_trace(capsys, program, tmp_path):
    path = tmp_path / "run.parquet"
    options = ("predict", program, "westmere", "--ranks", 2)
    stdout_of(capsys, *options, "--timeline", path)
    told = json.loads(stdout_of(capsys, "info", path, "--json"))

    assert told["bytes_written"] == 10 * 2 * 4096
    assert {level["level"] for level in told["levels"]} >= {"mpi-io", "server", "network", "disk"}
    before = path.read_bytes()
    assert run([str(word) for word in (*options, "--timeline", path)]) == 1
    assert "--force" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert run([str(word) for word in (*options, "--timeline", tmp_path / "run.json")]) == 2
    assert run([str(word) for word in (*options, "--timeline", path, "--force", "--rung", "resource")]) == 1
