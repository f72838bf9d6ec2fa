"""COMMS1-like: a message thrown to and fro between two ranks, for start-up and transfer rate."""

from __future__ import annotations

from typing import Any

import numpy as np

from striate.queueing.curves import Floats

SIZES = 4 ** np.arange(0, 12)  # 1 B to 4 MiB


def one_way_seconds(comm: Any, size_bytes: int, rounds: int) -> float:
    """Half the best round trip between ranks 0 and 1; meaningful on rank 0."""
    from mpi4py import MPI

    here, there = np.zeros(size_bytes, dtype=np.uint8), np.zeros(size_bytes, dtype=np.uint8)
    best = np.inf
    for _ in range(rounds):
        before = MPI.Wtime()
        if comm.rank == 0:
            comm.Send(here, dest=1)
            comm.Recv(there, source=1)
        elif comm.rank == 1:
            comm.Recv(there, source=0)
            comm.Send(here, dest=0)
        best = min(best, MPI.Wtime() - before)
    return float(best / 2)


def ping_pong(comm: Any, *, rounds: int) -> tuple[Floats, Floats]:
    """Sizes in bytes and one-way seconds, on rank 0."""
    comm.Barrier()
    seconds = [one_way_seconds(comm, int(size), rounds) for size in SIZES]
    comm.Barrier()
    return SIZES.astype(np.float64), np.array(seconds)
