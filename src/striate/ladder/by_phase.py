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
    phases = tuple(
        Phase(part.name, forecast.rung, forecast.seconds, forecast.stopped)
        for part, forecast in zip(parts, forecasts, strict=True)
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


def _added(intervals: Sequence[Interval]) -> Interval:
    return Interval(
        sum(one.low for one in intervals),
        sum(one.estimate for one in intervals),
        sum(one.high for one in intervals),
    )
