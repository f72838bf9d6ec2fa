"""A rung for every phase of a program, so that one contended phase does not drag the whole run to the finest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from striate.interval import Interval
from striate.ladder.forecast import Forecast, Phase
from striate.ladder.program_subject import ProgramSubject
from striate.provenance import Provenance
from striate.workload.phases import phases_of

NAME = "by phase"
Climb = Callable[[ProgramSubject], Forecast]


def climb_phases(subject: ProgramSubject, climb: Climb, provenance: Provenance) -> Forecast | None:
    """Every phase by its own climb, bounds added up; None when the program has one phase only."""
    parts = phases_of(subject.workload)
    if len(parts) < 2:
        return None
    subjects = [ProgramSubject(part.workload, subject.cluster, choice=subject.choice) for part in parts]
    forecasts = [climb(one) for one in subjects]
    left = _left_over(subjects)
    phases = tuple(
        Phase(part.name, forecast.rung, _later(forecast.seconds, wait), forecast.stopped)
        for part, forecast, wait in zip(parts, forecasts, left, strict=True)
    )
    return Forecast(
        workload=subject.name,
        cluster=subject.machine,
        ranks=subject.ranks,
        rung=NAME,
        seconds=_added([phase.seconds for phase in phases]),
        answers=tuple(answer for forecast in forecasts for answer in forecast.answers),
        uses=max(forecasts, key=lambda forecast: forecast.seconds.estimate).uses,
        provenance=provenance,
        within=forecasts[0].within,
        notes=("phases end where all ranks wait for all; their times and bounds add up",),
        trusted=all(forecast.trusted for forecast in forecasts),
        stopped=f"{len(phases)} phases, each by its own rung",
        phases=phases,
        contradictions=tuple(one for forecast in forecasts for one in forecast.contradictions),
    )


def _left_over(subjects: Sequence[ProgramSubject]) -> list[float]:
    """Per phase, seconds of writing that the phases before it may have left to the disks."""
    left, waiting = [], 0.0
    for subject in subjects:
        left.append(waiting)
        written = subject.path["disk_work"].max(initial=0) if subject.path is not None else 0
        waiting += float(written) / 1e12 if _caches(subject) else 0.0
    return left


def _caches(subject: ProgramSubject) -> bool:
    return any(server.cache.policy != "none" for server in subject.cluster.servers)


def _later(interval: Interval, wait: float) -> Interval:
    return Interval(interval.low, interval.estimate, interval.high + wait)


def _added(intervals: Sequence[Interval]) -> Interval:
    return Interval(
        sum(one.low for one in intervals),
        sum(one.estimate for one in intervals),
        sum(one.high for one in intervals),
    )
