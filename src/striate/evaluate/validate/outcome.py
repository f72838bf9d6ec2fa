"""What a validation says: the error of every run, how many were inside their ranges, and how noisy the machine is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from striate.apps.app import Case
from striate.cluster.cluster import Cluster
from striate.interval import Interval
from striate.ladder.calibration import CalibrationRun
from striate.ladder.distribution import Spread
from striate.ladder.kinds import ForecastKind
from striate.provenance import versions
from striate.results.entry import now

SCHEMA = "striate.validation/1"


@dataclass(frozen=True, slots=True)
class CaseRun:
    """One real run: the 80 % range that was forecast before it, what it took, and the background seen before it."""

    forecast: Interval
    seconds: float
    background: Interval
    spreads: tuple[Spread, ...] = ()  # what makes the range
    kind: ForecastKind | None = None
    parts: Mapping[str, float] = field(
        default_factory=dict
    )  # seconds of its kinds of calls, of the slowest rank
    counts: bool = True  # as a run of the model's: nobody else was there, or the forecast knew of them

    @property
    def error(self) -> float:
        """Forecast / measured - 1."""
        return self.forecast.estimate / self.seconds - 1

    @property
    def calibration(self) -> CalibrationRun:
        """What the run says about the model's own error."""
        assert self.kind is not None
        return CalibrationRun.of(self.kind, self.forecast.estimate, self.seconds, self.spreads)

    @property
    def inside(self) -> bool:
        return self.seconds in self.forecast


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """All runs of a case."""

    case: Case
    runs: tuple[CaseRun, ...]

    @property
    def measured(self) -> float:
        """The median run."""
        return median(run.seconds for run in self.runs)

    @property
    def error(self) -> float:
        """The median of the runs' errors."""
        return median(run.error for run in self.runs)

    @property
    def parts(self) -> dict[str, float]:
        """The median seconds of every kind of call."""
        kinds = dict.fromkeys(kind for run in self.runs for kind in run.parts)
        return {kind: median(run.parts.get(kind, 0.0) for run in self.runs) for kind in kinds}

    @property
    def noise(self) -> float:
        """How far a run is from the median run, on average, as a share: what no forecast can be better than."""
        return float(np.mean([abs(run.seconds / self.measured - 1) for run in self.runs]))


@dataclass(frozen=True, slots=True)
class Validation:
    """A whole validation."""

    cluster: str
    cpus: int  # of the cluster
    outcomes: tuple[CaseOutcome, ...]
    made: str
    versions: Mapping[str, str]
    schema: str = SCHEMA

    @classmethod
    def of(cls, cluster: Cluster, outcomes: Sequence[CaseOutcome]) -> Validation:
        return cls(cluster.name, cluster.cpus, tuple(outcomes), now(), versions())

    @property
    def runs(self) -> list[CaseRun]:
        return [run for outcome in self.outcomes for run in outcome.runs]

    @property
    def disturbed(self) -> int:
        """How many runs began while others used the hosts."""
        return sum(not run.counts for run in self.runs)

    @property
    def errors(self) -> list[float]:
        """Absolute errors of all runs, ascending."""
        return sorted(abs(run.error) for run in self.runs)

    @property
    def median_error(self) -> float:
        return median(self.errors)

    @property
    def coverage(self) -> float:
        """The share of runs inside the 80 % ranges of their forecasts."""
        return float(np.mean([run.inside for run in self.runs]))

    @property
    def noise(self) -> float | None:
        """The median noise of all cases that were run more than once; None when none was."""
        known = [outcome.noise for outcome in self.outcomes if len(outcome.runs) > 1]
        return median(known) if known else None

    @property
    def width(self) -> float:
        """The median of high / low of all forecasts."""
        return median(run.forecast.high / run.forecast.low for run in self.runs)

    def worst(self, count: int) -> list[CaseOutcome]:
        """The cases whose forecasts are furthest off."""
        return sorted(self.outcomes, key=lambda outcome: -abs(outcome.error))[:count]
