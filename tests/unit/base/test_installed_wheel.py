"""The wheel, installed into an empty environment: no source, no compiler, no MPI."""

import subprocess
import sys
from pathlib import Path

import pytest

from striate.cli.main import run
from striate.evaluate import selftest

ROOT = Path(__file__).resolve().parents[3]


def pip(*arguments, python=sys.executable):
    command = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_an_installed_wheel_passes_its_selftest(tmp_path):
    built = pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", tmp_path, ".")
    assert built.returncode == 0, built.stderr
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "empty"], check=True)
    programs = tmp_path / "empty" / "bin"
    installed = pip("install", next(tmp_path.glob("*.whl")), python=programs / "python")
    if "No matching distribution" in installed.stderr:
        pytest.skip("no package index to install the dependencies from")
    assert installed.returncode == 0, installed.stderr

    alone = {"PATH": str(programs), "HOME": str(tmp_path)}
    for command in (["selftest"], ["demo", "-o", "demo"]):
        done = subprocess.run(
            [programs / "striate", *command], cwd=tmp_path, env=alone, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "demo" / "report.html").stat().st_size > 10_000


def test_a_failed_check_is_named_and_gives_status_3(monkeypatch, capsys):
    monkeypatch.setattr(selftest, "_CHECKS", {"planted": lambda folder: "found 1, expected 2"})

    assert run(["selftest"]) == 3
    assert "planted" in (out := capsys.readouterr().out)
    assert "FAILED: found 1, expected 2" in out
