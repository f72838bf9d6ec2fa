"""`record_program`: runs an mpi4py program on simulated ranks and gives what it asked for as a workload."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from striate import units
from striate.cluster.cluster import Cluster
from striate.errors import StriateError, WorkloadError
from striate.simulate.coordinator.coordinator import Coordinator
from striate.simulate.coordinator.estimate import TimeEstimate
from striate.simulate.rank_process import ProgramSpec
from striate.simulate.start import started
from striate.simulate.wire import RankSettings
from striate.workload.workload import Workload

MOST_RANKS = 4096


def record_program(
    program: str | Path,
    cluster: Cluster,
    *,
    ranks: int,
    arguments: Sequence[str] = (),
    is_module: bool = False,
    compute: units.Quantity | None = None,
    cpu_scale: float = 1.0,
    output: IO[Any] | int | None = None,
) -> Workload:
    """Run a Python file, or with `is_module` a module, that uses mpi4py, on `ranks` ranks of `cluster`.

    The program's code runs, in one process per rank, one at a time; data moves between them, and files are written.
    What it computes between two calls takes the CPU time that it took here, or `compute`; `cpu_scale` is for the
    estimate that decides which of several messages comes first. Raises WorkloadError when the program fails or does
    not end.
    """
    if not 1 <= ranks <= MOST_RANKS:
        raise WorkloadError(f"expected 1 to {MOST_RANKS} ranks to simulate, got {ranks}")
    name = str(program)
    if not is_module and not Path(name).is_file():
        raise WorkloadError("expected the file of a Python program, found no such file", source=name)
    estimate = TimeEstimate.of(cluster, ranks)
    settings = _settings(cluster, ranks, compute, cpu_scale, estimate)
    spec = ProgramSpec(name, is_module, tuple(arguments))
    try:
        with started(spec, settings, output) as channels:
            coordinator = Coordinator(channels, settings, estimate)
            coordinator.run()
    except StriateError as error:
        raise error.in_source(name) from None
    label = name.rpartition(".")[2] if is_module else Path(name).stem
    return coordinator.recorder.workload(label, folds=compute is not None)


def _settings(
    cluster: Cluster, ranks: int, compute: units.Quantity | None, cpu_scale: float, estimate: TimeEstimate
) -> RankSettings:
    nodes = cluster.place(ranks).node
    names = [f"{cluster.node_types[int(cluster.node_type[node])].name}-{node}" for node in nodes]
    return RankSettings(
        ranks=ranks,
        eager_bytes=int(cluster.settings.eager),
        nodes=tuple(np.asarray(nodes).tolist()),
        node_names=tuple(names),
        compute_seconds=None if compute is None else units.seconds(compute),
        cpu_scale=cpu_scale,
        call_seconds=estimate.call,
        latency=estimate.latency,
    )
