"""Each rank reads alone, on its host, what all have just written: `read_after_close.py FOLDER`."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime
from striate.errors import StriateError

WORLD = MPI.COMM_WORLD
PLACE, TIMES, EACH = Path(sys.argv[1]) / "dataset", 6, 100


def alone():
    try:
        with runtime.open_serial(PLACE) as dataset:
            return dataset[...]
    except StriateError as error:
        return str(error)


mine = slice(WORLD.rank * EACH, (WORLD.rank + 1) * EACH)
late = 0
runtime.create(WORLD, PLACE, (WORLD.size * EACH,), np.int64).close()
for time in range(TIMES):
    with runtime.open(WORLD, PLACE) as dataset:
        dataset.write_all(mine, np.full(EACH, time))
    late += not np.array_equal(alone(), np.full(WORLD.size * EACH, time))
late = WORLD.allreduce(late)
if WORLD.rank == 0:
    print(f"{late} of {WORLD.size * TIMES} reads were late")
sys.exit(bool(late))
