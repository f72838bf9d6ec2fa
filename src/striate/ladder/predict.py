"""`predict`: the front door of the ladder."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.collectives.choice import Choice, Rule
from striate.deadline import CpuBudget, OutOfTime
from striate.errors import PredictionError
from striate.interval import Interval
from striate.ladder.climb import MOMENT_SECONDS, expect_affordable
from striate.ladder.data_sieving import carried_out
from striate.ladder.forecast import Forecast
from striate.ladder.proofs import Proof, weakest
from striate.ladder.refined import refined, unrefined, with_floor
from striate.ladder.request import (
    Request,
    between,
    cached_copies_notes,
    ends_of,
    fresh_memory_notes,
    subject_of,
    widened,
    with_range,
)
from striate.plugins.loading import NO_PLUGINS, Plugins, load
from striate.provenance import Provenance, metered
from striate.rungs.answer import RUNGS
from striate.trace.trace import Trace
from striate.units import Quantity, about_seconds, seconds, share, size
from striate.workload.flows import Flows
from striate.workload.workload import Workload

__all__ = ["RUNGS", "predict", "subject_of"]

USUAL_BUDGET = 60.0  # seconds of CPU time that a rung may take unless it is named
BLIND_BUDGET = 0.2  # seconds of CPU time: where time was not recorded, no rung reaches a precision


def predict(
    workload: Workload | Flows | Trace,
    cluster: Cluster | str | Path,
    *,
    within: float | str | None = 0.10,
    rung: str | None = None,
    budget: Quantity | None = None,
    collectives: Iterable[str | Rule] = (),
    timeline: bool = False,
    timeline_memory: Quantity = "1 GiB",
    timeline_steps: bool = False,
    inputs: Mapping[str, str] | None = None,
    self_check: bool = False,
    exact: bool = False,
    cpu_scale: float | Cluster = 1.0,
    plugins: Iterable[str | Path | Plugins] = (),
) -> Forecast:
    """Forecast how long a workload, a trace or a stream of work-flow graphs takes on `cluster` (or a bundled machine).

    Follows the decision tree: validity tests, then rung after rung until the bounds are no wider than `within`
    (high / low - 1); or asks `rung` alone. A rung that would cost more than `budget` of CPU time (60 s) is not asked;
    the forecast says what it would cost, and whether the precision was reached. A rung that is named has no budget
    unless one is given, and is refused where it would cost more. The budget also ends what takes longer than it was
    expected to: what has been found by then is the answer, with a note. `collectives` are rules such as
    "allreduce=ring,bytes=1MiB..,ranks=8.." for calls that name no algorithm; where none holds, defaults do.
    With `timeline` the fine rung is asked, and `Forecast.timeline` is the Trace of what happened when; what does not
    fit into `timeline_memory` is left out, which a flag of the trace tells; with `timeline_steps` it has the steps
    inside collective calls, too. `inputs` maps names to hashes, for provenance. With `self_check` the packet engine
    plays the program afterwards, and a claim it contradicts is named in
    `Forecast.contradictions`. On a machine with measured ranges the same rung is asked at both ends of them, and the
    bounds hold all three answers. `Forecast.seconds` is the median and an 80 % range, made of what the machine's
    ranges, the order of events and the model's own error (see `striate validate`) may do, each told apart in
    `Forecast.spreads`; with `exact`, which the fine rung alone takes, it is the one number that the model plays.
    Times of computing are multiplied by `cpu_scale`: 0.5 for CPUs twice as fast as those a trace was recorded on; or,
    given the machine it was recorded on, each rank's by the speeds of its node there and here. `plugins` are Python
    files, which are run, or names of entry points, whose algorithms take the place of built-in ones.
    Raises WorkloadError when the program cannot run, PredictionError when it does not fit the machine, PluginError
    when a plug-in breaks the rules of its kind.
    """
    _expect_kinds(workload, cluster)
    if isinstance(workload, Trace):
        workload = Workload.from_trace(workload)
    if not isinstance(cluster, Cluster):
        from striate.cluster.load import load_cluster

        cluster = load_cluster(cluster)
    if cpu_scale != 1.0:
        workload = _scaled(workload, cpu_scale, cluster)
    precision = None if within is None else share(within)
    if rung is not None and rung not in RUNGS:
        raise PredictionError(
            f"expected a forecasting method (rung) among {', '.join(RUNGS)}, got {rung!r:.60}"
        )
    if timeline and rung not in (None, "fine"):
        raise PredictionError(
            "expected the forecasting method (rung) 'fine' for a timeline (record of the simulated run), which no "
            "other rung makes, "
            f"got {rung!r}"
        )
    if timeline_steps and not timeline:
        raise PredictionError(
            "expected `timeline` together with `timeline_steps`, which adds the steps inside collective calls to "
            "the timeline, got `timeline_steps` alone"
        )
    rung = "fine" if timeline else rung
    if exact and rung != "fine":
        raise PredictionError(
            "expected the forecasting method (rung) 'fine' for an exact time, which no other rung computes, "
            f"got {rung or 'none'!r}"
        )
    allowed = seconds(budget) if budget is not None else math.inf if rung else USUAL_BUDGET
    limit = allowed
    if rung is None and isinstance(workload, Workload) and workload.floor is not None:
        if workload.order_guessed:  # a guess is not played
            limit = 0.0
        elif budget is None:
            limit = BLIND_BUDGET
    memory = size(timeline_memory) if timeline else 0
    if isinstance(workload, Workload):
        workload = workload.on(bool(cluster.metadata)).fitted(len(cluster.servers))
        workload = carried_out(workload, cluster)
    own = load(plugins)
    choice = Choice.of((*collectives, *own.rules), own.collectives)
    request = Request(workload, choice, precision, rung, limit, Provenance.of(inputs), own)
    with metered() as meter:
        watched = partial(
            subject_of,
            workload,
            choice=choice,
            timeline_bytes=memory,
            collective_steps=timeline_steps,
            plugins=own,
        )
        given = CpuBudget(allowed + MOMENT_SECONDS)
        try:
            with given.kept():
                subject = watched(cluster)
                expect_affordable(subject, allowed, rung)
                forecast = request.climb(subject, self_check=self_check)
        except OutOfTime:
            raise PredictionError(
                f"the budget of {about_seconds(allowed)} of CPU time was spent before any forecasting method "
                "(rung) had an answer; raise the budget"
            ) from None
        if not exact:
            try:
                with given.kept():
                    made = watched if timeline else None
                    forecast, cluster = refined(request, forecast, subject, cluster, made)
            except OutOfTime:
                forecast = unrefined(request, forecast, cluster)
        if isinstance(workload, Workload) and workload.floor is not None:
            forecast = with_floor(request, forecast, cluster, workload.floor, given)
    told = (*own.notes, *(workload.notes if isinstance(workload, Workload) else ()))
    told += (*cached_copies_notes(workload, cluster), *fresh_memory_notes(workload, cluster))
    return with_range(replace(forecast, spent=meter.cost, notes=(*forecast.notes, *told)))


def _scaled(workload: Workload | Flows, factor: float | Cluster, cluster: Cluster) -> Workload:
    if not isinstance(workload, Workload):
        raise PredictionError("a stream of work-flow graphs has no recorded compute times to scale")
    if isinstance(factor, Cluster):
        there, here = (_rank_speeds(machine, workload.ranks) for machine in (factor, cluster))
        return workload.computing_scaled(there / here)
    if not (math.isfinite(factor) and factor > 0):
        raise PredictionError(f"expected a CPU scale (factor on compute times) above 0, got {factor!r}")
    return workload.computing_scaled(factor)


def _rank_speeds(cluster: Cluster, ranks: int) -> NDArray[np.float64]:
    """Instructions per second of the node of each rank."""
    speed = np.array([kind.instructions_per_second for kind in cluster.node_types], np.float64)
    return np.asarray(speed[cluster.node_type][cluster.place(ranks).node])


def predict_bounds(
    workload: Workload,
    cluster: Cluster,
    *,
    rung: str,
    collectives: Iterable[str | Rule] = (),
    plugins: Plugins = NO_PLUGINS,
) -> Interval:
    """The bounds of one rung over the machine's measured ranges, without what it takes to make them a distribution."""
    workload = carried_out(workload, cluster)
    choice = Choice.of((*collectives, *plugins.rules), plugins.collectives)
    request = Request(workload, choice, None, rung, math.inf, Provenance.of(None), plugins)
    forecast = request.climb(request.subject(cluster))
    forecast = widened(forecast, [request.again(forecast, machine) for machine in ends_of(cluster)])
    if workload.floor is not None:
        forecast = between(request.again(forecast, cluster, workload.floor), forecast)
    return forecast.bounds


def _expect_kinds(workload: object, cluster: object) -> None:
    """What people give in its place: a function, a name, the two the other way round."""
    if not isinstance(workload, Workload | Flows | Trace):
        hint = "; Workload.from_program(program, ranks=N) makes one" if callable(workload) else ""
        raise PredictionError(
            "expected a Workload, a Trace or a stream of work-flow graphs to predict, "
            f"got {workload!r:.60}{hint}"
        )
    if not isinstance(cluster, Cluster | str | Path):
        raise PredictionError(
            "expected a Cluster, the path of a cluster description or the name of a bundled one, "
            f"got {cluster!r:.60}"
        )


def proved_bounds(
    workload: Workload,
    cluster: Cluster,
    collectives: Iterable[str | Rule] = (),
    plugins: Plugins = NO_PLUGINS,
) -> Proof | None:
    """What no run on the machine can beat or exceed, anywhere in its measured ranges; None where it is not known."""
    workload = carried_out(workload, cluster)
    choice = Choice.of((*collectives, *plugins.rules), plugins.collectives)
    return weakest(
        [
            subject_of(workload, one, choice=choice, plugins=plugins).proved()
            for one in (cluster, *ends_of(cluster))
        ]
    )
