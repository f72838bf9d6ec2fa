"""Rank 0 polls for a message that comes after 200 ms, then for one during which it computes between tests."""

import time

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
LATE = 0.2  # seconds
content = np.zeros(8)


def compute(seconds):
    """CPU time between two tests, as a program that overlaps its communication spends it."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


for tag, between in ((1, lambda: time.sleep(0.0001)), (2, lambda: compute(0.02))):
    world.Barrier()
    if world.rank == 1:
        time.sleep(LATE)
        world.Send(content, dest=0, tag=tag)
    if world.rank == 0:
        request = world.Irecv(content, source=1, tag=tag)
        while not request.Test():
            between()
