"""`Forecast`: a median with an 80 % range, which rung said so, what each rung said and cost, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from striate import documents
from striate.errors import PredictionError
from striate.interval import Interval
from striate.ladder.distribution import SHARE, Spread, percentile
from striate.ladder.proofs import Proof
from striate.limits import SMALL_FILE, read_bounded
from striate.noise.model import Day
from striate.provenance import Cost, Provenance
from striate.rungs.answer import Share, Use
from striate.rungs.check import Check
from striate.rungs.server_use import ForwarderUse, MetadataUse, ServerUse
from striate.units import about_seconds

SCHEMA = "striate.forecast/2"
PERCENTILES = (5, 10, 25, 50, 75, 90, 95)  # that the JSON tells


@dataclass(frozen=True, slots=True)
class Answer:
    """What one rung said: its own bounds, the bounds combined with the rungs before it, and what it cost."""

    rung: str
    raw: Interval
    combined: Interval
    cost: Cost
    notes: tuple[str, ...] = ()
    expected_seconds: float = 0.0  # the CPU time it was expected to take
    counted: bool = True  # false: the validity tests refuse it, and it is shown for comparison


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of the program with a choice of its own: which rung, what it said, and why that one."""

    name: str
    rung: str
    seconds: Interval
    why: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """A forecast with all its details; `seconds` is the answer: the median, and the 80 % range around it.

    `bounds` are the rung's own, by which the precision asked for is measured. `spreads` are the sources that make the
    range; without any, as of an exact forecast, `seconds` are the bounds.
    """

    workload: str
    cluster: str
    ranks: int
    rung: str
    seconds: Interval
    bounds: Interval
    answers: tuple[Answer, ...]
    uses: tuple[Use, ...]
    provenance: Provenance
    within: float | None = None  # the precision asked for, as high / low - 1
    notes: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()  # the validity tests that were run
    trusted: bool = True  # false: the tests say that these rungs leave something important out
    applications: tuple[Share, ...] = ()  # where the rung tells them apart
    servers: tuple[ServerUse, ...] = ()  # what each I/O server did, where the rung plays them
    metadata: tuple[MetadataUse, ...] = ()
    forwarders: tuple[ForwarderUse, ...] = ()
    timeline: Any = field(default=None, repr=False, compare=False)  # a Trace, where one was asked for
    proved: Proof | None = None  # what no run can beat or exceed, where a proof is known
    stopped: str = ""  # why the climb stopped
    spreads: tuple[Spread, ...] = ()  # sources of uncertainty, shown apart
    phases: tuple[Phase, ...] = ()  # where each part of the program was given its own rung
    days: tuple[Day, ...] = ()  # on a shared machine: alone, a usual and a bad day, where noise was given
    contradictions: tuple[str, ...] = ()  # claims that the packet-level run has shown to be false
    spent: Cost | None = None  # by the whole forecast; None: by its rungs
    schema: str = SCHEMA

    @property
    def reached(self) -> bool:
        """True when the bounds can be trusted, nothing contradicts them, and they are as narrow as was asked."""
        return (
            self.trusted
            and not self.contradictions
            and (self.within is None or self.bounds.relative_error <= self.within)
        )

    @property
    def cost(self) -> Cost:
        """What the forecast cost: tests, rungs and ranges together."""
        return self.spent or Cost(
            sum(answer.cost.cpu_seconds for answer in self.answers),
            sum(answer.cost.wall_seconds for answer in self.answers),
            max((answer.cost.peak_memory_bytes for answer in self.answers), default=0),
        )

    @property
    def bottleneck(self) -> Use | None:
        """The kind of resource with the most work on its busiest member; None when no use is known."""
        return max(self.uses, key=lambda use: use.busiest_seconds, default=None)

    def percentile(self, percent: float) -> float:
        """The seconds that `percent` of the runs do not exceed; of an exact forecast always the same."""
        return percentile(self.seconds.estimate, self.spreads, percent)

    def __str__(self) -> str:
        spent = about_seconds(self.cost.cpu_seconds)
        runs = f"{SHARE:.0%}: {self._range_words()}" if self.spreads else "exact result of the model"
        return f"{about_seconds(self.seconds.estimate)} ({runs}) by {self.rung}; cost {spent}"

    def _range_words(self) -> str:
        low = about_seconds(self.seconds.low)
        if not self.seconds.is_bounded_above:
            return f"{low} or more, no useful upper bound"
        return f"{low} to {about_seconds(self.seconds.high)}"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(answer.rung)}</td><td>{about_seconds(answer.raw.estimate)}</td>"
            f"<td>{about_seconds(answer.combined.low)}</td><td>{about_seconds(answer.combined.high)}</td></tr>"
            for answer in self.answers
        )
        head = "<tr><th>rung</th><th>seconds</th><th>low</th><th>high</th></tr>"
        title = f"{escape(self.workload)} on {escape(self.cluster)}: {escape(str(self))}"
        return f"<p>{title}</p><table>{head}{rows}</table>"

    def to_json(self, percentiles: Sequence[float] = ()) -> str:
        """The forecast as JSON, without its timeline; with a few percentiles, and those asked for.

        `from_json` gives it back.
        """
        import msgspec

        content = msgspec.to_builtins(replace(self, timeline=None))
        del content["timeline"]
        content["percentiles"] = {
            f"{percent:g}": self.percentile(percent) for percent in sorted({*PERCENTILES, *percentiles})
        }
        return documents.to_json(content)

    @classmethod
    def from_json(cls, text: str | bytes, *, source: str | None = None) -> Forecast:
        """Read what `to_json` wrote; raises PredictionError, with the path of the mistake, on anything else."""
        forecast = documents.from_json(
            text, cls, schema=SCHEMA, name="a forecast", kind=PredictionError, source=source
        )
        if forecast.timeline is not None:
            raise PredictionError(
                "expected a forecast without its timeline (record of the simulated run), which has a file of its own, "
                "got a forecast with a timeline",
                at="$.timeline",
                source=source,
            )
        return forecast

    @classmethod
    def load(cls, path: str | Path) -> Forecast:
        """Read a forecast's JSON file."""
        return cls.from_json(read_bounded(path, SMALL_FILE, kind=PredictionError), source=str(path))
