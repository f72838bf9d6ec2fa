"""`smallest_system`: the smallest storage system with which a training job reaches a target, and what binds there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from striate.errors import PredictionError
from striate.training.forecast import TrainingForecast, draws_of, forecast_training
from striate.training.job import TrainingJob
from striate.training.system import StorageSystem

SCHEMA = "striate.sizing/1"
GIGABIT = 1e9 / 8
MOST_SERVERS = 4096
# What may be varied -> the values that are tried; drives are those of one server, links the line rate of one.
CHOICES: dict[str, tuple[int, ...]] = {
    "servers": tuple(range(1, MOST_SERVERS + 1)),
    "links": (25, 50, 100, 200, 400, 800, 1600),
    "drives": (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 30, 36, 48, 60, 72),
    "host-links": (10, 25, 50, 100, 200, 400, 800, 1600),
}
TARGETS = {
    "au": "accelerator utilisation, 0.9 for 90 %",
    "throughput": "samples per second, at least",
    "seconds": "of all epochs and checkpoints, at most",
}


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be reached, one of TARGETS, with at least the given certainty."""

    name: str
    value: float
    certainty: float


@dataclass(frozen=True, slots=True)
class SizedSystem:
    """A system by the numbers that were varied (those of the sheet where they were not), and how sure the target is."""

    servers: float
    links: float  # Gb/s of a server
    drives: float  # of a server
    host_links: float  # Gb/s of a host
    certainty: float
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Sizing:
    """The answer: the smallest system, those that are smaller in one way and larger in another, and its forecast."""

    job: str
    target: Target
    varied: tuple[str, ...]
    best: SizedSystem | None  # None: no system of those tried reaches the target
    alternatives: tuple[SizedSystem, ...]  # none of them is at least as large as another in every way
    one_less: tuple[tuple[str, float], ...]  # certainty where one varied number is a step smaller
    forecast: TrainingForecast  # of the smallest system, or of the largest tried
    schema: str = SCHEMA


def smallest_system(
    job: TrainingJob,
    base: StorageSystem,
    target: Target,
    *,
    vary: Sequence[str],
    prices: Mapping[str, float] | None = None,
) -> Sizing:
    """The smallest system, `base` with other numbers of what is varied.

    Without prices the first of `vary` counts most: the fewest of it, then of the second, and so on. With `prices` (of a
    server, of one of its links per Gb/s, of a drive) the cheapest. A larger number never makes a job slower here, so
    the number of the first varied thing is found by halving. Raises PredictionError where `base` leaves open what
    is not varied and what all of it would hang on.
    """
    _refuse_open(base, vary)
    job = replace(job, wanted_utilisation=target.value) if target.name == "au" else job
    sure = _judge(job, base, target, vary)
    found = _reaching(sure, vary, target.certainty)
    if not found:
        largest = {name: CHOICES[name][-1] for name in vary}
        return Sizing(
            job.name, target, tuple(vary), None, (), (), forecast_training(job, _system(base, largest))
        )
    cost = _cost(prices, base)
    sized = [_sized(base, one, sure(one), cost(one)) for one in found]
    order = [(price if price is not None else 0.0, *(one[name] for name in vary)) for one, price in
             zip(found, (entry.cost for entry in sized), strict=True)]  # fmt: skip
    at = min(range(len(found)), key=order.__getitem__)
    best = found[at]
    forecast = forecast_training(job, _system(base, best))
    others = tuple(sorted(sized, key=lambda one: (one.cost or 0.0, one.servers, one.links, one.drives)))
    return Sizing(job.name, target, tuple(vary), sized[at], others, _one_less(sure, best), forecast)


def _refuse_open(base: StorageSystem, vary: Sequence[str]) -> None:
    if base.local:
        raise PredictionError(
            "expected a machine with storage servers, got one whose drives are in the hosts"
        )
    for name in vary:
        if name not in CHOICES:
            raise PredictionError(
                f"expected quantities to vary among {', '.join(CHOICES)}, got {name!r:.40}", at="--vary"
            )
    if len(set(vary)) < len(vary) or not vary:
        raise PredictionError(
            f"expected one or more quantities to vary, each once, got {', '.join(vary)!r:.60}", at="--vary"
        )
    if ("servers" in vary) == ("drives" in vary):
        return
    if base.drives is None or base.servers is None:
        missing = "drives" if "drives" not in vary else "servers"
        raise PredictionError(
            f"the number of {missing} is not known; vary {missing} too, or name a machine that specifies the number",
            at="--vary",
        )


def _system(base: StorageSystem, values: Mapping[str, int]) -> StorageSystem:
    """The base with these numbers; drives are so many per server."""
    servers = values.get("servers", base.servers)
    drives: float | None = base.drives
    if "drives" in values and servers is not None:
        drives = servers * values["drives"]
    elif "servers" in values and base.drives is not None and base.servers:
        drives = base.drives / base.servers * values["servers"]
    link, host = values.get("links"), values.get("host-links")
    return replace(
        base,
        servers=servers,
        drives=None if drives is None else max(round(drives), 1),
        server_link=base.server_link if link is None else link * GIGABIT,
        host_link=base.host_link if host is None else host * GIGABIT,
    )


def _judge(
    job: TrainingJob, base: StorageSystem, target: Target, vary: Sequence[str]
) -> Callable[[Mapping[str, int]], float]:
    """How sure a system reaches the target: the share of draws, the same draws for every system."""
    known: dict[tuple[int, ...], float] = {}

    def sure(values: Mapping[str, int]) -> float:
        key = tuple(values[name] for name in vary)
        if key not in known:
            known[key] = float(np.mean(_met(job, _system(base, values), target)))
        return known[key]

    return sure


def _met(job: TrainingJob, system: StorageSystem, target: Target) -> NDArray[np.bool_]:
    draws = draws_of(job, system)
    if target.name == "au":
        return np.asarray(draws.utilisation >= target.value)
    if target.name == "throughput":
        return np.asarray(draws.throughput >= target.value)
    return np.asarray(draws.seconds <= target.value)


def _reaching(
    sure: Callable[[Mapping[str, int]], float], vary: Sequence[str], certainty: float
) -> list[dict[str, int]]:
    """Systems that reach the target and of which none is at least as large as another in every way."""
    first, rest = vary[0], vary[1:]
    found: list[dict[str, int]] = []
    for others in _combinations(rest):
        low, high = 0, len(CHOICES[first]) - 1
        if sure({first: CHOICES[first][high]} | others) < certainty:
            continue
        while low < high:
            middle = (low + high) // 2
            enough = sure({first: CHOICES[first][middle]} | others) >= certainty
            low, high = (low, middle) if enough else (middle + 1, high)
        found.append({first: CHOICES[first][low]} | others)
    return [one for one in found if not any(_within(other, one) for other in found if other is not one)]


def _combinations(names: Sequence[str]) -> list[dict[str, int]]:
    found: list[dict[str, int]] = [{}]
    for name in names:
        found = [{**one, name: value} for one in found for value in CHOICES[name]]
    return found


def _within(smaller: Mapping[str, int], larger: Mapping[str, int]) -> bool:
    return all(smaller[name] <= larger[name] for name in larger) and smaller != larger


def _one_less(
    sure: Callable[[Mapping[str, int]], float], best: Mapping[str, int]
) -> tuple[tuple[str, float], ...]:
    found = []
    for name, value in best.items():
        place = CHOICES[name].index(value)
        if place:
            found.append((name, sure({**best, name: CHOICES[name][place - 1]})))
    return tuple(found)


def _cost(
    prices: Mapping[str, float] | None, base: StorageSystem
) -> Callable[[Mapping[str, int]], float | None]:
    """What a system costs: its servers with their links and drives."""
    if not prices:
        return lambda values: None

    def cost(values: Mapping[str, int]) -> float | None:
        one = _sized(base, values, 0.0, None)
        each = (
            prices.get("servers", 0.0)
            + prices.get("links", 0.0) * one.links
            + prices.get("drives", 0.0) * one.drives
        )
        return one.servers * each

    return cost


def _sized(
    base: StorageSystem, values: Mapping[str, int], certainty: float, cost: float | None
) -> SizedSystem:
    system = _system(base, values)
    servers = float(system.servers or 0)
    return SizedSystem(
        servers,
        (system.server_link or 0.0) / GIGABIT,
        (system.drives or 0) / servers if servers else 0.0,
        (system.host_link or 0.0) / GIGABIT,
        certainty,
        cost,
    )
