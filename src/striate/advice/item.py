"""One piece of advice: evidence, gain, the exact change, and how to verify it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from striate.interval import Interval
from striate.tuning.change import Change

Severity = Literal["critical", "serious", "minor"]
CRITICAL, SERIOUS = 0.20, 0.05  # shares of the run that the low end of the gain must reach


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was seen: how many operations, their bytes, and the seconds ranks spent in them, summed."""

    operations: int
    bytes: int
    seconds: float
    words: str


@dataclass(frozen=True, slots=True)
class Item:
    """Advice with its number: `gain` is in seconds of the run, with the low and the high end."""

    rule: str
    title: str
    severity: Severity
    evidence: Evidence
    gain: Interval
    share: float  # of the run, by the estimate
    change: Change
    verify: str

    def to_dict(self) -> dict[str, Any]:
        import msgspec

        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain


def severity_of(gain: Interval, run_seconds: float) -> Severity:
    """By the share of the run that is saved at least."""
    share = gain.low / run_seconds if run_seconds > 0 else 0.0
    return "critical" if share >= CRITICAL else "serious" if share >= SERIOUS else "minor"
