"""The wheel, installed into an empty environment: no source, no compiler, no MPI."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from striate.cli.main import run
from striate.evaluate import selftest

ROOT = Path(__file__).resolve().parents[3]


def pip(*arguments, python=sys.executable):
    command = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def module_fits(wheel, names):
    """Whether the module inside is one for the interpreters that the wheel's tag names."""
    interpreter, abi = wheel.split("-")[2:4]
    ending = "abi3.so" if abi == "abi3" else f"cpython-{interpreter.removeprefix('cp')}-"
    return any(name.startswith(f"striate/_core.{ending}") for name in names)


def test_a_module_of_one_python_does_not_fit_a_wheel_for_several():
    module = "striate/_core.cpython-313-x86_64-linux-gnu.so"

    assert not module_fits("striate-0.1.0-cp312-abi3-linux_x86_64.whl", [module])
    assert module_fits("striate-0.1.0-cp312-abi3-linux_x86_64.whl", ["striate/_core.abi3.so"])
    assert module_fits("striate-0.1.0-cp313-cp313-linux_x86_64.whl", [module])


def test_an_installed_wheel_passes_its_selftest(tmp_path):
    built = pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", tmp_path, ".")
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert module_fits(wheel.name, ZipFile(wheel).namelist())
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "empty"], check=True)
    programs = tmp_path / "empty" / "bin"
    installed = pip("install", wheel, python=programs / "python")
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
