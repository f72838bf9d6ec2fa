"""The real program: sweep the edges, and write the nodes now and then in global order."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

import striate.runtime as runtime
from striate.apps.mesh.generate import NODE, Mesh, touched
from striate.record.region import region


@dataclass
class Sweep:
    """One rank's part of the program: its edges, and copies of the nodes they touch."""

    mesh: Mesh
    rank: int
    ranks: int
    indices: npt.NDArray[np.int32] = field(init=False)
    values: npt.NDArray[Any] = field(init=False)

    def __post_init__(self) -> None:
        edges = self.mesh.part(self.rank, self.ranks)
        self.indices = touched(edges)
        self.values = np.zeros(len(self.indices), NODE)
        self.values["v"][:, 0] = self.indices
        local = np.empty(int(self.indices.max(initial=0)) + 1, np.int64)
        local[self.indices] = np.arange(len(self.indices))
        self._ends = local[edges]

    def step(self) -> None:
        """x[V1] += Q and x[V2] += Q for every edge, Q a function of both ends (paper 002, figure 1a)."""
        first, second = self._ends[:, 0], self._ends[:, 1]
        flow = 0.25 * (self.values["v"][first, 0] - self.values["v"][second, 0])
        change = np.bincount(first, flow, len(self.indices)) + np.bincount(second, flow, len(self.indices))
        self.values["v"][:, 1] += change
        self.values["x"][:, 0] = self.values["v"][:, 1]


def run(
    comm: Any, path: str | os.PathLike[str], mesh: Mesh, *, steps: int = 20, every: int = 5, **settings: Any
) -> list[runtime.Report]:
    """Sweep `steps` times and write all nodes every `every` steps; what each write did on this rank.

    `comm` is an mpi4py communicator, or None for one process; `settings` go to `striate.runtime.create`.
    """
    rank, ranks = (0, 1) if comm is None else (comm.Get_rank(), comm.Get_size())
    return drive(comm, path, Sweep(mesh, rank, ranks), steps=steps, every=every, **settings)


def drive(
    comm: Any, path: str | os.PathLike[str], sweep: Sweep, *, steps: int, every: int, **settings: Any
) -> list[runtime.Report]:
    """What `run` does once the edges are there."""
    reports = []
    with runtime.create(comm, path, (sweep.mesh.nodes,), NODE, **settings) as dataset:
        with region("schedule"):
            schedule = dataset.schedule(sweep.indices)
        for step in range(1, steps + 1):
            with region("solve"):
                sweep.step()
            if step % every == 0:
                with region("write"):
                    reports.append(dataset.write_all(schedule, sweep.values))
    return reports
