"""`striate.runtime` on a practice cluster: its tests on four hosts, and hosts that are killed while they write.

    python verification/lab_runtime.py [tests] [kills [COUNT]]

The programs are those of `tests/mpi`, with one rank per host and all files on GlusterFS. A kill takes a host that has
no disk, so that all bytes can still be read, at a random moment of a program that writes one dataset over another; its
rank is another one every time, the one that commits among them. What is left must be one whole write. A kill takes
about 30 s.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "tests" / "mpi" / "programs"
PFS = "/run/pfs"
RECORDS = "600000"  # of a dump: enough for several rounds of a write between hosts
TESTS = (
    (PROGRAMS / "round_trip.py", "12"),
    (PROGRAMS / "caching.py",),
    (PROGRAMS / "write_behind.py",),
    (PROGRAMS / "handles.py",),
    (PROGRAMS / "compressed.py",),
    (PROGRAMS / "overlap.py",),
    (PROGRAMS / "many_communicators.py",),
    (PROGRAMS / "large.py", "separate"),
    (PROGRAMS / "steps.py", "4", "0"),
    (PROGRAMS / "restart.py", "2"),
)
HISTORIES = ((HERE / "dataset_histories.py", "4", "20"), (HERE / "group_histories.py", "4", "20"))
_JUDGE = """
import sys, pathlib
sys.path.insert(0, sys.argv[1])
import kill_ranks
print(kill_ranks.mistake(pathlib.Path(sys.argv[2])))
"""


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "striate", "lab", *words]


def striate(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), check=check, capture_output=True, text=True)


def test(lab: str) -> int:
    """Every program on four hosts; how many failed."""
    striate("up", "--name", lab, "--hosts=4")
    failed = 0
    try:
        for number, (program, *arguments) in enumerate((*TESTS, *HISTORIES)):
            folder = f"{PFS}/steps" if program.name in ("steps.py", "restart.py") else f"{PFS}/{number}"
            striate("run", "--name", lab, "--", "mkdir", "-p", folder)
            given = arguments if program.parent == HERE else [folder, *arguments]
            began = time.monotonic()
            words = ("env", f"TMPDIR={folder}", sys.executable, str(program), *given)
            ran = striate("run", "--name", lab, "--ranks", "4", "--", *words, check=False)
            failed += ran.returncode != 0
            said = (ran.stdout.strip() or ran.stderr[-1500:]).replace("\n", "; ")
            print(
                f"{program.name}: {'FAILED, ' * (ran.returncode != 0)}{said} ({time.monotonic() - began:.0f} s)",
                flush=True,
            )
    finally:
        striate("down", "--name", lab)
    return failed


def kill(lab: str, rank: int, delay_seconds: float) -> str:
    """One host killed in a write; what is wrong then, or "None"."""
    striate("up", "--name", lab, "--hosts=4", "--servers=3", "--disk-rate=0")
    try:
        hosts = ["h0", "h1", "h2"]
        hosts.insert(rank, "h3")
        launcher = ("mpiexec", "-hosts", ",".join(hosts), "-ppn", "1", "-n", "4")
        program = (sys.executable, str(PROGRAMS / "dumps.py"), PFS, RECORDS)
        with subprocess.Popen(
            command("run", "--name", lab, "--", *launcher, *program),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as running:
            assert running.stdout is not None
            if len(running.stdout.readline().split()) != 4:
                return "the program did not start"
            time.sleep(delay_seconds)
            striate("break", "host", "h3", "--name", lab)
            try:
                running.wait(timeout=30)
            except subprocess.TimeoutExpired:
                running.terminate()  # ranks may wait for one that is gone
        judge = (sys.executable, "-c", _JUDGE, str(HERE), f"{PFS}/dataset")
        return striate("run", "--name", lab, "--", *judge).stdout.strip()
    finally:
        striate("down", "--name", lab)


def main(arguments: list[str]) -> int:
    lab, wrong = f"runtime-{os.getpid()}", 0
    if not arguments or "tests" in arguments:
        wrong += test(lab)
    if not arguments or "kills" in arguments:
        count = int(arguments[-1]) if arguments and arguments[-1].isdigit() else 4
        draw = random.Random(time.time_ns())
        for number in range(count):
            delay = draw.uniform(0, 3)
            found = kill(lab, number % 4, delay)
            wrong += found != "None"
            print(f"host of rank {number % 4} killed after {delay:.2f} s: mistake {found}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
