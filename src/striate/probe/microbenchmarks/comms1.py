"""COMMS1-like: a message thrown to and fro between two ranks, for start-up and transfer rate."""

from __future__ import annotations

from typing import Any

import numpy as np

from striate.queueing.curves import Floats

SIZES = 4 ** np.arange(0, 12)  # 1 B to 4 MiB


def one_way_samples(comm: Any, size_bytes: int, rounds: int, *, partner: int = 1) -> Floats:
    """Half of every round trip between rank 0 and `partner`; meaningful on rank 0."""
    from mpi4py import MPI

    here, there = np.zeros(size_bytes, dtype=np.uint8), np.zeros(size_bytes, dtype=np.uint8)
    halves = np.empty(rounds)
    for lap in range(rounds):
        before = MPI.Wtime()
        if comm.rank == 0:
            comm.Send(here, dest=partner)
            comm.Recv(there, source=partner)
        elif comm.rank == partner:
            comm.Recv(there, source=0)
            comm.Send(here, dest=0)
        halves[lap] = (MPI.Wtime() - before) / 2
    return halves


def ping_pong(comm: Any, *, rounds: int) -> tuple[Floats, Floats]:
    """Sizes in bytes and one-way seconds, on rank 0."""
    comm.Barrier()
    seconds = [float(one_way_samples(comm, int(size), rounds).min()) for size in SIZES]
    comm.Barrier()
    return SIZES.astype(np.float64), np.array(seconds)
