"""Ten runs of IOR on this machine against forecasts of the same command lines on the probed machine.

    python verification/ior_runs.py /path/to/ior CLUSTER.toml [--runs 5] [--launcher "mpirun --oversubscribe"]

CLUSTER.toml is this machine as `striate probe` describes it. Every line is forecast first, then the lines are run in
turn in a scratch folder; a run's time is the sum of the totals that IOR prints of its writes and reads. The median run
is held against the 80 % range. 768 MiB of memory are made ready before every run, and forecasts take so much as at
hand: where a host takes free memory of a virtual machine back, a run right after another one is up to five times as
fast as one after a pause. Wants a quiet machine.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from striate.apps.run import READY_BYTES
from striate.cluster import load_cluster
from striate.cluster.fresh_memory import made_ready
from striate.importers.kinds import from_command_line
from striate.ladder import predict
from striate.probe.ready_memory import ready_memory

LINES = (
    (1, "ior -w -t 1m -b 64m -e"),
    (2, "ior -w -t 1m -b 64m -e -F"),
    (2, "ior -w -t 1m -b 64m -e"),
    (2, "ior -w -r -t 1m -b 64m"),
    (2, "ior -w -r -t 64k -b 16m -s 4 -F"),
    (2, "ior -w -r -t 4k -b 4m -s 4"),
    (1, "ior -w -r -t 256k -b 128m"),
    (2, "ior -w -t 16k -b 8m -s 4 -e -F"),
    (2, "ior -a MPIIO -w -r -t 1m -b 32m -s 2"),
    (2, "ior -w -t 1m -b 4m -s 4 -Y -F"),
)


def measured(ior, launcher, ranks, line):
    """Seconds of the accesses of one run, as IOR prints them."""
    with tempfile.TemporaryDirectory() as folder:
        ready_memory(Path(folder) / "ready", READY_BYTES)
        told = Path(folder) / "told.json"
        options = ["-O", f"summaryFile={told}", "-O", "summaryFormat=JSON", "-o", f"{folder}/test"]
        command = [*launcher.split(), "-n", str(ranks), ior, *line.split()[1:], *options]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        (test,) = json.loads(told.read_text())["tests"]
        return sum(float(access["totalTime"]) for access in test["Results"])


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ior")
    parser.add_argument("cluster", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--launcher", default="mpirun --allow-run-as-root --oversubscribe")
    asked = parser.parse_args(arguments)
    machine = made_ready(load_cluster(asked.cluster), READY_BYTES)
    forecasts = [predict(from_command_line(line, ranks), machine).seconds for ranks, line in LINES]
    found = [[] for _ in LINES]
    for _ in range(asked.runs):
        for seconds, (ranks, line) in zip(found, LINES, strict=True):
            seconds.append(measured(asked.ior, asked.launcher, ranks, line))
    errors, inside = [], 0
    for (ranks, line), said, seconds in zip(LINES, forecasts, found, strict=True):
        middle = statistics.median(seconds)
        errors.append(abs(said.estimate / middle - 1))
        inside += middle in said
        spread = f"{middle:.3f} s ({min(seconds):.3f}-{max(seconds):.3f})"
        place = "inside" if middle in said else "outside"
        forecast = f"{said.estimate:.3f} s ({said.low:.3f}-{said.high:.3f})"
        print(f"{ranks} x {line:42} measured {spread}, forecast {forecast}, {place}")
    print(f"{inside} of {len(LINES)} inside, median error {statistics.median(errors):.1%}")
    return 0 if inside >= 0.7 * len(LINES) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
