"""The outcome of one validity test."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One validity test: whether coarse rungs pass it, and what was found."""

    name: str
    passed: bool
    finding: str
    effect_seconds: float = 0.0
