"""The climb: validity tests, then rung after rung along the decision tree until the bounds are narrow enough."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from striate.deadline import OutOfTime
from striate.errors import PredictionError
from striate.interval import Interval
from striate.ladder.by_phase import climb_phases
from striate.ladder.decision import START, TREE, Rung, RungTrial
from striate.ladder.forecast import Answer, Forecast
from striate.ladder.program_subject import ProgramSubject
from striate.ladder.proofs import Proof
from striate.ladder.subject import Subject
from striate.provenance import Provenance, metered
from striate.rungs.answer import UnfitError, Verdict
from striate.rungs.check import Check
from striate.rungs.cost import speed_learnt
from striate.units import about_seconds

USUAL_PRECISION = 0.1  # what an effect may cost when no precision is asked for
MODELS = frozenset(("queueing",))  # their bounds are a model's, not the machine's: shown, never relied on
MOMENT_SECONDS = 1.0  # for what is done whatever the budget is
LONGEST_UNASKED = 10.0  # CPU seconds of a first rung, where a budget allows no other
_COMPARISON_SHARE = 0.1  # refused rungs are shown beside `fine` when they cost no more than this of it


@dataclass
class _Climb:
    """What has been found on the way up."""

    subject: Subject
    within: float | None
    budget: float
    proved: Proof | None
    checks: dict[str, Check]
    answers: list[Answer] = field(default_factory=list)
    told: Verdict | None = None  # by the last rung asked, with the uses of the one before if it knows none
    notes: list[str] = field(default_factory=list)
    refused: dict[str, list[str]] = field(default_factory=dict)  # why, and by which rungs
    stopped: str = ""
    over: bool = False  # the budget is spent
    learnt: list[tuple[float, float]] = field(
        default_factory=list
    )  # CPU time expected of each rung, and spent

    def expected(self, rung: str) -> float:
        """CPU time the rung will take, corrected by how the ones before it went."""
        learnt = speed_learnt([guess for guess, _ in self.learnt], [cost for _, cost in self.learnt])
        return self.subject.expected_seconds(rung) * learnt

    def ask(self, rung: str, *, counted: bool = True) -> Answer:
        expected = self.expected(rung)
        known = self.subject.shared.made & self.subject.shared_by(rung)
        with metered() as meter:
            verdict = self.subject.ask(rung)
        self.learnt.append((expected, meter.cost.cpu_seconds))
        cost = meter.cost + self.subject.shared.cost(known)  # as if it had been asked alone
        raw, notes = verdict.interval, verdict.notes
        combined = raw
        if counted and rung != "fine":
            earlier = [answer.combined for answer in self.answers if answer.counted]
            combined, clash = combine(raw, earlier, self.proved)
            notes = (*notes, clash) if clash else notes
        answer = Answer(rung, raw, combined, cost, notes, expected, counted)
        self.answers.append(answer)
        earlier_uses = self.told.uses if self.told else ()
        self.told = replace(verdict, uses=verdict.uses or earlier_uses)
        return answer

    def refuse(self, rung: str, error: UnfitError) -> None:
        """Note which rungs do not take the program: one note for all of them that say the same."""
        rungs = self.refused.setdefault(error.message, [])
        earlier = _unfit_note(rungs, error.message)
        rungs.append(rung)
        self.notes = [note for note in self.notes if note != earlier] + [_unfit_note(rungs, error.message)]

    def end(self, rung: str) -> None:
        """The budget ended a rung: what has been found stands, and nothing more is begun."""
        self.budget = 0.0
        self.over = True
        self.notes.append(f"{rung} was ended when the budget was spent; raise it, or ask for a coarser rung")

    def proved_narrow(self) -> Interval | None:
        """What is proved, where both ends are and lie as close as was asked."""
        if self.proved is None or self.proved.high is None:
            return None
        both = Interval(self.proved.low, self.proved.low, self.proved.high)
        return both if self.narrow(both) else None

    def narrow(self, interval: Interval) -> bool:
        return self.within is not None and interval.relative_error <= self.within


def combine(raw: Interval, earlier: Sequence[Interval], proved: Proof | None) -> tuple[Interval, str]:
    """The smallest high of all rungs (section 6.1) and the largest low that is proved; and what is odd about them.

    The paper also takes the largest low of the rungs; theirs are no proof, for a rung that processes a graph at
    once may delay what is told later by more than its low end allows. Without a proof they must do.
    """
    low = proved.low if proved else max([raw.low, *(one.low for one in earlier)])
    high = min([raw.high, *(one.high for one in earlier)])
    if proved is not None and proved.high is not None:
        high = min(high, proved.high)
    if low > high:
        own = Interval(min(low, raw.low), raw.estimate, raw.high)
        return own, "its bounds contradict earlier results and are used alone"
    return Interval(low, min(max(raw.estimate, low), high), high), ""


def contradictions(answers: Sequence[Answer], proved: Proof | None) -> tuple[str, ...]:
    """The watchdog: every bound that was claimed, held against the run that `fine` has played, if it has."""
    played = next((answer.raw.estimate for answer in answers if answer.rung == "fine"), None)
    if played is None:
        return ()
    found = [proved.broken_by(played)] if proved else []
    for answer in answers:
        if answer.counted and answer.rung != "fine" and not _holds(answer.combined, played):
            found.append(
                f"fine simulates {played:.6g} s, outside the range of {answer.rung}: {answer.combined}"
            )
    return tuple(sentence for sentence in found if sentence)


def _holds(claimed: Interval, played: float) -> bool:
    """Whether the played time lies in the range, but for what adding floating-point numbers loses."""
    return claimed.low * (1 - 1e-9) <= played <= claimed.high * (1 + 1e-9)


def climb(
    subject: Subject,
    *,
    within: float | None,
    rung: str | None,
    budget: float,
    provenance: Provenance,
    self_check: bool = False,
) -> Forecast:
    """Follow the decision tree, or ask `rung` alone; nothing beyond `budget` CPU seconds is begun unasked.

    With `self_check` the finest rung is played afterwards whatever was chosen, and every claim is held against it.
    """
    if rung is not None:
        proved = subject.proved() if self_check else None
        found = _Climb(subject, within, math.inf, proved, {}, stopped=f"only {rung} was asked for")
        found.ask(rung)
        return _forecast(found, provenance, trusted=True, self_check=self_check)
    checks = {check.name: check for check in subject.checks(within or USUAL_PRECISION)}
    found = _Climb(subject, within, budget, subject.proved(), checks)
    if found.proved_narrow():
        return _stop_at_proof(found, provenance, self_check=self_check)
    first = first_rung(START, checks)
    too_long = subject.expected_seconds("fine") > budget
    if first == "fine" and too_long and isinstance(subject, ProgramSubject):
        parted = climb_phases(
            subject,
            lambda part: climb(part, within=within, rung=None, budget=budget, provenance=provenance),
            provenance,
            affordable=max(budget, MOMENT_SECONDS),
        )
        if parted is not None and parted.reached:
            whole = replace(parted, checks=tuple(checks.values()), proved=found.proved)
            return _played_against(subject, whole) if self_check else whole
    trusted = _ascend(found, first) if first != "fine" else _go_to_fine(found)
    return _forecast(found, provenance, trusted=trusted, self_check=self_check)


def expect_affordable(subject: Subject, budget: float, rung: str | None) -> None:
    """Raise PredictionError where the rung that is named costs more than the budget; without one, the cheapest.

    All others begin with the cheapest. What takes a moment is done whatever the budget is.
    """
    if math.isinf(budget):
        return
    cost = subject.expected_seconds(rung or "resource")
    if cost > max(budget, MOMENT_SECONDS):
        which, hint = (rung, "a coarser rung") if rung else ("resource (the cheapest)", "a rung by name")
        raise PredictionError(
            f"the forecasting method (rung) {which} would take about {about_seconds(cost)} of CPU time, "
            f"more than the budget of {about_seconds(budget)}; raise the budget, or ask for {hint}",
            source=subject.name,
        )


def first_rung(at: str, checks: dict[str, Check]) -> str:
    """Walk the tests of the tree to the next rung that may be asked; one that does not apply counts as failed."""
    while isinstance(step := TREE[at], RungTrial):
        at = step.passed if at in checks and checks[at].passed else step.failed
    return at


def _played_against(subject: Subject, forecast: Forecast) -> Forecast:
    """The forecast of a program by its phases, held against the whole of it packet by packet."""
    played = subject.ask("fine").interval.estimate
    found = [forecast.proved.broken_by(played)] if forecast.proved else []
    if not _holds(forecast.bounds, played):
        found.append(f"fine simulates {played:.6g} s, outside the range by phase: {forecast.bounds}")
    return replace(forecast, contradictions=(*forecast.contradictions, *(one for one in found if one)))


def _stop_at_proof(found: _Climb, provenance: Provenance, *, self_check: bool) -> Forecast:
    """Bounds that are proved need no test of validity, and no rung but one to fill in the loads."""
    found.ask("resource")
    found.stopped = f"the proved bounds are within {found.within:.0%}"
    return _forecast(found, provenance, trusted=True, self_check=self_check)


def _ascend(found: _Climb, first: str) -> bool:
    """Rung after rung while the bounds are too wide; True, for the tests allow these rungs."""
    at: str | None = first
    while at is not None:
        if at == "flow" and not _flow_is_wanted(found):
            at = "fine"
        if any(answer.counted for answer in found.answers):
            if not _affordable(found, at):
                return True
        elif found.expected(at) > max(found.budget, LONGEST_UNASKED):
            return _tell_sums(found, at)
        try:
            answer = found.ask(at, counted=at not in MODELS)
        except UnfitError as error:
            found.refuse(at, error)
        except OutOfTime:
            if not any(answer.counted for answer in found.answers):
                raise
            found.end(at)
            found.stopped = f"the budget was spent before {at} had answered"
            return True
        else:
            if answer.counted and found.narrow(answer.combined):
                found.stopped = f"{at} is within {found.within:.0%}"
                return True
        step = TREE[at]
        assert isinstance(step, Rung)
        at = first_rung(step.wider, found.checks) if step.wider else None
    if not any(answer.counted for answer in found.answers):
        why = "; ".join(f"{message} (asked: {', '.join(rungs)})" for message, rungs in found.refused.items())
        raise PredictionError(why, source=found.subject.name)
    found.stopped = "there is no finer rung"
    return True


def _tell_sums(found: _Climb, rung: str) -> bool:
    """What `resource` says where even the first rung that the tests allow costs too much: nothing to rely on."""
    cost = about_seconds(found.expected(rung))
    found.notes.append(f"{rung} would take about {cost} of CPU time; ask for it by name, or raise the budget")
    if not _ask_if_fit(found, "resource", counted=False):
        raise PredictionError("; ".join(found.notes), source=found.subject.name)
    found.stopped = f"the tests require {rung}, which would take too long"
    return False


def _flow_is_wanted(found: _Climb) -> bool:
    """Where every packet costs more than the budget, and every message does not."""
    return found.expected("flow") <= found.budget < found.expected("fine")


def _affordable(found: _Climb, rung: str) -> bool:
    cost = found.expected(rung)
    if cost <= found.budget:
        return True
    hint = "ask for it by name"
    if found.budget:
        found.stopped = f"{rung} would take more than the budget of {about_seconds(found.budget)}"
        hint += ", or raise the budget"
    else:
        found.stopped = f"{rung} simulates the order of accesses, which this log does not record"
    found.notes.append(f"{rung} would take about {about_seconds(cost)} of CPU time; {hint}")
    return False


def _go_to_fine(found: _Climb) -> bool:
    """The tests refuse every coarse rung: `fine` if it can be had, beside the others for comparison."""
    refused = ", ".join(name for name in _refusing(found.checks))
    affordable = found.expected("fine") <= found.budget
    limit = _COMPARISON_SHARE * found.expected("fine") if affordable else found.budget
    for rung in ("resource", "macro-rr", "macro-queue", "micro"):
        if "groups of events" not in found.checks:
            break  # no coarse rung models this machine
        if rung == "resource" and not found.checks["groups of events"].passed:
            continue
        if found.expected(rung) <= limit:
            _ask_if_fit(found, rung, counted=False)
    if affordable and _ask_if_fit(found, "fine", counted=True):
        found.stopped = f"the tests ({refused}) require a packet-level run, which fine has done"
        return True
    if not affordable:
        _affordable(found, "fine")
        if _flow_is_wanted(found) and _ask_if_fit(found, "flow", counted=True):
            found.stopped = (
                f"the tests ({refused}) require a packet-level run, which would take too long; "
                "flow simulated messages instead"
            )
            return True
    if not found.answers and "groups of events" in found.checks:  # of sums that the tests have made
        found.ask("resource", counted=False)
    if not found.answers:
        raise PredictionError("; ".join(found.notes), source=found.subject.name)
    found.stopped = f"the tests ({refused}) require a packet-level run, which was not done"
    return False


def _unfit_note(rungs: list[str], message: str) -> str:
    return f"not answered by {', '.join(rungs)}: {message}"


def _refusing(checks: dict[str, Check]) -> Iterator[str]:
    """The tests on the way from the start of the tree to `fine` that failed."""
    at = START
    while isinstance(step := TREE[at], RungTrial):
        if not checks[at].passed:
            yield at
        at = step.passed if checks[at].passed else step.failed


def _ask_if_fit(found: _Climb, rung: str, *, counted: bool) -> bool:
    if found.over:
        return False
    try:
        found.ask(rung, counted=counted)
    except UnfitError as error:
        found.refuse(rung, error)
        return False
    except OutOfTime:
        found.end(rung)
        return False
    return True


def _forecast(found: _Climb, provenance: Provenance, *, trusted: bool, self_check: bool = False) -> Forecast:
    counted = [answer for answer in found.answers if answer.counted]
    last, told = (counted or found.answers)[-1], found.told  # a model's answer is shown, never relied on
    assert told is not None
    bounds = last.combined
    if trusted and last.rung != "fine" and (proved := found.proved_narrow()):
        bounds = Interval(proved.low, min(max(last.raw.estimate, proved.low), proved.high), proved.high)
    if self_check and all(answer.rung != "fine" for answer in found.answers):
        _ask_if_fit(found, "fine", counted=False)
    return Forecast(
        workload=found.subject.name,
        cluster=found.subject.machine,
        ranks=found.subject.ranks,
        rung=last.rung,
        seconds=bounds,
        bounds=bounds,
        answers=tuple(found.answers),
        uses=told.uses,
        provenance=provenance,
        within=found.within,
        notes=(*last.notes, *found.notes, *found.subject.notes),
        checks=tuple(found.checks.values()),
        trusted=trusted,
        proved=found.proved,
        stopped=found.stopped,
        applications=told.applications,
        servers=told.servers,
        metadata=told.metadata,
        forwarders=told.forwarders,
        timeline=told.timeline,
        contradictions=contradictions(found.answers, found.proved),
    )
