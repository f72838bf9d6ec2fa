"""`predict`: the front door of the ladder."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from striate.cluster.cluster import Cluster
from striate.cluster.ends import at_end
from striate.collectives.choice import Choice, Rule
from striate.errors import PredictionError
from striate.interval import Interval
from striate.ladder.climb import climb
from striate.ladder.forecast import Forecast
from striate.ladder.program_subject import ProgramSubject
from striate.ladder.proofs import Proof
from striate.ladder.stream_subject import StreamSubject
from striate.ladder.subject import Subject
from striate.provenance import Provenance
from striate.rungs.answer import RUNGS
from striate.rungs.memory import expect_messages_fit
from striate.trace.trace import Trace
from striate.units import Quantity, about_seconds, seconds, share, size
from striate.workload.flows import Flows
from striate.workload.workload import Workload

__all__ = ["RUNGS", "predict", "subject_of"]

BLIND_BUDGET = 0.2  # seconds of CPU time: where time was not recorded, no rung reaches a precision


def predict(
    workload: Workload | Flows | Trace,
    cluster: Cluster | str | Path,
    *,
    within: float | str | None = 0.10,
    rung: str | None = None,
    budget: Quantity = "60 s",
    collectives: Iterable[str | Rule] = (),
    timeline: bool = False,
    timeline_memory: Quantity = "1 GiB",
    inputs: Mapping[str, str] | None = None,
    self_check: bool = False,
) -> Forecast:
    """Forecast how long a workload, a trace or a stream of work-flow graphs takes on `cluster` (or a bundled machine).

    Follows the decision tree: validity tests, then rung after rung until the bounds are no wider than `within`
    (high / low - 1); or asks `rung` alone. A rung that would cost more than `budget` of CPU time is not asked unless
    it is named; the forecast says what it would cost, and whether the precision was reached. `collectives` are rules
    such as "allreduce=ring,bytes=1MiB..,ranks=8.." for calls that name no algorithm; where none holds, defaults do.
    With `timeline` the fine rung is asked, and `Forecast.timeline` is the Trace of what happened when; what does not
    fit into `timeline_memory` is left out, which a flag of the trace tells. `inputs` maps names to hashes, for
    provenance. With `self_check` the packet engine plays the program afterwards, and a claim it contradicts is named in
    `Forecast.contradictions`. On a machine with measured ranges the same rung is asked at both ends of them, and the
    bounds hold all three answers. Raises WorkloadError when the program cannot run, PredictionError when it does not
    fit the machine.
    """
    _expect_kinds(workload, cluster)
    if isinstance(workload, Trace):
        workload = Workload.from_trace(workload)
    if not isinstance(cluster, Cluster):
        from striate.cluster.load import load_cluster

        cluster = load_cluster(cluster)
    precision = None if within is None else share(within)
    if rung is not None and rung not in RUNGS:
        raise PredictionError(f"expected a rung among {', '.join(RUNGS)}, got {rung!r:.60}")
    if timeline and rung not in (None, "fine"):
        raise PredictionError(f"expected the rung 'fine', which alone has a timeline, got {rung!r}")
    rung = "fine" if timeline else rung
    limit = math.inf if rung else seconds(budget)
    if rung is None and isinstance(workload, Workload) and workload.floor is not None:
        limit = (
            0.0 if workload.order_guessed else min(limit, BLIND_BUDGET)
        )  # an order that is a guess is not played
    memory = size(timeline_memory) if timeline else 0
    choice, provenance = Choice.of(collectives), Provenance.of(inputs)
    subject = subject_of(workload, cluster, choice=choice, timeline_bytes=memory)
    forecast = climb(
        subject, within=precision, rung=rung, budget=limit, provenance=provenance, self_check=self_check
    )
    ends = [
        climb(
            subject_of(workload, machine, choice=choice),
            within=None,
            rung=forecast.rung,
            budget=math.inf,
            provenance=provenance,
        )
        for machine in ends_of(cluster)
    ]
    forecast = widened(forecast, ends)
    if isinstance(workload, Workload) and workload.floor is not None:
        floor = subject_of(workload.floor, cluster, choice=choice)
        other = climb(floor, within=None, rung=forecast.rung, budget=math.inf, provenance=provenance)
        forecast = between(other, forecast)
    return forecast


def between(floor: Forecast, forecast: Forecast) -> Forecast:
    """The forecast of a log that did not see all calls: what it does not tell may be waiting or computing."""
    low = min(floor.seconds.low, forecast.seconds.low)
    high = max(floor.seconds.high, forecast.seconds.high)
    middle = (floor.seconds.estimate + forecast.seconds.estimate) / 2
    hidden = about_seconds(max(forecast.seconds.estimate - floor.seconds.estimate, 0.0))
    note = f"{hidden} were not recorded: the bounds hold them as waiting that goes away, and as computing that stays"
    proved = None
    if floor.proved and forecast.proved:
        lower = min(floor.proved, forecast.proved, key=lambda proof: proof.low)
        proved = replace(lower, high=None)  # of waiting that was not recorded nothing is proved
    return replace(
        forecast, seconds=Interval(low, middle, high), proved=proved, notes=(*forecast.notes, note)
    )


def _expect_kinds(workload: object, cluster: object) -> None:
    """What people give in its place: a function, a name, the two the other way round."""
    if not isinstance(workload, Workload | Flows | Trace):
        hint = "; Workload.from_program(program, ranks=N) makes one" if callable(workload) else ""
        raise PredictionError(
            f"expected a Workload, a Trace or a stream to predict, got {workload!r:.60}{hint}"
        )
    if not isinstance(cluster, Cluster | str | Path):
        raise PredictionError(
            f"expected a Cluster, its file or a bundled machine's name, got {cluster!r:.60}"
        )


def ends_of(cluster: Cluster) -> list[Cluster]:
    """The machine at the fast and at the slow end of its measured ranges; nothing where it has none."""
    if cluster.description is None or not cluster.description.measured:
        return []
    return [at_end(cluster, fast=fast) for fast in (True, False)]


def proved_bounds(
    workload: Workload, cluster: Cluster, collectives: Iterable[str | Rule] = ()
) -> Proof | None:
    """What no run on the machine can beat or exceed, anywhere in its measured ranges; None where it is not known."""
    choice = Choice.of(collectives)
    found = [subject_of(workload, one, choice=choice).proved() for one in (cluster, *ends_of(cluster))]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    highs = [one.high for one in known if one.high is not None]
    return replace(
        min(known, key=lambda proof: proof.low), high=max(highs) if len(highs) == len(known) else None
    )


def widened(forecast: Forecast, ends: Sequence[Forecast]) -> Forecast:
    """The forecast with bounds that hold all others too: a faster machine may well end later."""
    if not ends:
        return forecast
    every = [forecast.seconds, *(end.seconds for end in ends)]
    low, high = min(one.low for one in every), max(one.high for one in every)
    note = "the bounds hold what both ends of the machine's measured ranges give"
    seconds = Interval(low, forecast.seconds.estimate, high)
    return replace(forecast, seconds=seconds, notes=(*forecast.notes, note))


def subject_of(
    workload: Workload | Flows | Trace,
    cluster: Cluster,
    *,
    choice: Choice | None = None,
    timeline_bytes: int = 0,
) -> Subject:
    """The one interface of all that can be predicted."""
    if isinstance(workload, Trace):
        workload = Workload.from_trace(workload)
    if not isinstance(workload, Workload):
        if timeline_bytes:
            raise PredictionError("a stream of work-flow graphs has no timeline")
        return StreamSubject(workload, cluster)
    workload.check()
    expect_messages_fit(workload, cluster)
    return ProgramSubject(workload, cluster, choice=choice or Choice(), timeline_bytes=timeline_bytes)
