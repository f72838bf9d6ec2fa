"""What is made of a rung's answer: other placements, ends of measured ranges, spreads, and a log's other reading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from striate.cluster.cluster import Cluster
from striate.deadline import CpuBudget, OutOfTime
from striate.ladder.distribution import Spread
from striate.ladder.forecast import Forecast
from striate.ladder.placements import median_placement, of_placements, other_placements
from striate.ladder.request import Request, between, claimed, ends_of, model_alone, spreads_of, widened
from striate.ladder.subject import Subject
from striate.rungs.memory.fit import NotEnoughMemoryError
from striate.rungs.resource import NAME as CHEAPEST
from striate.workload.workload import Workload

Watched = Callable[[Cluster], Subject]


def refined(
    request: Request, forecast: Forecast, subject: Subject, cluster: Cluster, watched: Watched | None
) -> tuple[Forecast, Cluster]:
    """The forecast with its spreads, and its machine; `watched` makes the subject whose timeline is wanted, if any."""
    forecast, subject, cluster, placements = _of_median(request, forecast, subject, cluster, watched)
    ends = [request.again(forecast, machine) for machine in ends_of(cluster)]
    spreads = spreads_of(request, forecast, subject, cluster, ends)
    proved = claimed(request, forecast, subject, cluster)
    return replace(widened(forecast, ends), spreads=(*spreads, *placements), proved=proved), cluster


def _of_median(
    request: Request, forecast: Forecast, subject: Subject, cluster: Cluster, watched: Watched | None
) -> tuple[Forecast, Subject, Cluster, tuple[Spread, ...]]:
    """Where strips are placed by hash: the median of several placements."""
    others = other_placements(request, forecast, subject, cluster)
    if not others:
        return forecast, subject, cluster, ()
    every = [forecast, *(request.again(forecast, machine, self_check=True) for machine in others)]
    middle, spread = median_placement(every)
    cluster = [cluster, *others][middle]
    subject = watched(cluster) if watched else request.subject(cluster)
    if watched and middle:
        every[middle] = request.climb(subject, self_check=True)  # the timeline is that of the median
    return of_placements(every, middle, spread), subject, cluster, (spread,)


def unrefined(request: Request, forecast: Forecast, cluster: Cluster) -> Forecast:
    """The answer as it stands when the budget is spent: its range has the model's error alone; nothing is proved."""
    note = "the budget was spent before the machine's ranges and the order of events were looked at"
    return replace(
        forecast, spreads=model_alone(request, cluster), proved=None, notes=(*forecast.notes, note)
    )


def with_floor(
    request: Request, forecast: Forecast, cluster: Cluster, floor: Workload, given: CpuBudget
) -> Forecast:
    """The forecast of a log that did not see all calls, and of its other reading, by the same rung or a cheaper one."""
    for rung in dict.fromkeys((forecast.rung, CHEAPEST)):
        try:
            with given.kept():
                lower = request.again(replace(forecast, rung=rung), cluster, floor)
        except (OutOfTime, NotEnoughMemoryError):
            continue
        note = f"the time that was not recorded was forecast as waiting by {rung}, for want of memory or time"
        told = (note,) if rung != forecast.rung else ()
        both = between(lower, forecast)
        return replace(both, notes=(*both.notes, *told))
    note = "time that was not recorded counts as computing: for lack of memory or time it was not forecast as waiting"
    return replace(forecast, proved=None, notes=(*forecast.notes, note))
