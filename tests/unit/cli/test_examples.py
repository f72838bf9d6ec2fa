"""Every example runs and prints what stands beside it."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_an_example_prints_what_stands_beside_it(path, tmp_path):
    expected = path.with_suffix(".out")
    assert expected.is_file(), f"{path.name} has no {expected.name}"

    done = subprocess.run(
        [sys.executable, path], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == expected.read_text()


def test_every_expected_output_has_its_example():
    assert {path.stem for path in EXAMPLES.glob("*.out")} == {path.stem for path in PROGRAMS}
