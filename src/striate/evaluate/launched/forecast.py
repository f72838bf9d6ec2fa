"""Forecasts of programs before they run: medians with 80 % ranges, of kernels and of calibrated applications."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from striate.apps import kernels
from striate.apps.app import Case
from striate.apps.registry import find
from striate.cluster.cluster import Cluster
from striate.evaluate.launched.programs import LaunchedProgram
from striate.evaluate.launched.ranks import RankCosts
from striate.evaluate.validate.calibrate import together
from striate.ladder.forecast import Forecast
from striate.ladder.predict import predict
from striate.workload.workload import Workload


def workload_of(
    program: LaunchedProgram, ranks: int, costs: Mapping[str, float], collectives: int
) -> Workload:
    """The program on so many ranks, with what its kernels cost each rank."""
    if program.is_kernel:
        made = kernels.workload(program.name, ranks=ranks, **program.parameters)
        method = collective_of(program.hints)
        return made.with_collective({"data": method}) if method else made
    case = Case(program.name, ranks, "", program.parameters)
    return find(program.name).calibrated(case, lambda kernel, processes=None: costs[kernel], collectives)


def collective_of(hints: Mapping[str, str]) -> str:
    """ROMIO's hints as a method of collective access; empty: the cluster's own."""
    if not {"cb_nodes", "cb_buffer_size", "romio_cb_write"} & set(hints):
        return ""
    method = {"enable": "two-phase", "disable": "direct"}.get(
        hints.get("romio_cb_write", "automatic"), "automatic"
    )
    if method == "direct":
        return method
    words = [method, hints.get("cb_nodes", "nodes")]
    return ":".join([*words, f"{hints['cb_buffer_size']}B"] if "cb_buffer_size" in hints else words)


def kernel_costs(found: RankCosts) -> dict[str, float]:
    """CPU seconds of each kernel: the mean over its times after the first, of all ranks together."""
    return {
        name: fmean(times[1:] if len(times := together(ranks)) > 1 else times)
        for name, ranks in found.kernels.items()
    }


def forecast_program(workload: Workload, cluster: Cluster) -> Forecast:
    """The program by the finest rung: a median with an 80 % range."""
    return predict(workload, cluster, rung="fine")
