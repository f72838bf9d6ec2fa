"""What the ladder climbs: a workload or a stream on a machine, behind one interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from striate.errors import PredictionError
from striate.interval import Interval
from striate.predict.check import Check
from striate.predict.forecast import Share, Use
from striate.predict.server_use import MetadataUse, ServerUse
from striate.trace.trace import Trace

RUNGS = (
    "resource",
    "queueing",
    "macro-rr",
    "macro-queue",
    "micro",
    "fine",
)  # from the cheapest to the dearest


class UnfitError(PredictionError):
    """A workload that a rung does not take; the ladder goes without it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rung says by itself, the load of each kind of resource, and what the user should know."""

    interval: Interval
    uses: tuple[Use, ...]
    notes: tuple[str, ...] = ()
    applications: tuple[Share, ...] = ()  # where the rung tells them apart
    timeline: Trace | None = None
    servers: tuple[ServerUse, ...] = ()
    metadata: tuple[MetadataUse, ...] = ()


class Subject(Protocol):
    """One program or stream on one machine."""

    @property
    def name(self) -> str: ...
    @property
    def machine(self) -> str: ...
    @property
    def ranks(self) -> int: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    def checks(self, within: float) -> tuple[Check, ...]:
        """The validity tests; an effect may take up to `within` of the shortest possible time."""
        ...

    def ask(self, rung: str) -> Verdict:
        """A rung's own answer; raises UnfitError when it does not take the subject."""
        ...

    def proved(self) -> Interval | None:
        """Times that no run can beat and no run can exceed; None when that would cost too much to know."""
        ...

    def expected_seconds(self, rung: str) -> float:
        """About how much CPU time a rung will take, from the subject's size."""
        ...
