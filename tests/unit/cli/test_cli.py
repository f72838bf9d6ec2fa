"""The command line as a whole: help, versions, completion, the demo, and how refusals look."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import striate
from striate.cli.main import COMMANDS, run
from striate.cli.output import write_output
from striate.errors import OutputError
from striate.ladder import Forecast


def test_help_lists_every_command(capsys):
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out

    for name, line in COMMANDS.items():
        assert f"{name} " in shown
        assert line.split(",")[0] in shown


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "check"])
def test_every_command_explains_itself(capsys, name):
    assert run([name, "--help"]) == 0

    shown = capsys.readouterr().out
    assert shown.startswith(f"Usage: striate {name}")
    assert "--help" in shown


def test_the_version_is_the_packages(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"striate {striate.__version__}\n"


def test_an_unknown_command_is_status_2(capsys):
    assert run(["forecast"]) == 2
    assert "No such command 'forecast'" in capsys.readouterr().err


def test_no_command_shows_the_help(capsys):
    assert run([]) == 2
    captured = capsys.readouterr()
    assert "Usage: striate" in captured.out + captured.err


@pytest.mark.parametrize(
    ("shell", "word"), [("bash", "complete "), ("zsh", "compdef"), ("fish", "complete --no-files")]
)
def test_completion_scripts(capsys, shell, word):
    assert run(["completion", shell]) == 0

    script = capsys.readouterr().out
    assert word in script
    assert "_STRIATE_COMPLETE" in script


def test_another_shell_is_status_2(capsys):
    assert run(["completion", "tcsh"]) == 2
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in capsys.readouterr().err


def test_the_demo_writes_a_forecast_and_a_page(capsys, tmp_path):
    folder = tmp_path / "new" / "demo"

    assert run(["demo", "-o", str(folder)]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("checkpoint on westmere, 16 ranks: ")
    assert "report.html" in captured.err
    assert sorted(file.name for file in folder.iterdir()) == ["forecast.json", "report.html"]
    assert Forecast.load(folder / "forecast.json").ranks == 16
    assert json.loads((folder / "forecast.json").read_text())["rung"] == "fine"


def test_the_demo_overwrites_only_when_told(capsys, tmp_path):
    assert run(["demo", "-o", str(tmp_path)]) == 0
    before = (tmp_path / "report.html").stat().st_mtime_ns

    assert run(["demo", "-o", str(tmp_path)]) == 1
    assert "give --force to replace it" in capsys.readouterr().err
    assert (tmp_path / "report.html").stat().st_mtime_ns == before
    assert run(["demo", "--force", "-o", str(tmp_path)]) == 0


def test_a_message_never_goes_among_the_results_where_stderr_is_closed():
    shell = f"exec {shlex.quote(sys.executable)} -m striate check --nope 2>&-"
    done = subprocess.run(["/bin/sh", "-c", shell], stdout=subprocess.PIPE)

    assert (done.returncode, done.stdout) == (2, b"")


def test_interruption_and_memory_are_one_line(capsys, monkeypatch):
    from striate.cli.forecast import predict

    for error, status, line in (
        (KeyboardInterrupt(), 130, "striate: interrupted\n"),
        (MemoryError(), 1, "striate: out of memory\n"),
        (ImportError("libarrow.so: failed to map segment from shared object"), 1, "striate: out of memory\n"),
        (OSError(28, "No space left on device", "f"), 1, "striate: No space left on device - at f\n"),
    ):
        monkeypatch.setattr(predict.command, "callback", raiser(error))
        assert run(["predict", "checkpoint", "westmere"]) == status
        assert capsys.readouterr().err.lstrip("\n") == line


def raiser(error):
    def fail(*values, **options):
        raise error

    return fail


def test_a_write_that_fails_leaves_neither_a_part_nor_another_content(tmp_path, monkeypatch):
    path = tmp_path / "f.json"
    path.write_text("mine")
    monkeypatch.setattr(Path, "replace", raiser(OSError(28, "No space left on device")))

    with pytest.raises(OutputError) as refusal:
        write_output(path, "new", force=True)

    assert str(refusal.value) == f"cannot write: No space left on device - at {path}"
    assert [file.name for file in tmp_path.iterdir()] == ["f.json"]
    assert path.read_text() == "mine"
