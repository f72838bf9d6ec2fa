"""Compressed chunks reach the server through memory that the ranks share: `compressed.py FOLDER`."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime

WORLD = MPI.COMM_WORLD
NOISE = np.random.default_rng(1).integers(0, 256, 60_000).astype("u1")  # becomes longer when it is compressed


def messages_of(name, values):
    """What a write by one server sent; the dataset is compared with `values`."""
    mine = np.arange(WORLD.rank, len(values), WORLD.size)
    path = Path(sys.argv[1]) / name
    with runtime.create(
        WORLD, path, values.shape, values.dtype, servers=[1], codec="zlib", chunk=4000
    ) as dataset:
        report = dataset.write_all(mine, values[mine])
        assert np.array_equal(dataset.read_all(mine), values[mine])
    with runtime.open_serial(path) as serial:
        assert np.array_equal(serial[...], values)
    return WORLD.allreduce(report.messages)


smooth, noise = messages_of("smooth", np.arange(30_000) // 100), messages_of("noise", NOISE)
if WORLD.rank == 0:
    print(f"{smooth} messages for what became smaller, {'some' if noise else 'no'} messages for noise")
