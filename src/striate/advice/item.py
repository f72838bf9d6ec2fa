"""One piece of advice: evidence, gain, the exact change, and how to verify it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from striate.interval import Interval
from striate.tuning.change import Change

Numbers = NDArray[np.number[Any]] | NDArray[np.bool_]
Severity = Literal["critical", "serious", "minor"]
CRITICAL, SERIOUS = 0.20, 0.05  # shares of the run


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was seen: how many operations, their bytes, and the seconds ranks spent in them, summed."""

    operations: int
    bytes: int
    seconds: float
    words: str

    @classmethod
    def of(cls, operations: Numbers, bytes_: Numbers, seconds: Numbers, words: str) -> Evidence:
        """The sums of what the records say."""
        return cls(int(operations.sum()), int(bytes_.sum()), float(seconds.sum()), words)


@dataclass(frozen=True, slots=True)
class Item:
    """Advice: what is wrong, why it matters, what to change. `gain` is in seconds of the run; None: not priced."""

    rule: str
    title: str
    severity: Severity
    evidence: Evidence
    why: str
    affected: Interval  # seconds of the run that the operations took
    gain: Interval | None
    share: float  # of the run, by the estimate of the gain; of the affected operations without one
    certainty: str  # observed, inferred, assumed; simulated: the gain was predicted on a cluster
    change: Change
    verify: str

    def to_dict(self) -> dict[str, Any]:
        import msgspec

        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain


def severity_of(seconds: float, run_seconds: float) -> Severity:
    """By the share of the run that is saved, or affected where no gain is known."""
    share = seconds / run_seconds if run_seconds > 0 else 0.0
    return "critical" if share >= CRITICAL else "serious" if share >= SERIOUS else "minor"
