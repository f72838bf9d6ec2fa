"""Programs run under mpiexec: found where MPI is installed, else skipped with a reason."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).resolve().parent / "programs"


def launcher() -> str | None:
    beside = Path(sys.executable).with_name("mpiexec")
    return str(beside) if beside.exists() else shutil.which("mpiexec")


@pytest.fixture
def run_ranks():
    """A function (ranks, program, *arguments): run it under mpiexec; what it printed. `status` None allows any."""
    mpiexec = launcher()
    if mpiexec is None:
        pytest.skip("no mpiexec: install the extra `mpi`")
    pytest.importorskip("mpi4py")

    def run(ranks, program, *arguments, timeout=60, status=0):
        command = [mpiexec, "-n", str(ranks), sys.executable, str(PROGRAMS / program), *map(str, arguments)]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONFAULTHANDLER": "1"}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, env=environment, check=False
        )
        assert status is None or done.returncode == status, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout

    return run
