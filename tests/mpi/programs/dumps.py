"""Writes the same records over and over until it is killed: `dumps.py FOLDER [RECORDS]`; prints process ids first."""

import os
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime

WORLD = MPI.COMM_WORLD
RECORDS = int(sys.argv[2]) if len(sys.argv) > 2 else 60_000
path = Path(sys.argv[1]) / "dataset"
pids = WORLD.gather(os.getpid())
mine = np.random.default_rng(WORLD.rank).permutation(RECORDS)[: RECORDS // 2]
mine = np.concatenate([mine, np.arange(WORLD.rank, RECORDS, WORLD.size)])
dump = 0
while True:
    # A new dataset over the old one, then a change to a part of it: each write is all or nothing.
    with runtime.create(WORLD, path, (RECORDS,), "i8", servers=2, group_factor=2, chunk="16 KiB") as dataset:
        dataset.write_all(mine, np.full(len(mine), 2 * dump))
        if dump == 0 and WORLD.rank == 0:
            print(*pids, flush=True)
        part = np.arange(WORLD.rank, RECORDS // 3, WORLD.size)
        changing = dataset.iwrite_all(part, np.full(len(part), 2 * dump + 1))  # goes on behind our back
        changing.wait()
    dump += 1
