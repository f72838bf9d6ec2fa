"""The runtime against an older one and against its peers, run in turn: medians of several runs.

    python verification/runtime_turns.py [--before CHECKOUT] [--turns 5] [--quick]

CHECKOUT is a clone of an older commit with an environment of its own (`make .venv/built` there). Of every pattern and
size of benchmarks/runtime.py its `irregular.py` and ours are started in turn. For 80 MB on 4 ranks ROMIO as it comes,
ROMIO tuned and a file per process take part; eight variables of one mesh are timed beside one. A run is the best of a
few writes and reads; the exit status is 1 where an aim is missed. Wants a quiet machine.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OURS, BEFORE = "striate", "striate, before"
SLOWER = (
    1.05  # times the older runtime's median that still counts as equal: medians of equal code differ by this
)
# method -> (best of so many, how many times as fast we must be); file per process may be faster
PEERS = {
    "MPI-IO collective, tuned": (1, 10),
    "MPI-IO collective, default": (1, 30),
    "file per process": (3, 1 / 2),
}
GROUP = 1.15  # times one variable of the same bytes
# pattern, megabytes, ranks, every write ends on the disk
CASES = [
    ("random", 80, 4, False), ("local", 80, 4, False), ("random", 80, 8, False), ("random", 320, 4, False),
    ("random", 320, 8, False), ("random", 80, 4, True),
]  # fmt: skip


def started(checkout, ranks, program, *arguments):
    """The JSON line that a program of a checkout's benchmarks prints."""
    prefix = checkout / ".venv" / "bin"
    with tempfile.TemporaryDirectory(dir=os.environ.get("STRIATE_BENCHMARK_FOLDER")) as folder:
        command = [
            prefix / "mpiexec",
            "-n",
            ranks,
            prefix / "python",
            checkout / "benchmarks" / "programs" / program,
        ]
        words = [str(word) for word in (*command, folder, *arguments)]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            words, stdout=subprocess.PIPE, text=True, env=environment, timeout=900, check=True
        )
    return json.loads(done.stdout.strip().splitlines()[-1])


def irregular(checkout, case, method, repeats):
    pattern, megabytes, ranks, sync = case
    words = (megabytes * 25_000, pattern, method, repeats, "sync" if sync else "nosync")
    return started(checkout, ranks, "irregular.py", *words)


def told(name, runs, other=None):
    """One line of medians, and in brackets the extremes; `other` is what ratios are taken of."""
    line = f"  {name:30}"
    for stage in ("prepare", "write", "read"):
        seconds = [run[stage] for run in runs]
        line += f"{statistics.median(seconds):9.3f} ({min(seconds):.3f}-{max(seconds):.3f})"
        if other is not None:
            line += f" x{ratio(other, runs, stage):5.2f}"
    print(line, flush=True)


def ratio(runs, others, stage):
    return statistics.median(run[stage] for run in others) / statistics.median(run[stage] for run in runs)


def judged(case, before, turns):
    """Runs of one case in turn; what was missed."""
    pattern, megabytes, ranks, sync = case
    print(f"\n{pattern} mesh, {megabytes} MB, {ranks} ranks{', fsync' if sync else ''}", flush=True)
    starts = {OURS: lambda: irregular(ROOT, case, "striate", 3)}
    if before is not None:
        starts[BEFORE] = lambda: irregular(before, case, "striate", 3)
    for name, (repeats, _) in PEERS.items() if case == CASES[0] else ():
        starts[name] = lambda name=name, repeats=repeats: irregular(ROOT, case, name, repeats)
    runs = {name: [] for name in starts}
    for turn in range(turns):
        order = list(starts) if turn % 2 == 0 else list(starts)[::-1]
        for name in order:
            runs[name].append(starts[name]())
    missed = []
    for name, found in runs.items():
        told(name, found, None if name == OURS else runs[OURS])
        least = PEERS[name][1] if name in PEERS else 1 / SLOWER
        for stage in ("write", "read") if name != OURS else ():
            times = ratio(runs[OURS], found, stage)
            if times < least:
                missed.append(f"{stage}: {times:.2f} times as fast as {name}, wanted {least:.2f}")
    return missed


def group(turns):
    """Eight variables of one mesh in times of one of the same bytes: rows eight wide, and eight times as many rows."""
    print("\neight variables of one mesh, 4 ranks", flush=True)
    found = [started(ROOT, 4, "group.py", 500_000, 10) for _ in range(turns)]
    missed = []
    for name in ("times_wide", "times_long"):
        times = sorted(run[name] for run in found)
        print(f"  {name}: {statistics.median(times):.2f} ({times[0]:.2f}-{times[-1]:.2f})", flush=True)
        if statistics.median(times) > GROUP:
            missed.append(f"{name}: {statistics.median(times):.2f}, wanted at most {GROUP}")
    return missed


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, help="a checkout of the older runtime")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="80 MB on 4 ranks alone")
    asked = parser.parse_args(arguments)
    before = asked.before and asked.before.resolve()
    missed = [
        one for case in CASES[: 1 if asked.quick else None] for one in judged(case, before, asked.turns)
    ]
    missed += group(asked.turns)
    print("\n" + ("all aims reached" if not missed else "missed:\n  " + "\n  ".join(missed)))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
