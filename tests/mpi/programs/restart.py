"""Going on with a run of steps on another number of ranks: `restart.py FOLDER STEP`."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime

WORLD = MPI.COMM_WORLD
step = int(sys.argv[2])
with runtime.open_group(WORLD, Path(sys.argv[1]) / "run") as group:
    rows = np.arange(WORLD.rank, group.dimensions["node"], WORLD.size)
    nodes = group.schedule("node", rows)
    pressure, velocity = (group.read_all(name, nodes, step=step) for name in ("pressure", "velocity"))
    same = (pressure == step).all() and (velocity == step).all() and len(pressure) == len(rows)
    assert WORLD.allreduce(0 if same else 1) == 0
    group.append_all(nodes, {"pressure": pressure + 1000, "velocity": velocity}, time=99)
    assert (group.read_all("pressure", nodes) == step + 1000).all()
    last = group.steps[-1]
if WORLD.rank == 0:
    print(f"step {last} written after step {step}")
