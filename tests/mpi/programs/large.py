"""A dataset of more than 2^33 records, of which few are written: `large.py FOLDER SHARE`."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime

WORLD = MPI.COMM_WORLD
RECORDS = 2**33 + 12345
where = np.array([0, 5, 2**31 - 1, 2**31, 2**32 + 7, RECORDS - 1])
with runtime.create(
    WORLD, Path(sys.argv[1]) / "large", (RECORDS,), "u1", share_memory=sys.argv[2] == "shared"
) as dataset:
    dataset.write_all(where, np.arange(6, dtype="u1") + np.uint8(10 * WORLD.rank))
    last = 10 * (WORLD.size - 1)
    assert dataset.read_all(where[::-1]).tolist() == [last + 5 - k for k in range(6)]
    assert dataset.read_all(where + np.array([1, 1, -1, 1, 1, -1])).tolist() == [0] * 6
    assert dataset.read_all(slice(2**32, 2**32 + 10)).tolist() == [0] * 7 + [last + 4, 0, 0]
if WORLD.rank == 0:
    print("right")
