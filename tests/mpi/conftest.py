"""Programs under every MPI that can be found here; tests skip, with a reason, where there is none."""

import shutil
import subprocess

import pytest

from mpi_libraries import MPIS, PROGRAMS
from striate.trace.launch import tracer_path


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
