"""Starts programs of this package on many ranks, and brings their answer back."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from striate.errors import ProbeError

_SLACK_SECONDS = 120.0  # for starting Python on every rank, and a machine that others use too


def mpiexec() -> str:
    """The launcher beside this Python, or else the one on the path; raises ProbeError when there is none."""
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise ProbeError("no mpiexec was found on this machine; install one with: pip install 'striate[mpi]'")
    return found


def local_launcher(ranks: int) -> list[str]:
    """The command that starts `ranks` ranks on this host."""
    return [mpiexec(), "-n", str(ranks)]


def run_ranks(launcher: Sequence[str], module: str, arguments: Sequence[str], *, seconds: float) -> None:
    """Run a module of this package on the launcher's ranks; raises ProbeError, with its last words, when it fails.

    A run that takes more than `seconds` and a generous slack is ended, with all its ranks.
    """
    command = [*launcher, sys.executable, "-m", module, *arguments]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    try:
        child = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ProbeError(f"cannot run {command[0]!r}: {error.strerror or error}") from None
    try:
        _, words = child.communicate(timeout=seconds + _SLACK_SECONDS)
    except subprocess.TimeoutExpired:
        raise ProbeError(
            f"the MPI ranks that measure did not finish within {seconds + _SLACK_SECONDS:.0f} s"
        ) from None
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    if child.returncode:
        last = words.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise ProbeError(
            f"the MPI ranks that measure ended with exit status {child.returncode}: {last[0][:200]}"
        )
