"""An mpi4py program that is not changed, on ranks that are not there: pi by the rectangle rule, on 4 and on 64 ranks.

From a terminal: striate simulate pi.py westmere --ranks 64
"""

from pathlib import Path

import striate
from striate.simulate import record_program

PROGRAM = """
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
steps = 1_000_000
mine = (np.arange(comm.rank, steps, comm.size) + 0.5) / steps
pi = comm.reduce(float((4 / (1 + mine**2)).sum()) / steps, op=MPI.SUM)
if comm.rank == 0:
    print(f"pi = {pi:.9f} on {comm.size} ranks", flush=True)
"""

path = Path("pi.py")
path.write_text(PROGRAM)
cluster = striate.load_cluster("westmere")
for ranks in (4, 64):
    # 100 ms of computing in all, half of it before the only call; without `compute` it would be measured.
    workload = record_program(path, cluster, ranks=ranks, compute=0.05 / ranks)
    forecast = striate.predict(workload, cluster, rung="fine", exact=True)
    print(f"simulated: {forecast.seconds.estimate * 1e3:.2f} ms", flush=True)
