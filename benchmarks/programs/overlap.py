"""How much of a write and a read is hidden behind computing: `mpiexec ... overlap.py FOLDER MEGABYTES REPEATS [sync]`.

Each rank computes about as long as the write takes (products of matrices, in one thread), with the write before it and
behind it, in turn. Prints one JSON line: median seconds, and the part of the operation that took no time of its own.
With as many ranks as cores nothing is spare: the work of the thread is then taken from the computing. With `sync` each
write is flushed to the disk, and that wait can be hidden on busy cores too.
"""

import json
import os
import shutil
import statistics
import sys
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime

WORLD = MPI.COMM_WORLD
MATRIX = np.ones((200, 200))


def compute(products):
    for _ in range(products):
        MATRIX @ MATRIX


def timed(act):
    WORLD.Barrier()
    begin = time.perf_counter()
    act()
    WORLD.Barrier()
    return WORLD.allreduce(time.perf_counter() - begin, MPI.MAX)


def hidden(plain, begun, repeats):
    """Seconds of the operation alone, of computing alone, and of both together; the part that was hidden."""
    alone = statistics.median(timed(plain) for _ in range(repeats))
    products = max(1, round(alone / (timed(lambda: compute(20)) / 20)))
    computing, together = [], []

    def both():
        pending = begun()
        compute(products)
        pending.wait()

    both()  # the thread and its communicator are made once
    for _ in range(repeats):
        computing.append(timed(lambda: compute(products)))
        together.append(timed(both))
    computed, joint = statistics.median(computing), statistics.median(together)
    part = (alone + computed - joint) / alone
    return {"alone": alone, "computing": computed, "together": joint, "hidden": part}


def main(folder, megabytes, repeats, sync):
    rows = megabytes * 10**6 // 40
    mine = np.array_split(np.random.default_rng(1).permutation(rows), WORLD.size)[WORLD.rank]
    with runtime.create(WORLD, folder / "d", (rows,), np.dtype((np.void, 40)), sync=sync) as dataset:
        schedule = dataset.schedule(mine)
        records = np.zeros(len(mine), dataset.dtype)
        found = {
            "write": hidden(
                lambda: dataset.write_all(schedule, records),
                lambda: dataset.iwrite_all(schedule, records),
                repeats,
            ),
            "read": hidden(
                lambda: dataset.read_all(schedule, out=records),
                lambda: dataset.iread_all(schedule, out=records),
                repeats,
            ),
        }
    if WORLD.rank == 0:
        print(json.dumps({"ranks": WORLD.size, "cores": os.cpu_count()} | found))
        shutil.rmtree(folder / "d")


main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] == ["sync"])
