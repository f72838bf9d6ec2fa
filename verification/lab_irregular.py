"""An irregular write on a practice cluster: the runtime beside ROMIO, a gather, and a file per process.

    python verification/lab_irregular.py [REPEATS [WAY...]]

Four hosts, links of 400 Mbit/s, disks of 40 MB/s, shards of 4 MiB: 20 MB in 2.5 million records of 8 bytes, in random
order, made durable. Prints medians and the fastest of each way (`programs/irregular_write.py`). The aim: all of the
runtime, from `create` to `close`, in at most 0.45 s. Needs root, and two CPUs that nobody else uses.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

PROGRAM = Path(__file__).resolve().parent / "programs" / "irregular_write.py"
WAYS = ("runtime", "runtime, 1 server", "runtime, group factor 4", "file per process", "ROMIO", "gather")
AIM = 0.45


def striate(*words: str) -> str:
    command = [sys.executable, "-m", "striate", *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def measure(repeats: str, ways: tuple[str, ...]) -> list[dict[str, float | str]]:
    name = f"irregular-{os.getpid()}"
    striate("lab", "up", "--name", name, "--hosts=4")
    try:
        program = (sys.executable, str(PROGRAM), "/run/pfs", repeats, *ways)
        said = striate("lab", "run", "--name", name, "--ranks", "4", "--", *program)
    finally:
        striate("lab", "down", "--name", name)
    return [json.loads(line) for line in said.splitlines()]


def main() -> int:
    repeats, ways = (*sys.argv[1:2], "9")[0], tuple(sys.argv[2:]) or WAYS
    runs = measure(repeats, ways)
    medians = {}
    for way in ways:
        mine = [run for run in runs if run["way"] == way][1:]  # the first one warms up
        found = {name: [float(run[name]) for run in mine] for name in mine[0] if name != "way"}
        medians[way] = median(found["total"])
        print(
            f"{way}: median {medians[way]:.3f} s, from {min(found['total']):.3f} to {max(found['total']):.3f}"
        )
        spent = [f"{name} {median(values):.3f}" for name, values in found.items() if median(values) >= 5e-4]
        print("   ", ", ".join(spent))
    return 0 if medians.get("runtime", 0.0) <= AIM else 3


if __name__ == "__main__":
    sys.exit(main())
