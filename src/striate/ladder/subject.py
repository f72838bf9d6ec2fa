"""What the ladder climbs: a workload or a stream on a machine, behind one interface."""

from __future__ import annotations

from typing import Protocol

from striate.ladder.proofs import Proof
from striate.ladder.shared_work import SharedWork
from striate.rungs.answer import Verdict
from striate.rungs.check import Check


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

    shared: SharedWork

    def shared_by(self, rung: str) -> frozenset[str]:
        """The pieces of shared work that a rung needs."""
        ...

    def checks(self, within: float) -> tuple[Check, ...]:
        """The validity tests; an effect may take up to `within` of the shortest possible time."""
        ...

    def ask(self, rung: str) -> Verdict:
        """A rung's own answer; raises UnfitError when it does not take the subject."""
        ...

    def replay(self, skew_seconds: float, seed: int) -> float:
        """Seconds of the fine rung when ranks begin at random up to `skew_seconds` apart."""
        ...

    def proved(self) -> Proof | None:
        """Times that no run can beat or exceed; None where no proof is known, or it would cost too much to find."""
        ...

    def expected_seconds(self, rung: str) -> float:
        """About how much CPU time a rung will take, from the subject's size."""
        ...
