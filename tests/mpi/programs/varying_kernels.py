"""Collectives whose parts differ by rank, performed as `striate validate` does: `varying_kernels.py FOLDER`."""

import sys
from pathlib import Path

from mpi4py import MPI

from striate.apps.kernels.perform import Performer
from striate.apps.kernels.registry import chosen

WORLD = MPI.COMM_WORLD
for name in ("gatherv", "scatterv", "allgatherv", "alltoallv"):
    kernel, values = chosen(name, {"size": "64 KiB"})
    Performer(WORLD, Path(sys.argv[1]), kernel(WORLD.rank, WORLD.size, **values), {}).run()
if WORLD.rank == 0:
    print("all performed")
