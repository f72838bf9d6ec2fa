"""Programs of ranks as streams of work-flow graphs: every operation a graph, every resource a clock."""

from __future__ import annotations

from collections.abc import Callable

import striate._core as _core
from striate._core import ProgramFlowRun
from striate.cluster.cluster import Cluster
from striate.collectives.choice import Choice
from striate.engine.input import EngineInput
from striate.engine.packets import run_packets
from striate.refusals import error_of
from striate.rungs.answer import UnfitError
from striate.rungs.cost import fine_seconds
from striate.rungs.machine_parts import parts_of_calls, parts_of_files, refuse_parts
from striate.rungs.program_input import input_of
from striate.workload.workload import Workload

PATH, CHAIN = "path", "chain"
_MOST_SECONDS_FOR_WORDS = 20.0  # of CPU time, to say more of a deadlock than that it is one


def run_program_flows(
    workload: Workload,
    cluster: Cluster,
    rung: str,
    choice: Choice | None = None,
    *,
    given: Callable[[], EngineInput] | None = None,
) -> ProgramFlowRun:
    """One rung of the core over a workload of one application; or one of the two runs that proofs are made of.

    In `path` nothing waits for a busy resource, only for what it depends on; in `chain` files also cost nothing.

    `given` has the engine's input for a caller who needs it for other rungs, too. Raises UnfitError for what the rungs
    do not take, PredictionError when ranks wait for each other for ever.
    """
    if rung not in (PATH, CHAIN):
        if len(workload.applications) != 1:
            raise UnfitError(
                f"expected one application, got {len(workload.applications)} applications, "
                "which only the forecasting method (rung) fine models"
            )
        refuse_parts(workload, (*parts_of_calls(workload), *parts_of_files(workload, cluster)))
    engine = given() if given else input_of(workload, cluster, choice)
    try:
        return _core.program_flows(rung, engine)
    except _core.RefusalError as error:
        stuck = error.refusal.reason == _core.Reason.deadlock
        if stuck and fine_seconds(workload, cluster) < _MOST_SECONDS_FOR_WORDS:
            run_packets(engine)  # refuses, and says who waits for whom
        source = ", ".join(application.name for application in workload.applications)
        raise error_of(error.refusal, UnfitError, engine.names, source=source) from None
