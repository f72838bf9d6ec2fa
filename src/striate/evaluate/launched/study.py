"""`validate_launched`: time the kernels of applications, forecast every program, then run all in random order."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from striate.cluster.cluster import Cluster
from striate.evaluate.launched.forecast import forecast_program, kernel_costs, workload_of
from striate.evaluate.launched.programs import LaunchedProgram
from striate.evaluate.launched.ranks import RankCosts, RankPlan, RankRun
from striate.evaluate.validate.outcome import CaseOutcome, CaseRun, Validation
from striate.interval import Interval
from striate.ladder.kinds import kind_of
from striate.probe.launch import run_ranks

_MODULE = "striate.evaluate.launched.ranks"
_PATIENCE_SECONDS = 1800.0
_QUIET_CPUS = 0.5  # that others may use on the busiest host; forecasts for a launcher count none of them


@dataclass(frozen=True, slots=True)
class LaunchedPlan:
    """What to validate: the cluster, the launcher, the programs, and where files may lie."""

    cluster: Cluster
    launcher: Sequence[str]
    programs: Sequence[LaunchedProgram]
    repeats: int
    directory: Path
    seed: int = 0


def validate_launched(plan: LaunchedPlan, tell: Callable[[str], object] = lambda words: None) -> Validation:
    """Forecast, then run; raises ProbeError when the ranks fail."""
    folder = Path(tempfile.mkdtemp(prefix=".striate-validate-", dir=plan.directory))
    try:
        tell("timing the applications' own work")
        found = _launched(plan, folder, RankPlan(str(folder), list(plan.programs)))
        costs = [msgspec.json.decode(line, type=RankCosts) for line in found]
        ranks, seconds = costs[0].ranks, {one.program: kernel_costs(one) for one in costs}
        tell("forecasting")
        workloads = [
            workload_of(program, ranks, seconds.get(index, {}), 1)
            for index, program in enumerate(plan.programs)
        ]
        forecasts = [forecast_program(workload, plan.cluster) for workload in workloads]
        tell("running")
        runs = _runs(plan, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    kinds = [kind_of(workload, plan.cluster) for workload in workloads]
    outcomes = [
        CaseOutcome(
            program.case(ranks),
            tuple(
                CaseRun(
                    forecasts[index].seconds,
                    run.seconds,
                    Interval.exactly(run.background),
                    forecasts[index].spreads,
                    kinds[index],
                    run.parts,
                    run.background <= _QUIET_CPUS,
                )
                for run in runs
                if run.program == index
            ),
        )
        for index, program in enumerate(plan.programs)
    ]
    return Validation.of(plan.cluster, outcomes)


def order_of(plan: LaunchedPlan) -> list[int]:
    """Every program `repeats` times, in random order, so that what drifts meets all alike."""
    order = [index for index in range(len(plan.programs)) for _ in range(plan.repeats)]
    random.Random(plan.seed).shuffle(order)
    return order


def _runs(plan: LaunchedPlan, folder: Path) -> list[RankRun]:
    found = _launched(plan, folder, RankPlan(str(folder), list(plan.programs), order_of(plan)))
    return [msgspec.json.decode(line, type=RankRun) for line in found]


def _launched(plan: LaunchedPlan, folder: Path, job: RankPlan) -> list[bytes]:
    """What rank 0 writes down, a line each; plan and answer lie where all hosts see them."""
    given, answer = folder / "plan.json", folder / "answer.jsonl"
    given.write_bytes(msgspec.json.encode(job))
    answer.unlink(missing_ok=True)
    run_ranks(plan.launcher, _MODULE, [str(given), str(answer)], seconds=_PATIENCE_SECONDS)
    return answer.read_bytes().splitlines()
