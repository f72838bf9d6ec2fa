"""The particle example prints the same, alone and with ranks."""

import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_particles_alone(tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "particles.py")],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )

    assert done.stdout == (EXAMPLES / "particles.out").read_text()


def test_particles_on_three_ranks(run_ranks, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    assert run_ranks(3, EXAMPLES / "particles.py") == (EXAMPLES / "particles.out").read_text()
