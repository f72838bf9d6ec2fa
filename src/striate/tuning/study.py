"""`Study`: what a search found - the best candidate, those it cannot be told from, and what became of the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from striate import documents
from striate.decoders import json_mistake
from striate.errors import TuningError
from striate.interval import Interval
from striate.ladder.distribution import MACHINE, Spread, range_of
from striate.provenance import Provenance
from striate.tuning.space import Candidate
from striate.units import about_seconds

SCHEMA = "striate.tuning/1"

State = Literal["best", "tie", "behind", "dropped", "undecided", "refused"]
MEANING: Mapping[State, str] = {
    "best": "the shortest time of all candidates that were simulated",
    "tie": "indistinguishable from the best",
    "behind": "simulated by the last rung, and slower with the machine's median and with both ends of its ranges",
    "dropped": "its lower bound is above another's upper bound, so the expensive rungs were skipped",
    "undecided": "the budget ended before the expensive rungs",
    "refused": "these settings contradict each other",
}

PLAYED = "fine"  # the rung that simulates every packet
TOO_SHORT = "the budget ended before the first candidate was simulated"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known of one candidate: its bounds, and the most expensive rung that was asked."""

    candidate: Candidate
    state: State
    seconds: Interval | None  # None: refused
    rung: str
    words: str = ""  # why it was refused


@dataclass(frozen=True, slots=True)
class Study:
    """A finished search. `outcomes` has the best first; `now` is the program without any knob turned."""

    program: str
    cluster: str
    search: str
    seed: int
    budget_seconds: float
    spent_seconds: float
    resolution: float  # times closer than this share are ties
    outcomes: tuple[Outcome, ...]
    now: Outcome
    provenance: Provenance
    saved_seconds: Interval | None = (
        None  # by the best against now, an 80 % range; None when either has no time
    )
    notes: tuple[str, ...] = ()
    model: Spread | None = None  # how far real runs of this program are from simulated times
    schema: str = SCHEMA

    def range_of(self, outcome: Outcome) -> Interval | None:
        """The 80 % range of real runs of a simulated candidate; of others the bounds that the last rung asked gave."""
        seconds, model = outcome.seconds, self.model
        if seconds is None or model is None or outcome.rung != PLAYED:
            return seconds
        return range_of(seconds.estimate, [Spread.between(MACHINE, seconds.estimate, seconds, ""), model])

    @property
    def best(self) -> Outcome:
        """The winner; raises TuningError when every candidate was refused, or none was simulated."""
        if self.outcomes[0].state == "undecided":
            raise TuningError(TOO_SHORT)
        if self.outcomes[0].state != "best":
            raise TuningError(
                "expected a combination of settings that can be forecast, but every one was refused; "
                f"the reason for the first: {self.outcomes[0].words}"
            )
        return self.outcomes[0]

    @property
    def ties(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.state == "tie")

    @property
    def finished(self) -> bool:
        """False when the budget ended first."""
        return all(outcome.state != "undecided" for outcome in self.outcomes)

    def counts(self) -> dict[str, int]:
        """How many candidates have each outcome."""
        states = [outcome.state for outcome in self.outcomes]
        return {state: states.count(state) for state in MEANING if state in states}

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        import msgspec

        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain | {"counts": self.counts()}

    def to_json(self) -> str:

        return documents.to_json(self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes, *, source: str | None = None) -> Study:
        """Read what `to_json` wrote; raises TuningError on anything else."""
        import msgspec

        try:
            study = msgspec.json.decode(text, type=cls)
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError) as error:
            message, at = json_mistake(error)
            raise TuningError(f"not a tuning: {message}", at=at, source=source) from None
        if study.schema != SCHEMA or not study.outcomes:
            raise TuningError(f"expected outcomes in schema {SCHEMA!r}", at="$.schema", source=source)
        return study

    def __str__(self) -> str:
        assert self.best.seconds is not None
        found = f"{self.best.candidate}: {about_seconds(self.best.seconds.estimate)}"
        if self.now.seconds is None:
            return found
        return f"{found}, now {about_seconds(self.now.seconds.estimate)}"
