"""The race: cheap rungs for all, expensive rungs for those that may still win.

A candidate is dropped only when it is proved to take longer than another: its proved lower bound is above the other's
proved upper bound, or above the time of its packet-level run. What a cheap rung says beyond that orders the candidates
and drops none. They are asked in waves of a fixed size, the most promising first: what is found does not depend on
how many workers there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from striate.interval import Interval
from striate.tuning.panel import Panel
from striate.tuning.question import Reply
from striate.tuning.space import Candidate
from striate.tuning.study import Outcome, State

WAVE = 8


@dataclass(slots=True)
class Standing:
    """What is known of a candidate so far."""

    candidate: Candidate
    seconds: Interval | None = None
    proved_low: float = 0.0
    rung: str = ""
    words: str = ""
    refused: bool = False

    @property
    def shown(self) -> Interval | None:
        """What the outcome tells: the range of the last rung asked, no lower than what is proved."""
        if self.seconds is None:
            return None
        proved = Interval(self.proved_low, self.proved_low, math.inf)
        return self.seconds.combined(proved) if self.seconds.meets(proved) else self.seconds


class Race:
    """Candidates and their bounds; `rungs` from the cheapest to the most expensive."""

    def __init__(self, panel: Panel, rungs: Sequence[str]) -> None:
        self.panel = panel
        self.rungs = tuple(rungs)
        self.standings: dict[int, Standing] = {}
        self.least_high = math.inf

    def run(self, candidates: Sequence[Candidate]) -> None:
        """Ask every rung in turn, as far as the budget lasts."""
        self.ask_in_waves(candidates, self.rungs[0], wave=8 * WAVE)
        for rung in self.rungs[1:]:
            self.ask_in_waves(self.by_promise(candidates), rung, wave=WAVE)

    def ask_in_waves(self, candidates: Sequence[Candidate], rung: str, *, wave: int) -> None:
        """Ask one rung about those still in the race; what a wave finds out is used for the next."""
        waiting = list(candidates)
        while waiting and not self.panel.is_over:
            batch: list[Candidate] = []
            while waiting and len(batch) < wave:
                candidate = waiting.pop(0)
                if self.may_win(candidate):
                    batch.append(candidate)
            for reply, candidate in zip(self.panel.ask(batch, rung), batch, strict=False):
                self._note(candidate, reply, rung)

    def may_win(self, candidate: Candidate) -> bool:
        """False once it is proved to take longer than another, or it was refused."""
        standing = self.standings.get(candidate.number)
        if standing is None or standing.refused:
            return standing is None
        return standing.proved_low <= self.least_high

    def by_promise(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those still in the race, the lowest estimate first."""
        known = [
            (*_promise(standing), candidate.number, candidate)
            for candidate in candidates
            if (standing := self.standings.get(candidate.number)) is not None and self.may_win(candidate)
        ]
        return [candidate for *_, candidate in sorted(known, key=lambda entry: entry[:3])]

    def _note(self, candidate: Candidate, reply: Reply, rung: str) -> None:
        standing = self.standings.setdefault(candidate.number, Standing(candidate))
        if reply.interval is None:
            # A cheap rung that does not take it leaves it in the race; the last one leaves it its bounds.
            if reply.impossible or rung == self.rungs[-1]:
                standing.words = reply.words
                standing.refused = standing.seconds is None
            standing.rung = standing.rung or rung
            return
        known, found = standing.seconds, reply.interval
        standing.seconds = found.combined(known) if known is not None and found.meets(known) else found
        standing.rung = rung
        if reply.proved is not None:
            standing.proved_low = max(standing.proved_low, reply.proved.low)
            if reply.proved.high is not None:
                self.least_high = min(self.least_high, reply.proved.high)

    def outcomes(self, candidates: Sequence[Candidate], resolution: float) -> tuple[Outcome, ...]:
        """The end of the race: the best first, ties next to it, the refused last."""
        standings = [self.standings.get(one.number, Standing(one)) for one in candidates]
        asked = [one for one in standings if one.seconds is not None and not one.refused]
        decided = [one for one in asked if one.rung == self.rungs[-1]] or asked
        best = min(decided, key=_order, default=None)
        found = [
            Outcome(one.candidate, self._state(one, best, resolution), one.shown, one.rung, one.words)
            for one in standings
        ]
        return tuple(sorted(found, key=_rank))

    def _is_decided(self, standing: Standing) -> bool:
        """The last rung was asked, or would not take it."""
        return standing.rung == self.rungs[-1] or bool(standing.words)

    def _state(self, one: Standing, best: Standing | None, resolution: float) -> State:
        if one.refused:
            return "refused"
        if best is None or one.seconds is None:
            return "undecided"
        if one is best:
            return "best"
        assert best.seconds is not None
        if not self._is_decided(one):
            return "undecided" if self.may_win(one.candidate) else "dropped"
        return "behind" if is_slower(one.seconds, best.seconds, resolution) else "tie"


def _promise(standing: Standing) -> tuple[float, float]:
    """Estimate and low end; of one that no rung has taken yet nothing is known, and it is asked first."""
    return (standing.seconds.estimate, standing.seconds.low) if standing.seconds else (0.0, 0.0)


def is_slower(one: Interval, best: Interval, resolution: float) -> bool:
    """True when one is slower than the best whatever the machine is within its ranges.

    Both were played on the same machine, as fast, in the middle, and as slow as it may be: what is unknown of it
    shifts both alike, so ends are compared with ends.
    """
    more = 1 + resolution
    paired = one.low > best.low * more and one.estimate > best.estimate * more and one.high > best.high * more
    return paired or one.low > best.high * more


def _order(standing: Standing) -> tuple[float, int]:
    assert standing.seconds is not None
    return standing.seconds.estimate, standing.candidate.number


_STATES: tuple[State, ...] = ("best", "tie", "behind", "undecided", "dropped", "refused")


def _rank(outcome: Outcome) -> tuple[int, float, int]:
    seconds = math.inf if outcome.seconds is None else outcome.seconds.estimate
    return _STATES.index(outcome.state), seconds, outcome.candidate.number
