"""The real program: neighbours swap edge rows, all sweep, and now and then all write their strips."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.record.region import region


@dataclass
class GridStrip:
    """One rank's rows of the grid, with a ghost row above and below; the first row of the grid is hot."""

    rows: int
    columns: int
    rank: int
    ranks: int
    field: npt.NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.first = self.rank * self.rows // self.ranks
        self.last = (self.rank + 1) * self.rows // self.ranks
        self.field = np.full((self.last - self.first + 2, self.columns), 0.0)  # touched, not only promised
        self._new = np.full((self.last - self.first, self.columns - 2), 0.0)
        if self.rank == 0:
            self.field[0] = 1.0

    def sweep(self) -> float:
        """Every inner cell becomes the mean of its four neighbours; the largest change."""
        old, new = self.field, self._new
        np.add(old[:-2, 1:-1], old[2:, 1:-1], out=new)
        new += old[1:-1, :-2]
        new += old[1:-1, 2:]
        new *= 0.25
        inner = old[1:-1, 1:-1]
        np.subtract(new, inner, out=inner)
        change = max(float(inner.max(initial=0.0)), -float(inner.min(initial=0.0)))
        inner[...] = new
        return change


def solve(
    comm: Any, path: str | os.PathLike[str], strip: GridStrip, *, steps: int = 100, every: int = 25
) -> float:
    """Sweep `steps` times and write the grid every `every` sweeps, each behind the one before; the last change.

    `comm` is an mpi4py communicator.
    """
    from mpi4py import MPI

    file = MPI.File.Open(comm, os.fspath(path), MPI.MODE_CREATE | MPI.MODE_WRONLY)
    mine, all_ = np.zeros(1), np.zeros(1)
    line = strip.columns * strip.field.itemsize
    for step in range(1, steps + 1):
        with region("solve"):
            mine[0] = strip.sweep()
        _swap_edges(comm, strip.field)
        comm.Allreduce(mine, all_, op=MPI.MAX)
        if step % every == 0:
            with region("write"):
                base = (step // every - 1) * strip.rows * line
                file.Write_at_all(base + strip.first * line, strip.field[1:-1])
    file.Close()
    return float(all_[0])


def _swap_edges(comm: Any, field: npt.NDArray[np.float64]) -> None:
    """With the rank above, then with the rank below."""
    if comm.rank > 0:
        comm.Sendrecv(field[1], comm.rank - 1, recvbuf=field[0], source=comm.rank - 1)
    if comm.rank < comm.size - 1:
        comm.Sendrecv(field[-2], comm.rank + 1, recvbuf=field[-1], source=comm.rank + 1)
