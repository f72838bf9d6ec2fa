"""`striate tune`, `advise` and `apply` on the command line: results, files, refusals."""

import json
import sys
from pathlib import Path

import pytest

from striate.cli.main import run
from striate.results import entries
from toy_traces import row, trace_of

CHECKPOINT = (
    'app = "checkpoint"\nranks = 4\nsteps = 4\nevery = 2\nstate = "1 MiB"\n[vary]\nservers = [2, 10]\n'
)
COSTS = """
[costs]
setup_edge = 1e-8
sweep_edge = 1e-8
schedule_record = 1e-9
move_byte = 1e-10
load_byte = 1e-10
checksum_byte = 1e-11
write_byte = 5e-10
window_byte = 1e-10
commit = 1e-3
chunk = 1e-6
rounds = [[65536, 1e-9]]
[costs.codecs.zstd]
encode = 1e-9
decode = 1e-9
share = 0.25
chunk = 1e-6
"""
MESH = 'app = "mesh"\nranks = 2\nnodes = 20_000\nsteps = 2\nevery = 1\n'
MESH += '[vary]\nservers = [1, 2]\ncodec = ["none", "zstd"]\n'


@pytest.fixture
def spec(tmp_path):
    def write(text):
        path = tmp_path / "spec.toml"
        path.write_text(text)
        return str(path)

    return write


def test_a_study_is_printed_stored_and_written(spec, tmp_path, capsys):
    target, store = tmp_path / "tuned.toml", tmp_path / "results.db"
    words = [
        "tune",
        spec(CHECKPOINT),
        "westmere",
        "--executor",
        "serial",
        "-o",
        str(target),
        "--store",
        str(store),
    ]

    assert run(words) == 0
    printed = capsys.readouterr().out
    assert "2 candidates" in printed
    assert [entry.kind for entry in entries(store)] == ["tune"]
    assert run(words) == 1  # the output is there
    assert run([*words, "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "striate.tuning/1"

    assert run(["apply", str(target), "-o", str(tmp_path / "applied"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == ["commands.sh", "environment.sh", "hints.txt"]


def test_a_budget_that_ends_is_exit_status_3_or_a_refusal(spec, capsys):
    assert run(["tune", spec(CHECKPOINT), "westmere", "--executor", "serial", "--budget", "0 s"]) == 1
    assert "budget" in capsys.readouterr().err


def test_the_mesh_on_the_runtime_is_tuned_by_given_costs_and_run_again(spec, tmp_path, capsys):
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    target = tmp_path / "tuned.toml"
    assert run(["tune", spec(MESH + COSTS), "laptop", "--executor", "serial", "-o", str(target)]) == 0
    capsys.readouterr()
    words = ["apply", str(target), "-o", str(tmp_path / "applied"), "--rerun", "--repeats", "1", "--json"]
    if not Path(sys.executable).with_name("mpiexec").exists():
        pytest.skip("no mpiexec beside this Python")

    assert run(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["files"] == ["environment.sh", "runtime.toml"]
    assert len(told["rerun"]["before"]) == len(told["rerun"]["after"]) == 1
    assert told["rerun"]["predicted_gain"] is not None
    assert json.loads((tmp_path / "applied" / "rerun.json").read_text()) == told["rerun"]
    left = sorted(path.name for path in (tmp_path / "applied").iterdir())
    assert left == ["environment.sh", "rerun.json", "runtime.toml"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("app = 1", "$.vary"),
        ('app = "solver"\n[vary]\nservers = [1]', "$.app"),
        ('app = "checkpoint"\nsteps = "many"\n[vary]\nservers = [1]', "$.steps"),
        ('app = "checkpoint"\ncolour = 1\n[vary]\nservers = [1]', "$.colour"),
        ('app = "checkpoint"\n[vary]\nservers = 1', "$.vary.servers"),
        ('app = "checkpoint"\n[vary]\ncolour = [1]', "expected a knob (setting) among"),
        ('program = "nothing.parquet"\n[vary]\nservers = [1]', "nothing.parquet"),
        ('program = "a.py"\ncells = 3\n[vary]\nservers = [1]', "$.program"),
        ('program = "a.py"\nranks = 0\n[vary]\nservers = [1]', "$.ranks"),
        ('program = "a.py"\nranks = "4"\n[vary]\nservers = [1]', "$.ranks"),
        ('app = "mesh"\n[vary]\nservers = [1]\n[costs]\ncommit = "much"', "$.costs"),
        ("= 1", "not TOML"),
    ],
)
def test_a_spec_that_says_nothing_sensible_is_refused_in_one_line(spec, capsys, text, words):
    assert run(["tune", spec(text), "westmere", "--executor", "serial"]) == 1

    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.strip().splitlines()) == 1
    assert words in told.err


def test_a_program_file_is_given_its_ranks_and_aggregators_by_stripes(tmp_path, capsys):
    (tmp_path / "writer.py").write_text(
        "from striate.workload import operations as op\n"
        "def program(rank, ranks):\n"
        "    yield op.write_all('data', offset=rank * 1048576, size=1048576)\n"
    )
    vary = 'aggregators = [1, "stripes x 2"]\ndomains = ["contiguous", "cyclic"]'
    (tmp_path / "spec.toml").write_text(f'program = "writer.py"\nranks = 6\n[vary]\n{vary}')
    line = ["tune", str(tmp_path / "spec.toml"), "westmere", "--executor", "serial", "--json"]

    assert run(line) == 0

    outcomes = json.loads(capsys.readouterr().out)["outcomes"]
    assert {
        (one["candidate"]["settings"]["aggregators"], one["candidate"]["settings"]["domains"])
        for one in outcomes
    } == {(count, domains) for count in (1, "stripes x 2") for domains in ("contiguous", "cyclic")}
    assert all(one["state"] != "refused" for one in outcomes)


def test_advice_is_printed_written_and_applied(tmp_path, capsys):
    rows = [
        row(0, "write", at * 10**6, (at + 1) * 10**6, level="posix", file=0, offset=at * 100, bytes=100)
        for at in range(2000)
    ]
    trace_of(rows, ranks=1).save(tmp_path / "run.parquet")
    words = ["advise", str(tmp_path / "run.parquet"), "-o", str(tmp_path / "advice.json")]

    assert run(words) == 0
    assert "Many small requests - saves" in capsys.readouterr().out
    assert run([*words, "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"][0]["rule"] == "small requests"
    page = tmp_path / "run.html"
    assert run(["show", str(tmp_path / "run.parquet"), str(tmp_path / "advice.json"), "-o", str(page)]) == 0
    assert "Collect data in memory" in page.read_text()
    assert run(["apply", str(tmp_path / "advice.json"), "-o", str(tmp_path / "applied")]) == 0
    assert "cb_buffer_size 16777216" in (tmp_path / "applied" / "hints.txt").read_text()


@pytest.mark.parametrize("content", ["", "[]", '{"schema": "striate.advice/2"}', "schema = 1"])
def test_what_is_no_advice_and_no_tuning_cannot_be_applied(tmp_path, capsys, content):
    for name in ("x.json", "x.toml"):
        (tmp_path / name).write_text(content)

        assert run(["apply", str(tmp_path / name), "-o", str(tmp_path / "applied")]) == 1
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
        assert not (tmp_path / "applied").exists()
