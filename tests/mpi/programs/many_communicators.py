"""Communicators made, used and freed, more of them than MPI has numbers for: `many_communicators.py FOLDER`."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime

path = Path(sys.argv[1])
for number in range(1100):
    part = MPI.COMM_WORLD.Dup()
    if number % 100 == 0:
        with runtime.create(part, path / "dataset", (10,), "i8") as dataset:
            dataset.write_all(np.arange(10), np.arange(10) + number)
    else:
        runtime.create(part, path / "dataset", (10,), "i8")
    part.Free()
try:
    with runtime.create(MPI.COMM_WORLD, path / "dataset", (10,), "i8") as dataset:
        dataset.iwrite_all(np.arange(10), np.arange(10))
        raise KeyError
except KeyError:
    pass
MPI.COMM_WORLD.Barrier()
with runtime.open(MPI.COMM_WORLD, path / "dataset") as dataset:
    assert dataset.read_all([0, 9]).tolist() == [1000, 1009]
if MPI.COMM_WORLD.rank == 0:
    print("all freed")
