"""What a rule says: a problem with its evidence and what it costs, nothing, or why it cannot judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from striate.advice.facts import Facts
from striate.advice.item import Evidence
from striate.interval import Interval
from striate.tuning.change import Change

Certainty = Literal["observed", "inferred", "assumed"]
SPREAD = 0.1  # of a gain: two runs of one program differ by about this much


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Why a rule cannot say anything: what the log lacks."""

    lacks: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A problem. `wall` is what the affected operations took of the run; `saved` the shares of it a change may save.

    `certainty` is that of the finding: read off the counters, inferred from sums, or resting on an assumption.
    """

    title: str
    evidence: Evidence
    why: str
    wall: Interval
    change: Change
    verify: str
    saved: tuple[float, float] | None = None  # None: no price can be put on it
    cap: float | None = None  # seconds that no change can save more than, where that is less than `wall`
    certainty: Certainty = "observed"


Verdict = Diagnosis | Unjudged | None
Rule = Callable[[Facts], Verdict]


def gain_of(diagnosis: Diagnosis) -> Interval | None:
    """Seconds of the run that the change saves, or None without a price. Never more than the operations took."""
    if diagnosis.saved is None:
        return None
    least, most = diagnosis.saved
    wall, cap = diagnosis.wall, diagnosis.wall.high if diagnosis.cap is None else diagnosis.cap
    high = min(wall.high * most, wall.high, cap)
    low = min(wall.low * least, high) * (1 - SPREAD)
    middle = min(max(wall.estimate * (least + most) / 2, low), high)
    return Interval(low, middle, high) if high > low else None
