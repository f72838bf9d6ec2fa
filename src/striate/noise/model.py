"""`Noise`: how many times longer than alone a job takes on a usual and on a bad day, and the range of its next runs."""

from __future__ import annotations

import importlib.resources
import math
from dataclasses import dataclass
from pathlib import Path

from striate import documents
from striate.errors import NoiseError
from striate.interval import Interval

SCHEMA = "striate.noise/1"
SHARE = 0.9  # of further runs that the range of a series is to hold
PROBABILITIES = (0.01, *(round(0.05 * step, 2) for step in range(1, 20)), 0.99)
ALONE = PROBABILITIES.index(0.05)  # the pace that one run in twenty beats is that of a machine left alone
USUAL = PROBABILITIES.index(0.5)
BAD = PROBABILITIES.index(0.95)
BUNDLED = ("tokio",)


@dataclass(frozen=True, slots=True)
class LearntSeries:
    """One job: quantiles of its time in multiples of its time alone, and how much wider its next runs range."""

    machine: str
    program: str
    ranks: int
    runs: int
    slowdowns: tuple[float, ...]  # at PROBABILITIES
    drift: float  # factor by which the range's low end is divided and its high end multiplied

    def __post_init__(self) -> None:
        grows = all(0 < one <= two for one, two in zip(self.slowdowns, self.slowdowns[1:], strict=False))
        finite = all(map(math.isfinite, (*self.slowdowns, self.drift)))
        if len(self.slowdowns) != len(PROBABILITIES) or not grows or not finite:
            raise ValueError(
                f"expected {len(PROBABILITIES)} positive slowdowns (time divided by time alone) in ascending order and "
                "a finite drift (factor that widens the range of the next runs), "
                f"got {len(self.slowdowns)} slowdowns {self.slowdowns!s:.60} and drift {self.drift}"
            )
        if self.drift < 1:
            raise ValueError(
                f"expected a drift (factor that widens the range of the next runs) of at least 1, got {self.drift}"
            )

    @property
    def name(self) -> str:
        return f"{self.machine}, {self.program}, {self.ranks} ranks" if self.ranks else self.program

    @property
    def next_runs(self) -> Interval:
        """The 90 % range and the median of further runs, in multiples of the time alone."""
        low, high = self.slowdowns[ALONE] / self.drift, self.slowdowns[BAD] * self.drift
        return Interval(low, self.slowdowns[USUAL], high)


@dataclass(frozen=True, slots=True)
class Day:
    """A forecast's seconds on a kind of day, and how many times longer than alone that is."""

    name: str
    slowdown: float
    seconds: Interval


@dataclass(frozen=True, slots=True)
class Noise:
    """What was learnt from repeated runs: every series, and all of them together with equal weight."""

    source: str
    pooled: LearntSeries
    series: tuple[LearntSeries, ...]
    schema: str = SCHEMA

    def days(self, seconds: Interval) -> tuple[Day, ...]:
        """What `seconds`, forecast for the machine alone, become on a usual and on a bad day.

        On a usual day half of the past runs were slower, on a bad day one in twenty.
        """
        slowdowns = self.pooled.slowdowns
        factors = (("alone", 1.0), ("usual day", slowdowns[USUAL]), ("bad day", slowdowns[BAD]))
        return tuple(
            Day(
                name,
                factor,
                Interval(*(factor * end for end in (seconds.low, seconds.estimate, seconds.high))),
            )
            for name, factor in factors
        )

    def of_job(self, words: str) -> Noise:
        """The same, asking only the series whose name holds all of `words`; raises NoiseError unless there is one."""
        asked = words.lower().split()
        found = [one for one in self.series if all(word in one.name.lower() for word in asked)]
        if len(found) != 1:
            known = "; ".join(one.name for one in (found or self.series)[:4])
            raise NoiseError(
                f"expected words that match the name of one series of runs, got {words!r:.60}, "
                f"which match {len(found)} names; names of series: {known}"
            )
        return Noise(self.source, found[0], self.series)

    def to_json(self) -> str:
        return documents.to_json(self)

    @classmethod
    def from_json(cls, text: str | bytes, *, source: str | None = None) -> Noise:
        """Read what `to_json` wrote; raises NoiseError, with the path of the mistake, on anything else."""
        return documents.from_json(
            text, cls, schema=SCHEMA, name="learnt noise", kind=NoiseError, source=source
        )


def load_noise(name: str) -> Noise:
    """What `striate noise learn` wrote, or the bundled prior `tokio`; `NAME:WORDS` asks one series of it."""
    file, _, words = name.partition(":") if not Path(name).is_file() else (name, "", "")
    if file in BUNDLED and not Path(file).is_file():
        content = (importlib.resources.files("striate.noise") / "data" / f"{file}.json").read_bytes()
    elif Path(file).is_file():
        content = Path(file).read_bytes()
    else:
        raise NoiseError(
            "there is no such file, and no bundled table of slowdowns (time divided by time alone) of this name "
            f"(bundled: {', '.join(BUNDLED)})",
            source=file,
        )
    noise = Noise.from_json(content, source=file)
    return noise.of_job(words) if words else noise
