"""A rung for every phase of a program, so that one contended phase does not drag the whole run to the finest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from striate.interval import Interval
from striate.ladder.forecast import Forecast, Phase
from striate.ladder.program_subject import ProgramSubject
from striate.provenance import Provenance
from striate.rungs.machine_inputs import barrier_seconds, message_seconds, step_seconds
from striate.workload.kinds import Kind
from striate.workload.phases import SYNCING, phases_of
from striate.workload.walk import lines

NAME = "by phase"
Climb = Callable[[ProgramSubject], Forecast]


def climb_phases(subject: ProgramSubject, climb: Climb, provenance: Provenance) -> Forecast | None:
    """Every phase by its own climb, bounds added up; None when the program has one phase only."""
    parts = phases_of(subject.workload)
    if len(parts) < 2:
        return None
    subjects = [ProgramSubject(part.workload, subject.cluster, choice=subject.choice) for part in parts]
    forecasts = [climb(one) for one in subjects]
    phases = tuple(
        Phase(part.name, forecast.rung, forecast.bounds, forecast.stopped)
        for part, forecast in zip(parts, forecasts, strict=True)
    )
    bounds = _added([phase.seconds for phase in phases], [_skew(one) for one in subjects])
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


def _added(intervals: Sequence[Interval], skews: Sequence[float]) -> Interval:
    """One after the other; after each the next may begin earlier on some ranks and later on others, by its skew."""
    apart = sum(skews[:-1])
    low, estimate, high = (sum(getattr(one, end) for one in intervals) for end in ("low", "estimate", "high"))
    return Interval(max(low - apart, 0.0), estimate, high + apart)
