"""`compare`: a forecast beside the trace of a real run - total, phases, kinds of operations, ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.errors import TraceError
from striate.interval import Interval
from striate.ladder.forecast import Forecast
from striate.noise.model import Noise
from striate.trace.analysis.intervals import covered
from striate.trace.analysis.tables import front
from striate.trace.kinds import COLLECTIVES, IO, MESSAGES, RANK_LEVELS
from striate.trace.trace import Trace

SCHEMA = "striate.comparison/1"


@dataclass(frozen=True, slots=True)
class ComparedPart:
    """Seconds of one part of a run, mean over the ranks that have it; None where the forecast does not say."""

    name: str
    predicted: float | None
    measured: float

    @property
    def difference(self) -> float | None:
        """Predicted less measured seconds."""
        return None if self.predicted is None else self.predicted - self.measured


@dataclass(frozen=True, slots=True)
class NoiseVerdict:
    """A measured time beside the 90 % range that repeated runs of a job of the forecast's time have."""

    job: str
    seconds: Interval  # the forecast on a shared machine: fast end, usual day, slow end
    is_noise: bool


def noise_verdict(predicted: Interval, measured: float, noise: Noise) -> NoiseVerdict:
    """Whether `measured` lies where runs lie that take `predicted` on the machine alone."""
    times = noise.pooled.next_runs
    span = Interval(
        predicted.low * times.low, predicted.estimate * times.estimate, predicted.high * times.high
    )
    return NoiseVerdict(noise.pooled.name, span, measured in span)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was forecast and what was measured, in seconds."""

    workload: str
    cluster: str
    predicted: Interval
    measured: float
    phases: tuple[ComparedPart, ...]
    kinds: tuple[ComparedPart, ...]
    ranks: tuple[ComparedPart, ...]
    notes: tuple[str, ...]
    inside: bool
    error: float | None  # predicted / measured - 1; None for a run of no time
    furthest: tuple[str, ...]  # the parts that account for most of the difference
    noise: NoiseVerdict | None = None  # whether other jobs on the machine explain the difference
    schema: str = SCHEMA


def compare(
    forecast: Forecast,
    trace: Trace,
    *,
    timeline: Trace | None = None,
    region: str | None = None,
    noise: Noise | None = None,
) -> Comparison:
    """Compare a forecast with a trace; its parts are compared where the forecast's simulated `timeline` is given.

    With `noise`, also says whether the difference is within the variation of a shared machine.
    The run is that of `striate.trace.analysis.span`, or the region of that name.
    Raises TraceError when the trace has no such region, or no operations.
    """
    measured = run_seconds(trace, region)
    simulated = timeline if timeline is not None else forecast.timeline
    phases = _parts(_phases(trace), None if simulated is None else _phases(simulated))
    kinds = _parts(_kinds(trace), None if simulated is None else _kinds(simulated))
    ranks = _parts(_ranks(trace), None if simulated is None else _ranks(simulated))
    return Comparison(
        forecast.workload,
        forecast.cluster,
        forecast.seconds,
        measured,
        phases,
        kinds,
        ranks,
        _notes(forecast, trace, simulated),
        measured in forecast.seconds,
        forecast.seconds.estimate / measured - 1 if measured > 0 else None,
        _furthest((("phase", phases), ("kind", kinds), ("rank", ranks))),
        None if noise is None else noise_verdict(forecast.seconds, measured, noise),
    )


def run_seconds(trace: Trace, region: str | None = None) -> float:
    """How long the run took, or the region of that name from the first rank's beginning to the last one's end."""
    if region is not None:
        start, end = trace.column("start"), trace.column("end")
        if region not in trace.header.regions:
            known = ", ".join(trace.header.regions[:8]) or "none"
            raise TraceError(f"the trace has no region {region!r:.60}; its regions are {known}")
        rows = trace.of_kind("region") & (trace.column("region") == trace.header.regions.index(region))
        return float(int(end[rows].max()) - int(start[rows].min())) / 1e9 if rows.any() else 0.0
    inner = ~trace.of_kind("init", "finalize")
    if not inner.any():
        raise TraceError("expected operations besides MPI_Init and MPI_Finalize in the trace, found none")
    return trace.seconds


Seconds = dict[str, float]


def _asked(trace: Trace) -> NDArray[np.bool_]:
    """What the program asked for, not what was done below it; of simulations, the lines of ranks alone."""
    access, of_rank = trace.of_kind("read", "write"), trace.at_level(*RANK_LEVELS)
    return np.asarray(of_rank & np.where(access, front(trace), ~trace.at_level("posix")))


def _covered(trace: Trace, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Seconds of each rank that the rows cover."""
    columns = (trace.column(name)[rows] for name in ("rank", "start", "end"))
    rank, start, end = columns
    return covered(rank.astype(np.int64), start, end, trace.ranks) / 1e9


def _kinds(trace: Trace) -> Seconds:
    """Seconds of each kind of operation, mean over all ranks."""
    asked = _asked(trace)
    found = {}
    for kind in (*IO, *MESSAGES, *COLLECTIVES):
        rows = asked & trace.of_kind(kind)
        if rows.any():
            found[kind] = float(_covered(trace, rows).mean())
    return found


def _phases(trace: Trace) -> Seconds:
    """Seconds in each region, mean over the ranks that enter it."""
    found = {}
    for number, name in enumerate(trace.header.regions):
        rows = trace.of_kind("region") & (trace.column("region") == number)
        if rows.any():
            busy = _covered(trace, rows)
            found[name] = float(busy.sum() / len(np.unique(trace.column("rank")[rows])))
    return found


def _ranks(trace: Trace) -> Seconds:
    """Seconds of each rank in calls of MPI and files: what is not its own computing."""
    calls = _asked(trace) & trace.of_kind(*IO, *MESSAGES, *COLLECTIVES)
    busy = _covered(trace, calls)
    return {f"rank {rank}, in calls": float(seconds) for rank, seconds in enumerate(busy)}


def _parts(measured: Seconds, predicted: Seconds | None) -> tuple[ComparedPart, ...]:
    names = dict.fromkeys([*measured, *(predicted or {})])
    return tuple(
        ComparedPart(name, None if predicted is None else predicted.get(name, 0.0), measured.get(name, 0.0))
        for name in names
    )


def _furthest(groups: Sequence[tuple[str, tuple[ComparedPart, ...]]]) -> tuple[str, ...]:
    """The three parts with the largest difference in seconds, in words."""
    known = [
        (abs(part.difference), f"{what} {part.name}" if what != "rank" else part.name, part)
        for what, parts in groups
        for part in parts
        if part.difference
    ]
    known.sort(key=lambda entry: -entry[0])
    return tuple(
        f"{name}: predicted {part.predicted:.4g} s, measured {part.measured:.4g} s"
        for _, name, part in known[:3]
    )


def _notes(forecast: Forecast, trace: Trace, simulated: Trace | None) -> tuple[str, ...]:
    notes = []
    if forecast.ranks != trace.ranks:
        notes.append(f"the forecast is for {forecast.ranks} ranks, the trace has {trace.ranks}")
    if simulated is None:
        notes.append("to compare parts of the run, give the forecast's timeline, too")
    if not forecast.trusted:
        notes.append("the forecast's own tests say that it is not reliable")
    return tuple(notes)
