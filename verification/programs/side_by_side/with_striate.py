"""Steps of a field on an unstructured mesh, by `striate.runtime`: `with_striate.py PATH NODES STEPS`."""

import os
import sys
import time

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime
from striate.runtime import Variable

WORLD = MPI.COMM_WORLD
path, nodes, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ours = np.array_split(np.random.default_rng(7).permutation(nodes), WORLD.size)[WORLD.rank]
pids = WORLD.gather(os.getpid())
if WORLD.rank == 0:
    print(*pids, flush=True)
WORLD.Barrier()
begun = time.perf_counter()

# --- the library's part
group = runtime.create_group(
    WORLD,
    path,
    dimensions={"time": None, "node": nodes},
    variables={"field": Variable("f8", ("time", "node"), units="K")},
    sync=True,
)
with group:
    places = group.schedule("node", ours)
    for step in range(steps):
        group.append_all(places, {"field": np.full(len(ours), float(step))})
# --- end

if WORLD.rank == 0:
    print(time.perf_counter() - begun)
