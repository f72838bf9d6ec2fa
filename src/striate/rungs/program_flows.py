"""Programs of ranks as streams of work-flow graphs: every operation a graph, every resource a clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import striate._core as _core
from striate.cluster.cluster import Cluster
from striate.collectives.choice import Choice
from striate.engine.file_tables import uses_aggregators
from striate.engine.input import EngineInput
from striate.engine.packets import run_packets
from striate.refusals import error_of
from striate.rungs.answer import UnfitError
from striate.rungs.cost import fine_seconds
from striate.rungs.program_input import input_of
from striate.workload.application import Application
from striate.workload.workload import Workload

_MOST_SECONDS_FOR_WORDS = 20.0  # of CPU time, to say more of a deadlock than that it is one


def run_program_flows(
    workload: Workload,
    cluster: Cluster,
    rung: str,
    choice: Choice | None = None,
    *,
    given: Callable[[], EngineInput] | None = None,
) -> dict[str, Any]:
    """One rung of the core over a workload of one application, or `path`: what nothing but dependencies delays.

    `given` has the engine's input for a caller who needs it for other rungs, too. Raises UnfitError for what the rungs
    do not take, PredictionError when ranks wait for each other for ever.
    """
    if len(workload.applications) != 1:
        raise UnfitError("several applications at once are played packet by packet only")
    (application,) = workload.applications
    _refuse_what_only_packets_show(application, cluster)
    engine = given() if given else input_of(workload, cluster, choice)
    try:
        result: dict[str, Any] = _core.program_flows(rung, engine)
    except _core.RefusalError as error:
        stuck = error.refusal.reason == _core.Reason.deadlock
        if stuck and fine_seconds(workload, cluster) < _MOST_SECONDS_FOR_WORDS:
            run_packets(engine)  # refuses, and says who waits for whom
        raise error_of(error.refusal, UnfitError, engine.names, source=application.name) from None
    return result


def _refuse_what_only_packets_show(application: Application, cluster: Cluster) -> None:
    found = {
        "metadata servers": bool(cluster.metadata),
        "forwarders": bool(cluster.forwarders),
        "burst buffers": any(server.burst for server in cluster.servers),
        "flushes on close": cluster.settings.flush_on_close,
        "aggregators of collective access": uses_aggregators(application, cluster),
    }
    for what, there in found.items():
        if there:
            raise UnfitError(f"{what} are played packet by packet only", source=application.name)
