"""Guides print what the program prints: their models load, their first lines are those of today."""

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from striate.cli.main import run
from striate.queueing import Model, load_model

ROOT = Path(__file__).resolve().parents[3]
GUIDES = ROOT / "docs" / "guides"


def test_the_model_of_the_queueing_guide_is_the_same_in_toml_and_in_python(tmp_path):
    guide = (GUIDES / "queueing-models.md").read_text()
    (text,) = re.findall(r"```toml\n(.*?)```", guide, re.S)
    (tmp_path / "spmd.toml").write_text(text)
    names: dict[str, object] = {}
    exec(compile(re.findall(r"```python\n(.*?)```", guide, re.S)[0], "guide", "exec"), names)

    loaded, written = load_model(tmp_path / "spmd.toml"), names["model"]
    assert isinstance(loaded, Model)
    assert loaded.time(64, 3) == written.time(64, 3)


def test_the_readme_shows_what_its_example_prints(capsys):
    readme = (ROOT / "README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.S)
    (shown,) = re.findall(r"```text\n(.*?)```", readme, re.S)
    exec(compile(code, "readme", "exec"), {})

    printed, shown = (text.partition("; cost ") for text in (capsys.readouterr().out, shown))
    assert printed[:2] == shown[:2]


def test_the_readme_shows_what_its_log_is_diagnosed_with(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    command, shown = re.findall(
        r"    \$ striate (advise .*)\n    \.\.\.\n((?:    .*\n)+)", (ROOT / "README.md").read_text()
    )[0]
    assert run(command.split()) == 0

    assert textwrap.dedent(shown) in capsys.readouterr().out


def test_the_tutorial_runs_as_it_stands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    solver, larger, together = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "tutorial.md").read_text(), re.S
    )
    Path("solver.py").write_text(solver)
    assert run(["predict", "solver.py", "westmere", "--ranks", "16", "-o", "forecast.json"]) == 0
    names: dict[str, Any] = {}
    exec(compile(larger.replace("1_000_000", "100_000"), "tutorial", "exec"), names)
    names["workload"].save("run.parquet")
    assert run(["predict", "run.parquet", "lustre-64"]) == 3
    assert "not to be trusted (exit status 3)" in capsys.readouterr().out
    exec(compile(together, "tutorial", "exec"), {})

    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()] == [
        ["jacobi", "8"],
        ["checkpoint", "4"],
    ]


def test_a_flat_model_is_told_where_its_words_belong(tmp_path, capsys):
    (tmp_path / "flat.toml").write_text("parallel_seconds = 1\n")

    assert run(["model", str(tmp_path / "flat.toml")]) == 1
    assert "unknown key 'parallel_seconds'; it belongs below [spmd], or [[phase]]" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", re.findall(r"^vmscope on .*$", (GUIDES / "how-accurate.md").read_text(), re.M)
)
def test_the_forecast_of_the_accuracy_guide_is_todays(line, capsys):
    assert run(["predict", str(ROOT / "examples" / "vmscope.toml"), "sp2", "--within", "20%"]) == 0

    assert capsys.readouterr().out.startswith(line.split("; cost")[0])
