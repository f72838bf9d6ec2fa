"""COMMS3-like: every rank sends to every other at once, for the network's saturation bandwidth."""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = 4 ** np.arange(6, 11)  # 4 KiB to 1 MiB


def exchange_seconds(comm: Any, size_bytes: int, rounds: int) -> float:
    """The best time, on the slowest rank, for all messages of one exchange to arrive."""
    from mpi4py import MPI

    others = [rank for rank in range(comm.size) if rank != comm.rank]
    outgoing = np.zeros(size_bytes, dtype=np.uint8)
    incoming = np.zeros((comm.size, size_bytes), dtype=np.uint8)
    best = np.inf
    for _ in range(rounds):
        comm.Barrier()
        before = MPI.Wtime()
        requests = [comm.Irecv(incoming[rank], source=rank) for rank in others]
        requests += [comm.Isend(outgoing, dest=rank) for rank in others]
        MPI.Request.Waitall(requests)
        best = min(best, comm.allreduce(MPI.Wtime() - before, op=MPI.MAX))
    return float(best)


def saturation_bytes_per_second(comm: Any, *, rounds: int) -> float:
    """The largest sum of bytes per second over all sizes tried."""
    messages = comm.size * (comm.size - 1)
    rates = [messages * int(size) / exchange_seconds(comm, int(size), rounds) for size in SIZES]
    return float(max(rates))
