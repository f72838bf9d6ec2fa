"""How long messages wait for a receiver without a CPU; `striate.predict.sharing` is the model these numbers go into.

Ranks compute a little and agree, again and again. What a round takes beyond its computing, shared fairly with all that
want the CPUs, is what the log2(ranks) messages of the agreement wait.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from striate.interval import Interval
from striate.probe.report import Report
from striate.probe.samples import Measurement

COMPUTE_SECONDS = 2e-3
CROWD, BESIDE = "2 ms of computing and an allreduce", "the same beside busy processes"


@dataclass(frozen=True, slots=True)
class Wait:
    """A time, and how many measurements say so."""

    value: Interval
    samples: int


def waits(report: Report) -> dict[str, Wait]:
    """`turn` and `time_slice` of the settings, as far as the report knows."""
    cpus, background = report.facts.cpus, _background(report)
    found, time_slice = {}, 0.0
    for one in _named(report, BESIDE):
        share = taken_by_background(_ranks(one), cpus + background, cpus)
        value = _each_wait(one, cpus, cpus + background, 0.0, share)
        found["time_slice"] = Wait(value, one.samples)
        time_slice = value.estimate
    crowds = [one for one in _named(report, CROWD) if _ranks(one) > cpus]
    turns = [
        _each_wait(
            one,
            cpus,
            background,
            time_slice * taken_by_background(_ranks(one), background, cpus),
            _ranks(one) / cpus - 1,
        )
        for one in crowds
    ]
    if turns:
        middle = sum(turn.estimate for turn in turns) / len(turns)
        ends = Interval(min(turn.low for turn in turns), middle, max(turn.high for turn in turns))
        found["turn"] = Wait(ends, sum(one.samples for one in crowds))
    return found


def taken_by_background(ranks: int, background: float, cpus: int) -> float:
    """How often a rank that could go on finds its CPU taken by a background process."""
    return max(0.0, 1 - cpus / (ranks + background)) * background / (background + 1)


def _each_wait(one: Measurement, cpus: int, background: float, known: float, share: float) -> Interval:
    """What a message waits beyond what is `known`, for each unit of `share`."""
    ranks = _ranks(one)
    computing = COMPUTE_SECONDS * max(1.0, (ranks + background) / cpus)
    rounds = max(1, math.ceil(math.log2(ranks)))

    def wait(seconds: float) -> float:
        return max(0.0, (seconds - computing) / rounds - known) / share

    return Interval(wait(one.value.low), wait(one.value.estimate), wait(one.value.high))


def _named(report: Report, name: str) -> list[Measurement]:
    return [one for one in report.found.measurements if one.name.startswith(f"{name}, ")]


def _ranks(one: Measurement) -> int:
    return int(one.name.rpartition(", ")[2].split()[0])


def _background(report: Report) -> float:
    load = report.get("background")
    return load.value.estimate if load is not None else 0.0
