"""What tracing costs: nanoseconds added to a 512-byte write by MPI-IO and by POSIX alone, share of a solver's time.

Run alone: `python benchmarks/trace.py [WRITES]`; exits with 1 when the cost is above 1 microsecond an operation, or
above 3 % of the CPU time of a Jacobi solver in Python.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
LIMIT_NANOSECONDS = 1000.0
LIMIT_SHARE = 0.03
TURNS = 7  # of the solver, traced and untraced
LEVELS = {"mpi-io": ("mpi-io",), "all": ("mpi-io", "mpi", "posix")}


def measure(command: list[str], environment: dict[str, str], *, repeats: int) -> float:
    """The least nanoseconds a write over `repeats` runs."""
    found = []
    for _ in range(repeats):
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found.append(float(ran.stdout.split()[-1]))
    return min(found)


def main(writes: int = 1_000_000) -> int:
    from mpi_libraries import MPIS, PROGRAMS
    from striate.record.launch import traced_environment

    compiler = shutil.which("cc")
    found = [mpi for mpi in MPIS.values() if mpi is not None]
    if compiler is None or not found:
        print("no C compiler or no MPI here: nothing measured")
        return 0
    worst = 0.0
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as scratch:
        folder = Path(scratch)
        for mpi in found:
            program = folder / mpi.name
            source = str(PROGRAMS / "writes.c")
            subprocess.run([compiler, "-O2", source, "-o", str(program), *mpi.compile_options], check=True)
            command = mpi.command(1, program, folder / "data", writes)
            plain = measure(command, mpi.environment(), repeats=3)
            for level, levels in LEVELS.items():
                parts = folder / f"{mpi.name}-{level}"
                parts.mkdir()
                environment = mpi.environment() | traced_environment(parts, levels=levels, max_bytes=2**30)
                traced = measure(command, environment, repeats=3)
                kept = (parts / "0.0.events").stat().st_size / writes
                shutil.rmtree(parts)
                worst = max(worst, traced - plain)
                print(
                    f"{mpi.name:15} {level:7} untraced {plain:7.0f} ns, traced {traced:7.0f} ns: "
                    f"ratio {traced / plain:.2f}, difference {traced - plain:5.0f} ns, {kept:.0f} bytes a write"
                )
        worst = max(worst, without_mpi(compiler, folder, writes))
    print(f"worst difference {worst:.0f} ns, allowed {LIMIT_NANOSECONDS:.0f} ns")
    share = solver_share(found[0])
    print(f"share of a Jacobi solver's CPU time {share:.2%}, allowed {LIMIT_SHARE:.0%}")
    return int(worst > LIMIT_NANOSECONDS or share > LIMIT_SHARE)


def without_mpi(compiler: str, folder: Path, calls: int) -> float:
    """The most nanoseconds added to a call of a program without MPI; traced and untraced runs take turns."""
    from mpi_libraries import PROGRAMS
    from striate.record.launch import traced_environment

    program, worst = folder / "plain", 0.0
    subprocess.run([compiler, "-O2", str(PROGRAMS / "plain.c"), "-o", str(program)], check=True)
    for call in ("write", "pwrite", "read", "open"):
        times = min(calls, 20_000) if call == "open" else calls
        command = [str(program), str(folder / "data"), call, str(times)]
        plain, traced = float("inf"), float("inf")
        for _ in range(3):
            parts = folder / "plain-parts"
            parts.mkdir()
            more = traced_environment(parts, levels=LEVELS["all"], max_bytes=2**30)
            plain = min(plain, measure(command, dict(os.environ), repeats=1))
            traced = min(traced, measure(command, os.environ | more, repeats=1))
            shutil.rmtree(parts)
        worst = max(worst, traced - plain)
        print(
            f"{'without MPI':15} {call:7} untraced {plain:7.0f} ns, traced {traced:7.0f} ns: "
            f"ratio {traced / plain:.2f}, difference {traced - plain:5.0f} ns"
        )
    return worst


def solver_share(mpi: Any) -> float:
    """CPU time added to the cheapest ten steps, a checkpoint among them, of one rank with 1 MiB, as a share.

    One rank, so that nobody waits for a neighbour on a busy machine; its calls are recorded all the same. Traced
    and untraced runs take turns, so that both see the same machine.
    """
    from mpi_libraries import PROGRAMS
    from striate.record.launch import traced_environment

    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as scratch:
        folder = Path(scratch)
        command = mpi.command(1, sys.executable, PROGRAMS / "jacobi.py", folder / "field", 128, 1024, 400)
        (folder / "parts").mkdir()
        more = traced_environment(folder / "parts", levels=LEVELS["all"], max_bytes=2**30)
        plain, traced = (float("inf"),) * 2
        for _ in range(TURNS):
            plain = min(plain, measure(command, mpi.environment(), repeats=1))
            traced = min(traced, measure(command, mpi.environment() | more, repeats=1))
        return traced / plain - 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
