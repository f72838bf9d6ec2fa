"""Kills a rank in the middle of its writes, again and again: `python verification/kill_ranks.py [COUNT [SEED]]`.

A program of three ranks writes datasets over one another, in the background as well, and every other time the steps of
a group, rows and lists. One rank is killed (SIGKILL) at a random moment; what is left must be one complete write - all
records of one dump, or that dump with its first third changed - or whole steps, and the next writer can go on.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import striate.runtime as runtime
from striate.runtime.check import verify

PROGRAMS = Path(__file__).resolve().parent.parent / "tests" / "mpi" / "programs"
DUMPS, STEPS = ["dumps.py"], ["steps.py", "100000", "5", "pids"]
RANKS = 3


def kill_once(folder, delay_seconds, victim, program=DUMPS):
    """Start the program, kill one rank; the mistake that is left, or None."""
    name, *arguments = program
    mpiexec = Path(sys.executable).with_name("mpiexec")
    command = [
        str(mpiexec) if mpiexec.exists() else "mpiexec",
        "-n",
        str(RANKS),
        sys.executable,
        str(PROGRAMS / name),
        folder,
        *arguments,
    ]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    pids = [int(word) for word in running.stdout.readline().split()]
    if len(pids) != RANKS:
        return "the program did not start"
    time.sleep(delay_seconds)
    os.kill(pids[victim], signal.SIGKILL)
    try:
        running.wait(timeout=30)
    except subprocess.TimeoutExpired:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        running.wait()
    running.stdout.close()
    return mistake(Path(folder) / "dataset") if program == DUMPS else mistake_of_steps(Path(folder) / "run")


def mistake_of_steps(path):
    """What is wrong with the group, or None: every step is whole, and another can be appended."""
    if findings := verify(path).findings:
        return findings[0]
    with runtime.open_group(None, path) as group:
        for step in group.steps:
            for name in ("pressure", "velocity", "temperature"):
                if (values := np.unique(group.read_all(name, step=step))).tolist() != [step]:
                    return f"a torn step {step}: {values.tolist()}"
            lists = group.read_all("marks", step=step)
            lengths = (np.arange(group.dimensions["node"]) + step) % 3
            if not np.array_equal(lists.counts, lengths) or (lists.values != step).any():
                return f"torn lists of step {step}"
        rows = group.dimensions["node"]
        group.append_all(slice(None), {"pressure": np.zeros(rows)}, time=0)
    notes = verify(path).notes
    return notes[0] if notes else None


def mistake(path):
    """What is wrong with the dataset, or None: it is one whole write."""
    if findings := verify(path).findings:
        return findings[0]
    with runtime.open_serial(path) as dataset:
        values = dataset[...]
    third, rest = np.unique(values[: len(values) // 3]), np.unique(values[len(values) // 3 :])
    whole = len(third) == len(rest) == 1 and rest[0] % 2 == 0 and third[0] in (rest[0], rest[0] + 1)
    return None if whole else f"a mixture of dumps: {third.tolist()} and {rest.tolist()}"


def main(arguments):
    count = int(arguments[0]) if arguments else 200
    choose = random.Random(int(arguments[1]) if len(arguments) > 1 else 1)
    wrong = 0
    for number in range(count):
        with tempfile.TemporaryDirectory() as folder:
            program = (DUMPS, STEPS)[number % 2]
            found = kill_once(folder, choose.uniform(0, 0.3), choose.randrange(RANKS), program)
        wrong += found is not None
        if found is not None:
            print(f"kill {number}: {found}")
    print(f"{count} kills: {count - wrong} left whole writes, {wrong} left something else")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
