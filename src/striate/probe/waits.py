"""How long messages wait for a receiver without a CPU; numbers for the model in `striate.engine.oversubscription`.

Ranks compute a little and call a collective, again and again. What a round takes beyond its computing, shared fairly
among all processes on the CPUs, is the waiting of the log2(ranks) messages of the call: each waits until its receiver
is scheduled, and the first of them also for ranks that compute again already.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from striate.interval import Interval
from striate.probe.report import ProbeReport
from striate.probe.samples import Measurement
from striate.units import about_seconds

GRAINS = (0.0, 0.2e-3, 0.5e-3, 2e-3, 10e-3)  # seconds of computing before a collective call
FLUSHED_GRAINS = (0.2e-3, 0.5e-3, 2e-3)
COMPUTE_SECONDS = 2e-3
LONE = "2 ms of computing by one rank and a barrier"
BESIDE = "2 ms of computing and an allreduce beside busy processes"


@dataclass(frozen=True, slots=True)
class Wait:
    """A time or a share, and how many measurements say so."""

    value: Interval
    samples: int


def crowd_name(grain: float, *, flushed: bool = False) -> str:
    """What a measurement of a crowd is called, before the number of its ranks."""
    return f"{about_seconds(grain)} of computing and an allreduce{' after a flush' if flushed else ''}"


def waits(report: ProbeReport) -> dict[str, Wait]:
    """`turn`, `time_slice` and the lags of the settings, as far as the report knows."""
    cpus, background = report.facts.cpus, _background(report)
    found = {}
    for one in _named(report, BESIDE):
        share = taken_by_background(_ranks(one), cpus + background, cpus)
        computing = COMPUTE_SECONDS * max(1.0, (_ranks(one) + cpus + background) / cpus)
        found["time_slice"] = Wait(
            _each(_less(one.value, computing), 1 / (_rounds(one) * share)), one.samples
        )
    time_slice = found["time_slice"].value.estimate if found else 0.0
    return found | _crowd_waits(_Crowds(report, cpus, background, time_slice))


@dataclass(frozen=True, slots=True)
class _Crowds:
    """Collective calls of more ranks than CPUs, and what else is known of the machine."""

    report: ProbeReport
    cpus: int
    background: float
    time_slice: float

    def of(self, grain: float, *, flushed: bool = False, times: int = 0) -> list[Measurement]:
        """All measurements with that much computing; `times` chooses among numbers of ranks."""
        named = _named(self.report, crowd_name(grain, flushed=flushed))
        return [
            one
            for one in named
            if _ranks(one) > self.cpus and _ranks(one) in (times * self.cpus or _ranks(one),)
        ]

    def late(self, one: Measurement, grain: float) -> Interval:
        """Seconds of a round beyond its computing and what the background takes."""
        slices = _rounds(one) * self.time_slice * taken_by_background(_ranks(one), self.background, self.cpus)
        return _less(one.value, grain * max(1.0, (_ranks(one) + self.background) / self.cpus) + slices)

    def lag(self, one: Measurement, grain: float) -> Interval:
        """The scheduling delay beyond that of the call itself."""
        alone = next((bare for bare in self.of(0.0) if _ranks(bare) == _ranks(one)), None)
        return _less(self.late(one, grain), 0.0 if alone is None else self.late(alone, 0.0).estimate)


def _crowd_waits(crowds: _Crowds) -> dict[str, Wait]:
    found = {}
    startup = crowds.report.get("messages, same socket: latency")
    message = startup.value.estimate if startup is not None else 0.0
    bare = crowds.of(0.0)
    if bare:
        turns = [
            _each(
                _less(crowds.late(one, 0.0), _rounds(one) * message),
                1 / (_rounds(one) * (_ranks(one) / crowds.cpus - 1)),
            )
            for one in bare
        ]
        found["turn"] = _together(turns, bare)
    for word, times in (("double", 2), ("fourfold", 4)):
        for prefix, grains, flushed in (("", GRAINS[1:-1], False), ("flushed_", FLUSHED_GRAINS, True)):
            chosen = [
                (grain, one) for grain in grains for one in crowds.of(grain, flushed=flushed, times=times)
            ]
            if chosen:
                shares = [_each(crowds.lag(one, grain), 1 / grain) for grain, one in chosen]
                found[f"{prefix}lag_{word}"] = _together(shares, [one for _, one in chosen])
        lone = [one for one in _named(crowds.report, LONE) if _ranks(one) == times * crowds.cpus]
        if lone:
            shares = [_taken(one.value, times) for one in lone]
            found[f"waiting_{word}"] = _together(shares, lone)
    longest = crowds.of(GRAINS[-1])
    if longest:
        most = max((crowds.lag(one, GRAINS[-1]) for one in longest), key=lambda lag: lag.estimate)
        found["longest_lag"] = Wait(most, sum(one.samples for one in longest))
    return found


def taken_by_background(ranks: int, background: float, cpus: int) -> float:
    """How often a rank that could go on finds its CPU taken by a background process."""
    return max(0.0, 1 - cpus / (ranks + background)) * background / (background + 1)


def _taken(lone: Interval, times: int) -> Interval:
    """What waiting ranks take of a CPU, as a share of what computing ones would: from how long one alone computes."""
    ends = (lone.low, lone.estimate, lone.high)
    return Interval(*(min(1.0, max(0.0, (end / COMPUTE_SECONDS - 1) / (times - 1))) for end in ends))


def _together(values: Sequence[Interval], measurements: Sequence[Measurement]) -> Wait:
    """The mean of the middles, and all that any of them holds."""
    low, high = min(value.low for value in values), max(value.high for value in values)
    middle = sum(value.estimate for value in values) / len(values)
    ends = Interval(low, min(max(low, middle), high), high)  # rounding may put the mean outside
    return Wait(ends, sum(one.samples for one in measurements))


def _less(value: Interval, seconds: float) -> Interval:
    """What is beyond `seconds`, not below 0."""
    return Interval(*(max(0.0, end - seconds) for end in (value.low, value.estimate, value.high)))


def _each(value: Interval, factor: float) -> Interval:
    return Interval(value.low * factor, value.estimate * factor, value.high * factor)


def _rounds(one: Measurement) -> int:
    """Messages of a collective call that follow one another."""
    return max(1, math.ceil(math.log2(_ranks(one))))


def _named(report: ProbeReport, name: str) -> list[Measurement]:
    return [one for one in report.found.measurements if one.name.startswith(f"{name}, ")]


def _ranks(one: Measurement) -> int:
    return int(one.name.rpartition(", ")[2].split()[0])


def _background(report: ProbeReport) -> float:
    """Others that were there all the time: a moment's visitor disturbs little of what is measured."""
    load = report.get("background")
    return load.value.low if load is not None else 0.0
