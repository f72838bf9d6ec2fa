"""A forecast of a case: the application's workload with calibrated costs, on the machine as it was probed."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from striate.apps import checkpoint, jacobi, mesh
from striate.apps.mesh.emulated import touched_nodes
from striate.apps.pmc3 import workload as pmc3
from striate.cluster.cluster import Cluster
from striate.cluster.description import MeasuredTable
from striate.cluster.ends import at_end
from striate.cluster.measured import with_value
from striate.cluster.quantities import Load
from striate.evaluate.validate.calibrate import Costs
from striate.evaluate.validate.cases import Case
from striate.evaluate.validate.programs import TAXA
from striate.interval import Interval
from striate.rungs.fine import play
from striate.workload.workload import Workload


@dataclass(frozen=True, slots=True)
class Agreements:
    """How many collectives ranks make: in a collective write of MPI-IO, a write of the runtime, a generation."""

    mpi_io: int
    runtime: int
    generation: int


def workload_of(case: Case, costs: Costs, end: str, agreements: Agreements) -> Workload:
    """The case's program with costs at one end of their ranges."""
    given, ranks = case.parameters, case.ranks

    def cost(kernel: str, processes: int | None = None) -> float:
        return costs.seconds(kernel, case, end, processes=processes)

    if case.app == "jacobi":
        return jacobi.workload(ranks, **given, cell=0, sweep=cost("sweep"), agreements=agreements.mpi_io)
    if case.app == "checkpoint":
        names = {"steps": given["steps"], "every": given["every"], "state": given["state_bytes"]}
        return checkpoint.workload(ranks, **names, step=cost("step"), agreements=agreements.mpi_io)
    if case.app == "mesh":
        touched = touched_nodes(given["nodes"], given["nodes"] * 3 // 2 // ranks)
        return mesh.workload(
            ranks,
            **given,
            edge=0,
            step=cost("step"),
            move=cost("exchange"),
            write=cost("seal"),
            commit=cost("commit", 1),
            index=cost("schedule") / touched,
            reserve=cost("reserve", 1) if ranks > 1 else 0,
            attach=cost("map") if ranks > 1 else 0,
            agreements=agreements.runtime,
        )
    names = {"taxa": TAXA, "step": 0, "agreements": agreements.generation, "checkpoints": True}
    return pmc3.workload(ranks, **given, **names, generation=cost("generation"))


def with_background(cluster: Cluster, seen: Interval, samples: int) -> Cluster:
    """The machine with as much background as was seen just before a run."""
    from striate.cluster.build import build

    assert cluster.description is not None
    low, middle, high = (f"{value:.4g}" for value in (seen.low, seen.estimate, seen.high))
    table = MeasuredTable(
        key="settings.background", low=low, high=high, samples=samples, how="looked at before the run"
    )
    settings = msgspec.structs.replace(cluster.description.settings, background=Load.read(middle))
    description = msgspec.structs.replace(cluster.description, settings=settings)
    return build(with_value(description, table, Load.read(middle)))


def forecast_case(case: Case, cluster: Cluster, costs: Costs, agreements: Agreements) -> Interval:
    """Seconds of the case: the estimate, and both ends with all costs and all of the machine at theirs."""
    machines = {"fast": at_end(cluster, fast=True), "middle": cluster, "slow": at_end(cluster, fast=False)}
    seconds = {
        end: _played(workload_of(case, costs, end, agreements), machine) for end, machine in machines.items()
    }
    middle = seconds["middle"]
    return Interval(min(seconds["fast"], middle), middle, max(seconds["slow"], middle))


def _played(workload: Workload, cluster: Cluster) -> float:
    return int(play(workload, cluster).rank_end.max()) / 1e12
