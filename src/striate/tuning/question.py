"""The question every worker is asked: how long does this program take with these settings, by this rung?

Questions travel between processes and hosts, so they hold texts, numbers and functions that have a name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import lru_cache
from statistics import median
from typing import Any

from striate.cluster.cluster import Cluster
from striate.deadline import OutOfTime, ended_after
from striate.errors import PluginError, StriateError, TuningError
from striate.interval import Interval
from striate.ladder.placements import DRAWS, draws
from striate.ladder.predict import predict_bounds, proved_bounds
from striate.ladder.proofs import Proof
from striate.plugins.loading import Plugins, load
from striate.rungs.answer import UnfitError
from striate.tuning.deadline import TaskDeadline
from striate.tuning.knobs import KNOBS, collective_rules, turn
from striate.tuning.space import Candidate, Value
from striate.workload.workload import Workload

Build = Callable[..., Workload]  # a function of a module, or a functools.partial of one


@dataclass(frozen=True, slots=True)
class Question:
    """The program, as a function of some of the knobs, and the machine, as the text of its description."""

    build: Build
    cluster: str
    plugins: tuple[str, ...] = ()  # sources, which every worker loads

    def parameters(self) -> frozenset[str]:
        """Names of the knobs that the program itself takes."""
        return frozenset(
            name
            for name, parameter in inspect.signature(self.build).parameters.items()
            if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        )

    def refuse_unknown(self, names: Sequence[str]) -> None:
        """Raise TuningError for a knob that neither the program nor the machine has."""
        own = self.parameters()
        for name in names:
            if name not in own and name not in KNOBS:
                known = ", ".join(sorted({*own, *KNOBS}))
                raise TuningError(f"expected a knob (setting) among {known}, got {name!r:.60}", at="$.vary")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a rung said of a candidate; without an interval, why not, and whether no rung would take it."""

    interval: Interval | None
    proved: Proof | None = None  # no run is faster or slower; None where nothing is proved
    words: str = ""
    impossible: bool = False


@dataclass(frozen=True, slots=True)
class FixedWorkload:
    """A program without knobs of its own, for `Question.build`."""

    workload: Workload

    def __call__(self) -> Workload:
        return self.workload


def ask(
    question: Question, candidates: tuple[Candidate, ...], rung: str, deadline: TaskDeadline
) -> list[Reply]:
    """One reply per candidate, in order, and fewer where the time is over; runs wherever striate is installed."""
    replies: list[Reply] = []
    try:
        for candidate in candidates:
            with ended_after(deadline.left):
                replies.append(_reply(question, candidate, rung))
    except OutOfTime:
        pass
    return replies


def realise(question: Question, settings: dict[str, Value]) -> tuple[Workload, Cluster]:
    """The program and the machine with the knobs turned."""
    own = question.parameters()
    mine = {name: value for name, value in settings.items() if name in own}
    others = {name: value for name, value in settings.items() if name not in own}
    return turn(others, question.build(**mine), _machine(question.cluster))


def on_placements(question: Question, settings: dict[str, Value]) -> tuple[Workload, list[Cluster]]:
    """The program, and the machine with several placements: settings are not to win by the luck of one."""
    workload, cluster = realise(question, settings)
    return workload, [cluster, *draws(workload, cluster, DRAWS)]


def bounds_on(
    question: Question, settings: dict[str, Value], workload: Workload, machines: Sequence[Cluster], rung: str
) -> list[Interval]:
    """What a rung says of the program on each machine."""
    plugins = _plugins(question.plugins)
    rules = collective_rules(settings, plugins.collectives)
    return [predict_bounds(workload, one, rung=rung, collectives=rules, plugins=plugins) for one in machines]


def _reply(question: Question, candidate: Candidate, rung: str) -> Reply:
    try:
        plugins = _plugins(question.plugins)
        rules = collective_rules(candidate.settings, plugins.collectives)
        workload, machines = on_placements(question, candidate.settings)
        bounds = _middle(bounds_on(question, candidate.settings, workload, machines, rung))
        played = rung == "fine"  # a run of the model: what it takes is proved by the run
        proved = (
            _as_played(bounds)
            if played
            else _middle_proof([proved_bounds(workload, one, rules, plugins) for one in machines])
        )
    except PluginError:
        raise
    except UnfitError as error:
        return Reply(None, words=str(error))
    except StriateError as error:
        return Reply(None, words=str(error), impossible=True)
    return Reply(bounds, proved)


@lru_cache(maxsize=4)
def _machine(text: str) -> Any:
    from striate.cluster.load import cluster_from_toml

    return cluster_from_toml(text)


@lru_cache(maxsize=4)
def _plugins(sources: tuple[str, ...]) -> Plugins:
    return load(sources)


def _middle(intervals: Sequence[Interval]) -> Interval:
    """The medians of all three numbers."""
    return Interval(*(median(ends) for ends in zip(*(map(astuple, intervals)), strict=True)))


def _middle_proof(proofs: Sequence[Proof | None]) -> Proof | None:
    """What is proved of the median of the times: where each has its bound, the bounds' median is one of theirs."""
    known = [one for one in proofs if one is not None]
    if len(known) < len(proofs):
        return None
    highs = [one.high for one in known if one.high is not None]
    return replace(
        known[0],
        low=median(one.low for one in known),
        high=median(highs) if len(highs) == len(known) else None,
    )


def _as_played(seconds: Interval) -> Proof:
    return Proof(seconds.low, seconds.high, "its packet-level run")
