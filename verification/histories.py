"""What the random histories of datasets and of groups share: teams of ranks, numbers to write, and the main loop.

    python verification/histories.py 2000 50     # histories of both kinds in all, steps of each

plays blocks of them under mpiexec, datasets and groups in turn, on 4, 3, 2 and 1 ranks, and counts the differences.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from itertools import cycle, product
from pathlib import Path

import numpy as np

from striate.runtime.store import lock

KINDS = ("dataset_histories.py", "group_histories.py")
BLOCK = 25  # histories of one start of mpiexec
YIELDING = {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}  # ranks that wait leave the CPU to those that do not


class DifferenceError(AssertionError):
    """The dataset is not what memory says."""


def values(choose, shape, kind):
    """Small whole numbers, whose sums are exact in any type."""
    array = np.zeros(shape, kind)
    numbers = [choose.randint(-99, 99) for _ in range(8)]
    for field in [array[name] for name in kind.names] if kind.names else [array]:
        field[...] = np.resize(numbers, field.shape)
    return array


def places(choose, rows, ranks, most):
    """For each rank some rows, in any order, and the same ones twice as well."""
    counts = [choose.randint(0, most) for _ in range(ranks)]
    return [np.array([choose.randrange(rows) for _ in range(count)], np.int64) for count in counts]


def same(found, wanted, what):
    if found.dtype != wanted.dtype or found.shape != wanted.shape or not np.array_equal(found, wanted):
        raise DifferenceError(f"{what}: the dataset differs from the array")


def lose_lock(session):
    """The kernel takes the lock of a killed process back."""
    held, session.lock = session.lock, None
    if held is not None and lock._taken.pop(held.key, None) is not None:
        lock.os.close(held.descriptor)


def play(history, teams, rank, choose, steps):
    """One history in a folder of its own; raises DifferenceError."""
    comm = teams[-1]
    folder = tempfile.mkdtemp() if rank == 0 else None
    folder = comm.bcast(folder) if comm is not None else folder
    try:
        history(teams, rank, choose, Path(folder) / "dataset").play(steps)
        if comm is not None:
            comm.Barrier()
    finally:
        if rank == 0:
            shutil.rmtree(folder, ignore_errors=True)


def teams_of_ranks():
    """The communicators of the lowest 1, 2, ... ranks, and our rank; [None] without MPI or on one rank."""
    try:
        from mpi4py import MPI
    except ImportError:
        return [None], 0
    world = MPI.COMM_WORLD
    teams = [world.Create(world.group.Incl(range(size + 1))) for size in range(world.size)]
    return (teams if world.size > 1 else [None]), world.rank


def main(history, arguments):
    """HISTORIES STEPS [FIRST_SEED]: plays them all; the seed of a difference brings it back."""
    count, steps, first = (int(word) for word in (*arguments, *("200", "50", "0")[len(arguments) :])[:3])
    teams, rank = teams_of_ranks()
    for seed in range(first, first + count):
        try:
            play(history, teams, rank, random.Random(seed), steps)
        except Exception as error:
            print(f"history {seed}, rank {rank}: {type(error).__name__}: {error}", flush=True)
            if teams[-1] is not None:
                teams[-1].Abort(1)
            return 1
    if rank == 0:
        print(f"{count} histories of {steps} steps on 1 to {len(teams)} ranks: 0 differences")
    return 0


def play_blocks(count, steps, first):
    """Play `count` histories in blocks, each kind on each number of ranks in turn; the exit status."""
    here, python = Path(__file__).resolve().parent, Path(sys.executable)
    seed, broken = first, 0
    for ranks, kind in cycle(product((4, 3, 2, 1), KINDS)):
        block = min(BLOCK, first + count - seed)
        if block <= 0:
            break
        start = [str(python.with_name("mpiexec")), "-n", str(ranks), str(python), str(here / kind)]
        done = subprocess.run(
            [*start, *map(str, (block, steps, seed))], env=os.environ | YIELDING, check=False
        )
        broken += done.returncode != 0
        seed += block
        print(f"{seed - first} played, blocks with a difference: {broken}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(play_blocks(*(int(word) for word in (*words, *("2000", "50", "0")[len(words) :])[:3])))
