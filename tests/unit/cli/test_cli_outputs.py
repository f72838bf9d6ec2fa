"""What commands do where outputs and readers fail: one line, a status, and nothing half done."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from striate.cli.main import run
from toy_traces import row, trace_of, two_ranks

COMMAND = [sys.executable, "-m", "striate"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    two_ranks().save(tmp_path / "run.parquet")
    return tmp_path


def refusal(capsys, *arguments, status=1):
    assert run(list(arguments)) == status
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "ending"),
    [
        (["show", "run.parquet", "-o", "page.svg"], ".html"),
        (["trace", "-o", "run.csv", "--", "true"], ".parquet"),
        (["model", "any.toml", "-o", "surface.png"], ".html"),
    ],
)
def test_a_name_that_would_lie_is_refused(here, capsys, arguments, ending):
    assert f"expected an output file ending in {ending}, got" in refusal(capsys, *arguments, status=2)
    assert [path.name for path in here.iterdir()] == ["run.parquet"]


def test_a_place_that_may_not_be_written_is_refused_before_the_work(here, capsys, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(importlib.import_module("striate.ladder"), "predict", None)

    assert "no permission to write the output file - at f.json" in refusal(
        capsys, "predict", "checkpoint", "laptop", "-o", "f.json"
    )


def test_a_reader_that_leaves_is_no_mistake(here):
    command = [*COMMAND, "check", "westmere"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        running.stdout.close()
        said = running.stderr.read()

    assert (running.returncode, said) == (0, "")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_closed_or_full_standard_output_ends_in_at_most_a_line(options):
    command = [*COMMAND, "check", "laptop", *options]
    closed = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *command], capture_output=True, text=True)
    assert (closed.returncode, closed.stderr) == (0, "")
    if Path("/dev/full").is_char_device():
        with Path("/dev/full").open("w") as full:
            filled = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
        assert (filled.returncode, filled.stderr) == (1, "striate: No space left on device\n")


def test_no_name_reaches_the_terminal_as_a_command_to_it(here, capsys):
    line = refusal(capsys, "info", "red\x1b[31m\x07")
    assert line == r"striate: cannot read: No such file or directory (red\x1b[31m\x07)"


def test_no_name_of_a_trace_does_either(here, capsys):
    rows = [row(0, "write", 0, 10, file=0, bytes=5, offset=0)]
    trace = trace_of(rows, ranks=1, files=("red\x1b[31m",), program="bell\x07\u202e", hosts=("h\x9b",))
    trace.save(here / "hostile.parquet")
    for command in (["info"], ["show", "--text"], ["predict", "hostile.parquet", "laptop"]):
        assert run([*command, "hostile.parquet"][:3]) == 0
        shown = capsys.readouterr().out

        assert not set("\x1b\x07\x9b\u202e") & set(shown)
        assert "bell" in shown


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda path: path.write_bytes(b""), "found an empty file"),
        (lambda path: path.mkdir(), "found a folder without the files of any of these"),
        (lambda path: path.write_bytes(b"noise"), "found a file that starts with b'noise'"),
    ],
)
def test_what_is_no_trace_is_called_what_it_is(here, capsys, make, found):
    make(here / "it")

    assert refusal(capsys, "info", "it").endswith(f"a trace of Recorder, {found} (it)")


def test_an_archive_that_is_a_folder_is_replaced_only_by_force(here, capsys):
    pytest.importorskip("otf2", reason="needs the otf2 wheel")
    convert = ["convert", "run.parquet", "run.otf2"]
    assert run(convert) == 0
    assert "the output file exists; give --force to replace it" in refusal(capsys, *convert)
    assert run([*convert, "--force"]) == 0


def test_of_three_files_none_is_written_where_one_is_in_the_way(here, capsys):
    (here / "run.row").write_text("mine")

    assert "the output file exists" in refusal(capsys, "convert", "run.parquet", "run.prv")
    assert sorted(path.name for path in here.iterdir()) == ["run.parquet", "run.row"]


@pytest.mark.parametrize("output", ["run.parquet", "run.pftrace", "run.otf2"])
def test_a_file_that_may_not_grow_is_not_left_half_written(here, output):
    """A limit on the size of files, of one block, stands in for a full disk."""
    if output.endswith(".otf2"):
        pytest.importorskip("otf2", reason="needs the otf2 wheel")
    (here / "out").mkdir()
    command = [*COMMAND, "convert", "run.parquet", f"out/{output}"]
    ran = subprocess.run(
        ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *command], capture_output=True, text=True, check=False
    )

    assert ran.returncode == 1
    before, refused, _ = ran.stderr.partition("striate: cannot write: ")  # OTF2's library has more to say
    assert refused
    assert "Traceback" not in before
    assert list((here / "out").iterdir()) == []


def test_a_demo_in_the_way_of_another_writes_nothing(here, capsys):
    (here / "demo").mkdir()
    (here / "demo" / "report.html").write_text("mine")

    assert "the output file exists" in refusal(capsys, "demo", "-o", "demo")
    assert [path.name for path in (here / "demo").iterdir()] == ["report.html"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere.toml", "found no file and no built-in program of this name"),
        ("nowhere.py", "found no file and no built-in program of this name"),
        ("nowhere", "found no file and no built-in program of this name"),
        ("empty", "found an empty file"),
        ("empty.toml", "expected the name of an application, got None - at $.app"),
        ("run.parquet", "is not accepted: the program has its own number of ranks"),
    ],
)
def test_what_is_wrong_with_a_program_comes_before_its_ranks(here, capsys, name, said):
    for empty in ("empty", "empty.toml"):
        (here / empty).touch()

    line = refusal(capsys, "predict", name, "laptop", "--ranks", "2")
    assert said in line
    assert line.endswith(f"({name})")


def test_one_of_a_thing_is_not_many(here, capsys):
    assert run(["check", "laptop"]) == 0
    shown = capsys.readouterr().out

    assert "1 with 1 socket, " in shown
    assert "1 components" not in shown


@pytest.mark.parametrize(
    "command",
    [
        ["advise", "it"],
        ["tune", "it", "laptop"],
        ["apply", "it", "-o", "settings"],
        ["info", "it"],
        ["fit", "laptop", "it"],
    ],
)
def test_an_input_that_is_not_there_is_a_bad_input_not_a_usage(here, capsys, command):
    assert "No such file or directory" in refusal(capsys, *command)
    (here / "it").mkdir()
    assert "it" in refusal(capsys, *command)
    assert not (here / "settings").exists()


def test_settings_that_cannot_be_run_again_are_not_written(here, capsys):
    assert run(["advise", "run.parquet", "-o", "advice.json"]) == 0

    said = refusal(capsys, "apply", "advice.json", "-o", "settings", "--rerun")
    assert (
        said
        == "striate: --rerun needs settings tuned for a program that writes with striate.runtime, got other settings "
        "(advice.json)"
    )
    assert not (here / "settings").exists()


@pytest.mark.parametrize(("given", "status"), [("255 MiB", 2), ("256 MiB", 0)])
def test_the_smallest_limit_of_memory_is_one_that_libraries_live_with(given, status):
    """Where a library cannot allocate while it is loaded, it aborts the process."""
    command = [sys.executable, "-m", "striate", "predict", "kernel:jacobi,steps=2", "laptop", "--ranks", "2"]
    done = subprocess.run([*command, "--memory", given], capture_output=True, text=True)

    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert ("expected a memory limit of at least 256 MiB" in done.stderr) == (status == 2)
