"""`Advice`: what a caller wants a page to recommend; a page shows it and never makes it up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from striate.tune.advice.item import Item


@dataclass(frozen=True, slots=True)
class Advice:
    """What to change, why, and how many seconds that saves where it is known."""

    change: str
    reason: str
    saves_seconds: float | None = None


def advice_of(items: Iterable[Item]) -> list[Advice]:
    """What `striate advise` found, as a page shows it."""
    return [
        Advice(item.change.words, f"{item.title}: {item.evidence.words}", item.gain.estimate)
        for item in items
    ]
