"""Kills a rank in the middle of its writes, again and again: `python verification/kill_ranks.py [COUNT]`.

A program of three ranks writes datasets over one another. One rank is killed (SIGKILL) at a random moment; what
is left must be one complete write: all records of one dump, or that dump with its first third changed.
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

PROGRAM = Path(__file__).resolve().parent.parent / "tests" / "mpi" / "programs" / "dumps.py"
RANKS = 3


def kill_once(folder, delay_seconds, victim):
    """Start the program, kill one rank; the mistake that is left, or None."""
    mpiexec = Path(sys.executable).with_name("mpiexec")
    command = [
        str(mpiexec) if mpiexec.exists() else "mpiexec",
        "-n",
        str(RANKS),
        sys.executable,
        str(PROGRAM),
        folder,
    ]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    pids = [int(word) for word in program.stdout.readline().split()]
    if len(pids) != RANKS:
        return "the program did not start"
    time.sleep(delay_seconds)
    os.kill(pids[victim], signal.SIGKILL)
    try:
        program.wait(timeout=30)
    except subprocess.TimeoutExpired:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        program.wait()
    program.stdout.close()
    return mistake(Path(folder) / "dataset")


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
    choose = random.Random(1)
    wrong = 0
    for number in range(count):
        with tempfile.TemporaryDirectory() as folder:
            found = kill_once(folder, choose.uniform(0, 0.3), choose.randrange(RANKS))
        wrong += found is not None
        if found is not None:
            print(f"kill {number}: {found}")
    print(f"{count} kills: {count - wrong} left the old dataset or the new one, {wrong} left something else")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
