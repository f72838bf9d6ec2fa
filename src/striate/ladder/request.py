"""A request for a forecast, asked of one machine after the other, and what is made of the answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from striate.cluster.cached_copies import cached_rates, with_cached_copies
from striate.cluster.cluster import Cluster
from striate.cluster.description.ends import at_end, one_at_ends
from striate.cluster.fresh_memory import as_met
from striate.collectives.choice import Choice
from striate.engine.oversubscription import background_slowness, waiting_slowness
from striate.errors import PredictionError
from striate.interval import Interval
from striate.ladder.calibration import model_spread
from striate.ladder.climb import climb
from striate.ladder.distribution import UNSEEN, Spread, range_of
from striate.ladder.forecast import Forecast
from striate.ladder.kinds import kind_of, ranges_measured
from striate.ladder.program_subject import ProgramSubject
from striate.ladder.proofs import Proof, weakest
from striate.ladder.shared_work import PREPARED, SharedWork
from striate.ladder.spreads import (
    SKEW_SECONDS,
    machine_all_at_once,
    machine_one_by_one,
    machine_without_ranges,
    order_by_bounds,
    order_by_replay,
    too_expensive_one_by_one,
)
from striate.ladder.stream_subject import StreamSubject
from striate.ladder.subject import Subject
from striate.plugins.layout import laid_out
from striate.plugins.loading import Plugins
from striate.provenance import Provenance
from striate.rungs.memory.fit import expect_messages_fit
from striate.trace.trace import Trace
from striate.units import about_seconds, about_size
from striate.workload.flows import Flows
from striate.workload.kinds import FILE_CALLS
from striate.workload.summary import moved_bytes
from striate.workload.walk import lines
from striate.workload.workload import Workload


def subject_of(
    workload: Workload | Flows | Trace,
    cluster: Cluster,
    *,
    choice: Choice | None = None,
    timeline_bytes: int = 0,
    collective_steps: bool = False,
    checked: bool = False,
    plugins: Plugins | None = None,
) -> Subject:
    """The one interface of all that can be predicted; a program that is `checked` is not checked again."""
    if isinstance(workload, Trace):
        workload = Workload.from_trace(workload)
    if plugins is not None and plugins.loaded:
        cluster = replace(cluster, plugins=plugins)
    if not isinstance(workload, Workload):
        if timeline_bytes:
            raise PredictionError(
                "the forecast of a stream of work-flow graphs has no timeline (record of the simulated run)"
            )
        if cluster.plugins is not None:
            raise PredictionError("the forecast of a stream of work-flow graphs cannot use plug-ins")
        return StreamSubject(workload, cluster)
    shared = SharedWork()
    with shared.making(PREPARED):
        workload = laid_out(as_measured(workload.fitted(len(cluster.servers)), cluster), cluster)
        if not checked:
            workload.check()
        expect_messages_fit(workload, cluster)
        cluster = with_cached_copies(cluster, workload.reused_buffer)
        cluster = with_fresh_memory(workload, cluster)
    return ProgramSubject(
        workload,
        cluster,
        choice=choice or Choice(),
        timeline_bytes=timeline_bytes,
        collective_steps=collective_steps,
        shared=shared,
    )


def with_fresh_memory(workload: Workload, cluster: Cluster) -> Cluster:
    """The cluster as slow as the program's new data make it, where memory has to come from a host."""
    if all(server.cache.fresh_rate is None for server in cluster.servers):
        return cluster
    moved = moved_bytes(workload)
    return as_met(cluster, new=moved.new, written=moved.written, read=moved.read, ranks=workload.ranks)


def cached_copies_notes(workload: Workload | Flows, cluster: Cluster) -> tuple[str, ...]:
    """Which rates of copies the forecast takes, where a machine has two."""
    buffer = workload.reused_buffer if isinstance(workload, Workload) else None
    if buffer is None or not cached_rates(cluster, buffer):
        return ()
    return (f"each rank uses one buffer of {about_size(buffer)}, which stays in its CPU's cache",)


def fresh_memory_notes(workload: Workload | Flows, cluster: Cluster) -> tuple[str, ...]:
    """How much the program writes beyond the memory at hand, which is a state of the machine and not a property."""
    ready = sum(server.cache.ready or 0 for server in cluster.servers if server.cache.fresh_rate is not None)
    if not ready or not isinstance(workload, Workload) or (beyond := moved_bytes(workload).new - ready) <= 0:
        return ()
    state = "a run right after another one finds more memory ready and is faster"
    return (
        f"the virtual machine's host must first provide memory for {about_size(beyond)} of writes; {state}",
    )


def as_measured(workload: Workload, cluster: Cluster) -> Workload:
    """Measured computing holds what other processes and waiting ranks took: the engine shall not add it again."""
    if not workload.measured:
        return workload
    placement = cluster.place(workload.ranks)
    slowness = background_slowness(cluster, placement) * waiting_slowness(cluster, placement)
    return workload.computing_scaled(1 / slowness)


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What was asked for, to ask it of another machine again."""

    workload: Workload | Flows
    choice: Choice
    within: float | None
    rung: str | None
    budget: float
    provenance: Provenance
    plugins: Plugins | None = None

    def subject(
        self, machine: Cluster, *, workload: Workload | Flows | None = None, checked: bool = False
    ) -> Subject:
        """What is asked about, on a machine."""
        asked = workload or self.workload
        return subject_of(asked, machine, choice=self.choice, checked=checked, plugins=self.plugins)

    def climb(self, subject: Subject, *, self_check: bool = False) -> Forecast:
        return climb(
            subject,
            within=self.within,
            rung=self.rung,
            budget=self.budget,
            provenance=self.provenance,
            self_check=self_check,
        )

    def again(
        self, found: Forecast, machine: Cluster, workload: Workload | None = None, *, self_check: bool = False
    ) -> Forecast:
        """The same rung, of another machine or of another reading of the program; phases choose for themselves."""
        subject = self.subject(machine, workload=workload, checked=True)
        if found.phases:
            return self.climb(subject, self_check=self_check)
        alone = replace(self, within=None, rung=found.rung, budget=math.inf)
        return alone.climb(subject, self_check=self_check)


def ends_of(cluster: Cluster) -> list[Cluster]:
    """The machine at the fast and at the slow end of its measured ranges; nothing where it has none."""
    if cluster.description is None or not cluster.description.measured:
        return []
    return [at_end(cluster, fast=fast) for fast in (True, False)]


def claimed(request: Request, forecast: Forecast, subject: Subject, cluster: Cluster) -> Proof | None:
    """What is proved wherever in its measured ranges the machine lies, and however it places the strips of files."""
    if forecast.proved is None:
        return None
    machines = ends_of(cluster)
    placed = isinstance(subject, ProgramSubject) and places_by_hash(subject.workload, cluster)
    if not machines and not placed:
        return forecast.proved
    subjects = [subject, *(request.subject(machine, checked=True) for machine in machines)]
    return weakest(
        [
            one.proved_of_any_placement() if placed and isinstance(one, ProgramSubject) else one.proved()
            for one in subjects
        ]
    )


def places_by_hash(workload: Workload, cluster: Cluster) -> bool:
    """Whether each run meets another placement of the program's files."""
    if cluster.settings.distribution != "hash" or len(cluster.servers) < 2:
        return False
    return any(True for one in workload.applications for _ in lines(one, kinds=FILE_CALLS))


def widened(forecast: Forecast, ends: Sequence[Forecast]) -> Forecast:
    """The forecast with bounds that hold all others too: a faster machine may well end later."""
    if not ends:
        return forecast
    every = [forecast.bounds, *(end.bounds for end in ends)]
    low, high = min(one.low for one in every), max(one.high for one in every)
    note = "the bounds include both ends of the machine's measured ranges"
    bounds = Interval(low, forecast.bounds.estimate, high)
    return replace(forecast, seconds=bounds, bounds=bounds, notes=(*forecast.notes, note))


def between(floor: Forecast, forecast: Forecast) -> Forecast:
    """The forecast of a log that did not see all calls: what it does not tell may be waiting or computing."""
    low = min(floor.bounds.low, forecast.bounds.low)
    high = max(floor.bounds.high, forecast.bounds.high)
    middle = (floor.bounds.estimate + forecast.bounds.estimate) / 2
    hidden = about_seconds(max(forecast.bounds.estimate - floor.bounds.estimate, 0.0))
    note = f"{hidden} were not recorded: the bounds cover all of it as waiting and all of it as computing"
    proved = None
    if floor.proved and forecast.proved:
        lower = min(floor.proved, forecast.proved, key=lambda proof: proof.low)
        proved = replace(lower, high=None)  # of waiting that was not recorded nothing is proved
    bounds = Interval(low, middle, high)
    spreads = forecast.spreads
    if spreads:
        ends = (floor.bounds.estimate, forecast.bounds.estimate)
        unseen = Interval(min(ends), middle, max(ends))
        spreads = (*spreads, Spread.between(UNSEEN, middle, unseen, f"{hidden} were not recorded"))
    return replace(
        forecast,
        seconds=bounds,
        bounds=bounds,
        spreads=spreads,
        proved=proved,
        notes=(*forecast.notes, note),
    )


def spreads_of(
    request: Request, forecast: Forecast, subject: Subject, cluster: Cluster, ends: Sequence[Forecast]
) -> tuple[Spread, ...]:
    """The sources of uncertainty of a rung's answer: machine, order and model."""
    middle, cost = forecast.bounds.estimate, _rung_seconds(forecast)
    left = max(request.budget - forecast.cost.cpu_seconds, 0.0)
    if forecast.rung == "fine":
        order = order_by_replay(
            middle, lambda seed: subject.replay(SKEW_SECONDS, seed), cost=cost, budget=left
        )
    else:
        order = order_by_bounds(forecast.bounds, forecast.rung)
    machine = _machine_spread(request, forecast, cluster, ends, left) if ends else machine_without_ranges()
    return (machine, order, *model_alone(request, cluster))


def model_alone(request: Request, cluster: Cluster) -> tuple[Spread, ...]:
    """The one source of uncertainty that takes no further run to know."""
    return (model_spread(kind_of(request.workload, cluster), measured=ranges_measured(cluster)),)


def _rung_seconds(forecast: Forecast) -> float:
    """CPU seconds of the rung that answered; of all where phases have rungs of their own."""
    own = [answer.cost.cpu_seconds for answer in forecast.answers if answer.rung == forecast.rung]
    return own[-1] if own else forecast.cost.cpu_seconds


def _machine_spread(
    request: Request, forecast: Forecast, cluster: Cluster, ends: Sequence[Forecast], budget: float
) -> Spread:
    middle, cost = forecast.bounds.estimate, _rung_seconds(forecast)
    fast, slow = (end.bounds.estimate for end in ends)
    machines = one_at_ends(cluster)
    if why := too_expensive_one_by_one(cost, len(machines), budget):
        return machine_all_at_once(middle, (fast, slow), why)
    each = [[request.again(forecast, one).bounds.estimate for one in pair] for pair in machines]
    return machine_one_by_one(middle, [(fast, slow) for fast, slow in each])


def with_range(forecast: Forecast) -> Forecast:
    """The forecast whose `seconds` are the median and the 80 % range that its spreads make."""
    if not forecast.spreads:
        return forecast
    return replace(forecast, seconds=range_of(forecast.bounds.estimate, forecast.spreads))
