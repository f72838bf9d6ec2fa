"""`Advice`: what a caller wants a page to recommend; a page shows it and never makes it up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Advice:
    """What to change, why, and how many seconds that saves where it is known."""

    change: str
    reason: str
    saves_seconds: float | None = None
