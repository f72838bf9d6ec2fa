"""How long messages wait for a receiver without a CPU, from barriers; `striate.predict.sharing` is the model."""

from __future__ import annotations

import math
from dataclasses import dataclass

from striate.interval import Interval
from striate.probe.report import Report


@dataclass(frozen=True, slots=True)
class Wait:
    """A time, and how many measurements say so."""

    value: Interval
    samples: int


def waits(report: Report) -> dict[str, Wait]:
    """`turn` and `time_slice` of the settings, as far as the report knows; a barrier takes log2(ranks) messages."""
    found = {}
    slices = _slices(report)
    if slices is not None:
        found["time_slice"] = slices
    turns = _turns(report, slices.value if slices else Interval.exactly(0.0))
    if turns is not None:
        found["turn"] = turns
    return found


def _background(report: Report) -> float:
    load = report.get("background")
    return load.value.estimate if load is not None else 0.0


def _slices(report: Report) -> Wait | None:
    """From barriers beside as many busy processes as there are CPUs."""
    cpus = report.facts.cpus
    for one in report.found.measurements:
        if one.name.startswith("barrier beside busy processes, "):
            ranks = int(one.name.split()[-2])
            share = taken_by_background(ranks, cpus + _background(report), cpus)
            value = _scaled(one.value, 1 / (_rounds(ranks) * share))
            return Wait(value, one.samples)
    return None


def _turns(report: Report, time_slice: Interval) -> Wait | None:
    """From barriers of crowds, less what the background makes them wait; the middle of all crowds."""
    cpus, background = report.facts.cpus, _background(report)
    found, samples = list[Interval](), 0
    for one in report.found.measurements:
        if not one.name.startswith("barrier, ") or (ranks := int(one.name.split()[1])) <= cpus:
            continue
        others = time_slice.estimate * taken_by_background(ranks, background, cpus)
        found.append(_less(_scaled(one.value, 1 / _rounds(ranks)), others, ranks / cpus - 1))
        samples += one.samples
    if not found:
        return None
    middle = sum(one.estimate for one in found) / len(found)
    return Wait(Interval(min(one.low for one in found), middle, max(one.high for one in found)), samples)


def taken_by_background(ranks: int, background: float, cpus: int) -> float:
    """How often a rank that could go on finds its CPU taken by a background process."""
    return max(0.0, 1 - cpus / (ranks + background)) * background / (background + 1)


def _rounds(ranks: int) -> int:
    return max(1, math.ceil(math.log2(ranks)))


def _scaled(value: Interval, factor: float) -> Interval:
    return Interval(value.low * factor, value.estimate * factor, value.high * factor)


def _less(value: Interval, part: float, shares: float) -> Interval:
    low, middle, high = (max(0.0, end - part) / shares for end in (value.low, value.estimate, value.high))
    return Interval(low, middle, high)
