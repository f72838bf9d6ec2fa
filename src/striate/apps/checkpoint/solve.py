"""The real program: update a state, agree on a residual, and now and then write the state and flush it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.record.region import region


def advance(state: npt.NDArray[np.float64], passes: int) -> None:
    """Bring the state nearer to 1, so many times."""
    for _ in range(passes):
        np.multiply(state, 0.999, out=state)
        np.add(state, 1e-3, out=state)


def made_state(rank: int, size: int) -> npt.NDArray[np.float64]:
    """What a rank begins with: so many bytes of numbers."""
    return np.linspace(rank, rank + 1, size // 8)


def solve(
    comm: Any,
    path: str | os.PathLike[str],
    state: npt.NDArray[np.float64],
    *,
    steps: int,
    every: int,
    passes: int = 1,
) -> float:
    """`steps` steps of `passes` passes over each rank's state, written every `every` steps; the last residual.

    Each checkpoint goes behind the one before it; ranks lie side by side in it, with states of equal size.
    """
    from mpi4py import MPI

    file = MPI.File.Open(comm, os.fspath(path), MPI.MODE_CREATE | MPI.MODE_WRONLY)
    mine, all_ = np.zeros(1), np.zeros(1)
    for step in range(1, steps + 1):
        with region("solve"):
            advance(state, passes)
            mine[0] = state[0]
        comm.Allreduce(mine, all_)
        if step % every == 0:
            with region("write"):
                number = step // every - 1
                file.Write_at_all((number * comm.size + comm.rank) * state.nbytes, state)
                file.Sync()
    file.Close()
    return float(all_[0])
