"""COMMS3-like: every rank sends to every other at once, for the network's saturation bandwidth."""

from __future__ import annotations

from typing import Any

import numpy as np

from striate.queueing.curves import Floats

SIZES = 4 ** np.arange(6, 11)  # 4 KiB to 1 MiB


def exchange_samples(comm: Any, size_bytes: int, rounds: int) -> Floats:
    """The times, on the slowest rank, for all messages of one exchange to arrive."""
    from mpi4py import MPI

    others = [rank for rank in range(comm.size) if rank != comm.rank]
    outgoing = np.zeros(size_bytes, dtype=np.uint8)
    incoming = np.zeros((comm.size, size_bytes), dtype=np.uint8)
    times = np.empty(rounds)
    for lap in range(rounds):
        comm.Barrier()
        before = MPI.Wtime()
        requests = [comm.Irecv(incoming[rank], source=rank) for rank in others]
        requests += [comm.Isend(outgoing, dest=rank) for rank in others]
        MPI.Request.Waitall(requests)
        times[lap] = comm.allreduce(MPI.Wtime() - before, op=MPI.MAX)
    return times


def saturation_bytes_per_second(comm: Any, *, rounds: int) -> float:
    """The largest sum of bytes per second over all sizes tried."""
    messages = comm.size * (comm.size - 1)
    rates = [messages * int(size) / exchange_samples(comm, int(size), rounds).min() for size in SIZES]
    return float(max(rates))
