"""Strips that a file system places by hash: each run meets another placement, so several are played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np

from striate.cluster.build import build
from striate.cluster.cluster import Cluster
from striate.interval import Interval
from striate.ladder.distribution import SHARE, Spread
from striate.ladder.forecast import Forecast
from striate.ladder.request import Request, places_by_hash
from striate.ladder.spreads import EXPENSIVE_SECONDS
from striate.ladder.subject import Subject
from striate.units import counted
from striate.workload.workload import Workload

PLACEMENT = "placement"
DRAWS, MOST_DRAWS = 8, 32  # other placements that are played: more than eight where that takes no longer than
DRAWS_SECONDS = 0.5  # of CPU time


def other_placements(
    request: Request, forecast: Forecast, subject: Subject, cluster: Cluster
) -> list[Cluster]:
    """The machine with other placements by hash; none where nothing is placed so, or a run takes too long."""
    workload = request.workload
    if forecast.rung != "fine" or forecast.cost.cpu_seconds > EXPENSIVE_SECONDS:
        return []
    affordable = DRAWS_SECONDS / max(subject.expected_seconds("fine"), DRAWS_SECONDS / MOST_DRAWS)
    return draws(workload, cluster, max(DRAWS, int(affordable))) if isinstance(workload, Workload) else []


def draws(workload: Workload, cluster: Cluster, count: int) -> list[Cluster]:
    """The machine with other placements of the program's files; none where nothing is placed by hash."""
    if cluster.description is None or not places_by_hash(workload, cluster):
        return []
    first = cluster.settings.distribution_draw + 1
    return [_drawn(cluster, draw) for draw in range(first, first + count)]


def _drawn(cluster: Cluster, draw: int) -> Cluster:
    assert cluster.description is not None
    settings = msgspec.structs.replace(cluster.description.settings, distribution_draw=draw)
    return build(msgspec.structs.replace(cluster.description, settings=settings))


def median_placement(forecasts: Sequence[Forecast]) -> tuple[int, Spread]:
    """Which of the forecasts is the median one, and how far the others are from it."""
    times = [forecast.bounds.estimate for forecast in forecasts]
    middle = int(np.argsort(times, kind="stable")[len(times) // 2])
    return middle, placement_spread(times, times[middle])


def placement_spread(times: Sequence[float], median: float) -> Spread:
    """What other placements than that of the median do to a time."""
    low, high = np.quantile(times, [(1 - SHARE) / 2, (1 + SHARE) / 2])
    how = f"{counted(len(times), 'placement')} of the strips by hash"
    range_ = Interval(min(float(low), median), median, max(float(high), median))
    return Spread.between(PLACEMENT, median, range_, how)


def of_placements(forecasts: Sequence[Forecast], middle: int, spread: Spread) -> Forecast:
    """The median forecast with the tests and reasons of the first, and what the watchdog saw in any of them."""
    first = forecasts[0]
    below, above = spread.factors
    words = f"strips are placed by hash: {spread.how} give {below:.2f} to {above:.2f} times the median"
    return replace(
        forecasts[middle],
        within=first.within,
        checks=first.checks,
        answers=(*first.answers[:-1], *forecasts[middle].answers),
        trusted=first.trusted,
        stopped=first.stopped,
        proved=first.proved,
        notes=(*first.notes, words),
        contradictions=tuple(one for forecast in forecasts for one in forecast.contradictions),
    )
