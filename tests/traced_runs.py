"""Runs a program under the tracer and merges what it leaves: what the tests of tracing share."""

import subprocess

from striate.record.launch import traced_environment
from striate.record.merge import merge

RANKS = 4
LEVELS = ("mpi-io", "mpi", "posix")


def run_traced(
    mpi, folder, *program, levels=LEVELS, max_bytes=2**30, ranks=RANKS, preload=True, sample_seconds=0.0
):
    """(standard output, exit status, trace) of a program under the tracer."""
    parts = folder / "parts"
    parts.mkdir()
    environment = mpi.environment() | traced_environment(
        parts, levels=levels, max_bytes=max_bytes, sample_seconds=sample_seconds
    )
    if not preload:
        del environment["LD_PRELOAD"]
    command = mpi.command(ranks, *program)
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    try:
        return ran.stdout, ran.returncode, merge(parts, levels=levels)
    except Exception as error:
        raise AssertionError(f"{error}\n{ran.stdout}\n{ran.stderr}") from error
