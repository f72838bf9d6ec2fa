"""A rung for every phase of a program, so that one contended phase does not drag the whole run to the finest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from striate.interval import Interval
from striate.ladder.forecast import Forecast, Phase
from striate.ladder.program_subject import ProgramSubject
from striate.provenance import Provenance
from striate.rungs.machine_inputs import (
    barrier_seconds,
    message_seconds,
    random_seek_seconds,
    step_seconds,
)
from striate.workload.kinds import FILE_CALLS, Kind
from striate.workload.phases import SYNCING, phases_of
from striate.workload.walk import lines

NAME = "by phase"
OTHER_STARTS = 5  # of a phase that was played packet by packet
Climb = Callable[[ProgramSubject], Forecast]


def climb_phases(
    subject: ProgramSubject, climb: Climb, provenance: Provenance, *, affordable: float
) -> Forecast | None:
    """Every phase by its own climb, bounds added up; None when the program has one phase only.

    A phase that was played is played again with other starts if this takes no more than the `affordable` CPU seconds.
    """
    parts = phases_of(subject.workload)
    if len(parts) < 2:
        return None
    subjects = [ProgramSubject(part.workload, subject.cluster, choice=subject.choice) for part in parts]
    skews = [_skew(one) for one in subjects]
    apart = [0.0, *accumulate(skews[:-1])]  # how far apart ranks may begin each phase
    forecasts = [
        _with_other_starts(climb(one), one, late, affordable)
        for one, late in zip(subjects, apart, strict=True)
    ]
    phases = tuple(
        Phase(part.name, forecast.rung, forecast.bounds, forecast.stopped)
        for part, forecast in zip(parts, forecasts, strict=True)
    )
    bounds = _added([phase.seconds for phase in phases], sum(skews[:-1]))
    return Forecast(
        workload=subject.name,
        cluster=subject.machine,
        ranks=subject.ranks,
        rung=NAME,
        seconds=bounds,
        bounds=bounds,
        answers=tuple(answer for forecast in forecasts for answer in forecast.answers),
        uses=max(forecasts, key=lambda forecast: forecast.bounds.estimate).uses,
        provenance=provenance,
        within=forecasts[0].within,
        notes=("phases end where all ranks wait for all; their times and bounds add up",),
        trusted=all(forecast.trusted for forecast in forecasts),
        stopped=f"{len(phases)} phases, each by its own rung",
        phases=phases,
        contradictions=tuple(one for forecast in forecasts for one in forecast.contradictions),
    )


def _skew(subject: ProgramSubject) -> float:
    """How far apart ranks may leave the last operation of a phase, in which all wait for all.

    No further than the longest such operation of the phase may take: a barrier, and the vector to everyone in turn.
    """
    (application,) = subject.workload.applications
    calls = lines(application, kinds=SYNCING - {Kind.BARRIER})
    most = max((float(np.max(line.highest("bytes"))) for line in calls), default=0.0)
    vectors = 2 * (subject.ranks - 1) * message_seconds(subject.cluster, most) if most else 0.0
    return barrier_seconds(subject.cluster, subject.ranks) + step_seconds(subject.cluster) + vectors


def _with_other_starts(
    forecast: Forecast, subject: ProgramSubject, late: float, affordable: float
) -> Forecast:
    """A phase that `fine` has played as if all ranks began at once, in a range that holds other starts, too.

    Which rank comes first decides where heads of disks are and what waits for what. As far as the runs lie apart,
    others may lie beyond them, and one access more or less may seek. Not to be trusted where more runs are too
    expensive.
    """
    if forecast.rung != "fine" or not late:
        return forecast
    cost = sum(answer.cost.cpu_seconds for answer in forecast.answers if answer.rung == "fine")
    if OTHER_STARTS * cost > affordable:
        return replace(forecast, trusted=False)
    times = [forecast.bounds.estimate, *(subject.replay(late, seed) for seed in range(OTHER_STARTS))]
    (application,) = subject.workload.applications
    files = any(True for _ in lines(application, kinds=FILE_CALLS))
    beyond = max(times) - min(times) + (random_seek_seconds(subject.cluster) if files else 0.0)
    bounds = Interval(max(min(times) - beyond, 0.0), times[0], max(times) + beyond)
    return replace(forecast, seconds=bounds, bounds=bounds)


def _added(intervals: Sequence[Interval], apart: float) -> Interval:
    """One after the other; after each the next may begin earlier on some ranks and later on others, by its skew."""
    low, estimate, high = (sum(getattr(one, end) for one in intervals) for end in ("low", "estimate", "high"))
    return Interval(max(low - apart, 0.0), estimate, high + apart)
