"""The same steps by parallel HDF5 (h5py of Debian's python3-h5py-mpi): `with_hdf5.py PATH NODES STEPS`.

Each rank selects its nodes as points of a row, in any order, and writes them collectively; every step is flushed.
"""

import importlib
import os
import sys
import time

import numpy as np
from mpi4py import MPI

try:
    h5py = importlib.import_module("h5py._debian_h5py_mpi")
except ImportError:
    h5py = importlib.import_module("h5py")

WORLD = MPI.COMM_WORLD
path, nodes, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ours = np.array_split(np.random.default_rng(7).permutation(nodes), WORLD.size)[WORLD.rank]
pids = WORLD.gather(os.getpid())
if WORLD.rank == 0:
    print(*pids, flush=True)
WORLD.Barrier()
begun = time.perf_counter()

# --- the library's part
with h5py.File(path, "w", driver="mpio", comm=WORLD) as file:
    chunk = (1, max(1, nodes // 16))
    field = file.create_dataset("field", (0, nodes), "f8", maxshape=(None, nodes), chunks=chunk)
    field.attrs["units"] = "K"
    together = h5py.h5p.create(h5py.h5p.DATASET_XFER)
    together.set_dxpl_mpio(h5py.h5fd.MPIO_COLLECTIVE)
    memory = h5py.h5s.create_simple((len(ours),))
    points = np.zeros((len(ours), 2), np.uint64)
    points[:, 1] = ours
    for step in range(steps):
        field.resize(step + 1, axis=0)
        points[:, 0] = step
        place = field.id.get_space()
        place.select_elements(points)
        field.id.write(memory, place, np.full(len(ours), float(step)), dxpl=together)
        file.flush()
# --- end

if WORLD.rank == 0:
    print(time.perf_counter() - begun)
