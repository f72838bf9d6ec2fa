"""A forecast of a case: the application's workload with calibrated costs, on the machine as it was probed."""

from __future__ import annotations

import msgspec

from striate.apps.app import Case
from striate.apps.registry import find
from striate.cluster.cluster import Cluster
from striate.cluster.description import MeasuredTable
from striate.cluster.ends import at_end
from striate.cluster.measured import with_value
from striate.cluster.quantities import Load
from striate.evaluate.validate.calibrate import KernelCosts
from striate.interval import Interval
from striate.rungs.fine import play
from striate.workload.workload import Workload


def workload_of(case: Case, costs: KernelCosts, end: str, collectives: int) -> Workload:
    """The case's program with costs at one end of their ranges."""

    def cost(kernel: str, processes: int | None = None) -> float:
        return costs.seconds(kernel, case, end, processes=processes)

    return find(case.app).calibrated(case, cost, collectives)


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


def forecast_case(case: Case, cluster: Cluster, costs: KernelCosts, collectives: int) -> Interval:
    """Seconds of the case: the estimate, and both ends with all costs and all of the machine at theirs."""
    machines = {"fast": at_end(cluster, fast=True), "middle": cluster, "slow": at_end(cluster, fast=False)}
    seconds = {
        end: _played(workload_of(case, costs, end, collectives), machine) for end, machine in machines.items()
    }
    middle = seconds["middle"]
    return Interval(min(seconds["fast"], middle), middle, max(seconds["slow"], middle))


def _played(workload: Workload, cluster: Cluster) -> float:
    return int(play(workload, cluster).rank_end.max()) / 1e12
