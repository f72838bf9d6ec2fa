"""A forecast of a case: the application's workload with calibrated costs, on the machine as it was probed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import msgspec

from striate.apps.app import Case
from striate.apps.registry import find
from striate.cluster.cluster import Cluster
from striate.cluster.description.ends import at_end, one_at_ends
from striate.cluster.description.measured import with_value
from striate.cluster.description.quantities import Load
from striate.cluster.description.tables import MeasuredTable
from striate.engine.packets import run_packets
from striate.evaluate.validate.calibrate import KernelCosts
from striate.interval import Interval
from striate.ladder.calibration import model_spread
from striate.ladder.distribution import Spread, range_of
from striate.ladder.kinds import ForecastKind, kind_of
from striate.ladder.spreads import (
    SKEW_SECONDS,
    machine_all_at_once,
    machine_one_by_one,
    order_by_replay,
    too_expensive_one_by_one,
)
from striate.provenance import metered
from striate.rungs.fine import play, skewed_seconds
from striate.rungs.program_input import input_of
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


@dataclass(frozen=True, slots=True)
class CaseForecast:
    """The median and the 80 % range of a case's time, what makes the range, and of which kind the case is."""

    seconds: Interval
    spreads: tuple[Spread, ...]
    kind: ForecastKind


def forecast_case(case: Case, cluster: Cluster, costs: KernelCosts, collectives: int) -> CaseForecast:
    """The case as the packet engine plays it, with the ranges of machine, kernels' costs, order and model."""

    def played(end: str, machine: Cluster) -> float:
        return int(play(workload_of(case, costs, end, collectives), machine).rank_end.max()) / 1e12

    middle = workload_of(case, costs, "middle", collectives)
    engine = input_of(middle, cluster)
    with metered() as meter:
        seconds = int(run_packets(engine).rank_end.max()) / 1e12
    spent, machines = meter.cost.cpu_seconds, one_at_ends(cluster)
    order = order_by_replay(
        seconds, lambda seed: skewed_seconds(engine, SKEW_SECONDS, seed), cost=spent, budget=math.inf
    )
    if why := too_expensive_one_by_one(spent, len(machines) + 1, math.inf):
        ends = (played("fast", at_end(cluster, fast=True)), played("slow", at_end(cluster, fast=False)))
        machine = machine_all_at_once(seconds, ends, why)
    else:
        each = [(played("middle", fast), played("middle", slow)) for fast, slow in machines]
        machine = machine_one_by_one(seconds, [(played("fast", cluster), played("slow", cluster)), *each])
    kind = kind_of(middle, cluster)
    spreads = (machine, order, model_spread(kind, measured=True))
    return CaseForecast(range_of(seconds, spreads), spreads, kind)
