"""The micro-benchmarks under a real MPI, on two ranks."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mpi4py", reason="mpi4py is not installed (extra `mpi`)")
BESIDE = Path(sys.executable).with_name("mpiexec")
MPIEXEC = str(BESIDE) if BESIDE.exists() else shutil.which("mpiexec")
PROGRAM = [sys.executable, "-m", "striate.probe.microbenchmarks"]

pytestmark = pytest.mark.skipif(MPIEXEC is None, reason="no mpiexec is to be had")


def launched(ranks: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [MPIEXEC, "-n", str(ranks), *PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_two_ranks_measure_the_machine():
    result = launched(2, "--json")

    assert result.returncode == 0, result.stderr
    machine = json.loads(result.stdout)
    assert machine["processors"] == 2
    assert 1e-8 < machine["startup_seconds"] < 1e-1
    assert 1e6 < machine["bytes_per_second"] < 1e13
    assert 0 < machine["largest_contention"] <= 1


def test_one_rank_has_nobody_to_send_to():
    result = launched(1)

    assert result.returncode != 0
    assert "needs two ranks" in result.stderr
    assert "Traceback" not in result.stderr
