"""What a rule hands back: a change to the program that is worth a prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from striate.advice.item import Evidence
from striate.tuning.change import Change
from striate.workload.workload import Workload


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """How to make the program after the change, and before it where that is not the traced program as it is."""

    title: str
    evidence: Evidence
    change: Change
    verify: str
    after: Callable[[], Workload]
    before: Callable[[], Workload] | None = None
