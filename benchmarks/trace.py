"""What tracing costs: nanoseconds added to a 512-byte MPI-IO write in C, and bytes kept an operation.

Run alone: `python benchmarks/trace.py [WRITES]`; exits with 1 when the cost is above 1 microsecond an operation.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
LIMIT_NANOSECONDS = 1000.0
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
    from striate.trace.launch import traced_environment

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
    print(f"worst difference {worst:.0f} ns, allowed {LIMIT_NANOSECONDS:.0f} ns")
    return int(worst > LIMIT_NANOSECONDS)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
