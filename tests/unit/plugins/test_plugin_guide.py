"""The guide Write a plug-in prints what the commands print: from a checkout, every one of them runs."""

import re
import shlex
from pathlib import Path

import pytest

from striate.cli.main import run

ROOT = Path(__file__).resolve().parents[3]
GUIDE = (ROOT / "docs" / "guides" / "write-a-plugin.md").read_text()
CONSOLE = "\n".join(re.findall(r"```console\n(.*?)```", GUIDE, re.S))
SHOWN = re.findall(r"^\$ striate (.*)\n([^$\n].*)$", CONSOLE, re.M)


def test_the_guide_shows_a_command_for_every_example():
    shown = " ".join(command for command, _ in SHOWN)
    for path in (ROOT / "examples" / "plugins").glob("*.py"):
        assert path.name in shown


@pytest.mark.parametrize(("command", "line"), SHOWN, ids=[command[:60] for command, _ in SHOWN])
def test_a_command_of_the_guide_prints_its_line(command, line, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    if "my_scheduler.py" in command and "new" not in command:
        assert run(["plugin", "new", "scheduler"]) == 0
        capsys.readouterr()
    (tmp_path / "examples").symlink_to(ROOT / "examples")

    assert run(shlex.split(command)) == 0
    assert capsys.readouterr().out.splitlines()[0].split("; cost")[0] == line
