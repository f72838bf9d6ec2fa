"""A small Jacobi solver for real: strips of a grid, edges swapped with neighbours, checkpoints into one file.

Usage: jacobi.py FILE [ROWS COLUMNS STEPS]; prints the nanoseconds of CPU time of rank 0's cheapest ten steps.
"""

import sys
from time import process_time_ns

import numpy as np
from mpi4py import MPI

import striate

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
rows, columns, steps = map(int, sys.argv[2:5]) if len(sys.argv) > 2 else (64, 256, 40)
grid = np.zeros((rows + 2, columns))
grid[:, 0] = rank + 1.0
above = rank - 1 if rank > 0 else MPI.PROC_NULL
below = rank + 1 if rank < size - 1 else MPI.PROC_NULL
file = MPI.File.Open(world, sys.argv[1], MPI.MODE_CREATE | MPI.MODE_WRONLY)
best, began = 2**62, process_time_ns()
for step in range(steps):
    with striate.region("swap"):
        world.Sendrecv(grid[1], above, 1, grid[-1], below, 1)
        world.Sendrecv(grid[-2], below, 2, grid[0], above, 2)
    with striate.region("sweep"):
        grid[1:-1, 1:-1] = (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]) / 4
        change = np.array([abs(grid).max()])
        world.Allreduce(MPI.IN_PLACE, change, MPI.MAX)
    if step % 10 == 9:
        with striate.region("checkpoint"):
            at = ((step // 10) * size + rank) * rows * columns * 8
            file.Write_at_all(at, grid[1:-1])
        best, began = min(best, process_time_ns() - began), process_time_ns()
file.Close()
if rank == 0:
    print(best)
