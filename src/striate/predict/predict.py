"""`predict`: the front door of the ladder."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Protocol

from striate.cluster.cluster import Cluster
from striate.errors import PredictionError
from striate.interval import Interval
from striate.predict import fine, resource
from striate.predict.collectives.choice import Choice, Rule
from striate.predict.cost import fine_seconds
from striate.predict.flow_ladder import climb_flows
from striate.predict.forecast import Answer, Forecast, Use
from striate.provenance import Provenance, metered
from striate.units import Quantity, about_seconds, seconds, size
from striate.workload.flows import Flows
from striate.workload.workload import Workload


class RungResult(Protocol):
    """What every rung returns."""

    @property
    def interval(self) -> Interval: ...
    @property
    def uses(self) -> tuple[Use, ...]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


Rung = Callable[[Workload, Cluster], RungResult]

# From the cheapest to the dearest.
RUNGS: dict[str, Rung] = {resource.NAME: resource.predict_resource, fine.NAME: fine.predict_fine}


def predict(
    workload: Workload | Flows,
    cluster: Cluster | str,
    *,
    within: float | None = 0.10,
    rung: str | None = None,
    budget: Quantity = "60 s",
    collectives: Iterable[str | Rule] = (),
    timeline: bool = False,
    timeline_memory: Quantity = "1 GiB",
    inputs: Mapping[str, str] | None = None,
) -> Forecast:
    """Forecast how long `workload`, or a stream of work-flow graphs, takes on `cluster` (or on the bundled machine).

    Asks each rung in turn and stops at the first whose bounds are no wider than `within` (high / low - 1), or asks
    `rung` alone. A rung that would cost more than `budget` of CPU time is not asked unless it is named; the forecast
    says what it would cost, and whether the precision was reached. `collectives` are rules such as
    "allreduce=ring,bytes=1MiB..,ranks=8.." for calls that name no algorithm; where none holds, defaults do. With
    `timeline` the fine rung is asked, and `Forecast.timeline` is the Trace of what happened when; what does not fit
    into `timeline_memory` is left out, which a flag of the trace tells. `inputs` maps names to hashes, for provenance.
    Raises WorkloadError when the program cannot run, PredictionError when it does not fit the machine.
    """
    if isinstance(cluster, str):
        from striate.cluster.load import load_cluster

        cluster = load_cluster(cluster)
    if within is not None and not within > 0:
        raise PredictionError(f"expected a precision above 0, got {within}")
    if not isinstance(workload, Workload):
        if timeline:
            raise PredictionError("a stream of work-flow graphs has no timeline")
        return climb_flows(workload, cluster, within=within, rung=rung, provenance=Provenance.of(inputs))
    if rung is not None and rung not in RUNGS:
        raise PredictionError(f"expected a rung among {', '.join(RUNGS)}, got {rung!r:.60}")
    if timeline and rung not in (None, fine.NAME):
        raise PredictionError(f"expected the rung {fine.NAME!r}, which alone has a timeline, got {rung!r}")
    rung = fine.NAME if timeline else rung
    workload.check()
    play = partial(
        fine.predict_fine,
        choice=Choice.of(collectives),
        timeline_bytes=size(timeline_memory) if timeline else 0,
    )
    rungs: dict[str, Rung] = {**RUNGS, fine.NAME: play}
    chosen = {rung: rungs[rung]} if rung else rungs
    limit = math.inf if rung else seconds(budget)
    return climb(chosen, workload, cluster, within=within, budget=limit, provenance=Provenance.of(inputs))


def climb(
    rungs: Mapping[str, Rung],
    workload: Workload,
    cluster: Cluster,
    *,
    within: float | None,
    budget: float,
    provenance: Provenance,
) -> Forecast:
    """Ask each rung in turn; stop at the first answer no wider than `within`, or before one dearer than `budget`."""
    answers: list[Answer] = []
    notes: tuple[str, ...] = ()
    for name, ask in rungs.items():
        if name == fine.NAME and math.isfinite(budget) and (cost := fine_seconds(workload, cluster)) > budget:
            notes = (
                f"{name} would take about {about_seconds(cost)} of CPU time; ask for it by name, or raise the budget",
            )
            break
        try:
            with metered() as meter:
                result = ask(workload, cluster)
        except fine.UnfitError as error:
            if not answers:
                raise
            notes = (f"{name} does not take this program: {error.message}",)
            break
        combined = result.interval
        for earlier in answers:
            if combined.meets(earlier.combined):
                combined = combined.combined(earlier.combined)
        answers.append(Answer(name, result.interval, combined, meter.cost, result.notes))
        if within is not None and combined.relative_error <= within:
            break
    return Forecast(
        workload=", ".join(application.name for application in workload.applications),
        cluster=cluster.name,
        ranks=workload.ranks,
        rung=answers[-1].rung,
        seconds=answers[-1].combined,
        answers=tuple(answers),
        uses=result.uses,
        provenance=provenance,
        within=within,
        notes=(*result.notes, *notes),
        applications=result.applications if isinstance(result, fine.Result) else (),
        servers=result.servers if isinstance(result, fine.Result) else (),
        metadata=result.metadata if isinstance(result, fine.Result) else (),
        timeline=result.timeline if isinstance(result, fine.Result) else None,
    )
