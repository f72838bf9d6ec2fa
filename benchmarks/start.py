"""How quickly the command and the package start: CPU seconds of a whole process, after a first run."""

import resource
import subprocess
import sys
from pathlib import Path

TARGET_SECONDS = 0.25
COMMAND = Path(sys.executable).with_name("striate")


def cpu_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best_of(command: list[str], tries: int = 5) -> float:
    cpu_seconds(command)  # the first run fills the caches
    return min(cpu_seconds(command) for _ in range(tries))


def main() -> int:
    bare = best_of([sys.executable, "-c", "pass"])
    missed = 0
    for label, command in (
        ("striate --help", [str(COMMAND), "--help"]),
        ("import striate", [sys.executable, "-c", "import striate"]),
    ):
        spent = best_of(command)
        missed += spent > TARGET_SECONDS
        ratio = spent / bare
        print(
            f"{label:16s} {spent:.3f} s of CPU (at most {TARGET_SECONDS}); bare Python {bare:.3f} s, x {ratio:.1f}"
        )
    return missed


if __name__ == "__main__":
    sys.exit(main())
