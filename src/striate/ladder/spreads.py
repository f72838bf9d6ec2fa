"""The sources of a forecast's uncertainty: the machine's numbers, the order of events, and the model itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from striate.errors import PredictionError
from striate.interval import Interval
from striate.ladder.distribution import MACHINE, SHARE, Spread
from striate.units import about_seconds, counted

ORDER = "order"
SKEW_SECONDS = 20e-6  # between the first and the last rank to begin: what a barrier leaves on a real machine
RUNS = 5  # with other starts
EXPENSIVE_SECONDS = 1.0  # of CPU time: a run that takes longer is not repeated
ALLOWED_SECONDS = 3.0  # of CPU time for all repeated runs of one source


def order_by_replay(played: float, replay: Callable[[int], float], *, cost: float, budget: float) -> Spread:
    """What other starts of the ranks do to a packet-level run of `played` seconds; `replay` takes a seed."""
    if why := _too_expensive(cost, RUNS, budget):
        return Spread(ORDER, 0.0, 0.0, f"not simulated, {why}")
    if played <= 0:
        return Spread(ORDER, 0.0, 0.0, "nothing is played")
    try:
        ratios = [math.log(replay(seed) / played) for seed in range(RUNS)]
    except PredictionError as error:
        return Spread(ORDER, 0.0, 0.0, f"with other start times the program does not end: {error.message}")
    apart = about_seconds(SKEW_SECONDS)
    below, above = (_half_deviation([side * ratio for ratio in ratios]) for side in (-1, 1))
    return Spread(ORDER, below, above, f"{RUNS} more runs in which ranks begin up to {apart} apart")


def _half_deviation(ratios: Sequence[float]) -> float:
    """The standard deviation of one half of a two-piece normal distribution, from those that fell on its side."""
    here = [ratio for ratio in ratios if ratio > 0]
    return math.sqrt(sum(ratio**2 for ratio in here) / max(len(here), len(ratios) / 2))


def order_by_bounds(bounds: Interval, rung: str) -> Spread:
    """Bounds that hold every order of events, as a rung gives them: a range of 80 % is as much of their logarithm."""
    whole = Spread.between(ORDER, bounds.estimate, bounds, "")
    how = f"the bounds of {rung}, which cover every order of events"
    return Spread(ORDER, SHARE * whole.below, SHARE * whole.above, how)


def too_expensive_one_by_one(cost: float, numbers: int, budget: float) -> str:
    """Why the numbers of a machine are not moved one by one; empty where they are."""
    return _too_expensive(cost, 2 * numbers, budget)


def _too_expensive(cost: float, runs: int, budget: float) -> str:
    if cost > EXPENSIVE_SECONDS or runs * cost > ALLOWED_SECONDS:
        return f"because a run takes {about_seconds(cost)}"
    return "because the budget is spent" if runs * cost > budget else ""


def machine_one_by_one(middle: float, ends: Sequence[tuple[float, float]]) -> Spread:
    """Each measured number at either end of its range, the others in the middle: independent, so variances add up."""
    each = [Spread.between(MACHINE, middle, Interval(min(pair), min(pair), max(pair)), "") for pair in ends]
    below, above = math.hypot(*(one.below for one in each)), math.hypot(*(one.above for one in each))
    return Spread(
        MACHINE,
        below,
        above,
        f"{counted(len(each), 'measured number')}, one at a time at both ends of their ranges",
    )


def machine_all_at_once(middle: float, ends: tuple[float, float], why: str) -> Spread:
    """All measured numbers at the same end at once, which is wider than the range of independent ones."""
    how = f"all measured values at the same end of their ranges ({why})"
    return Spread.between(MACHINE, middle, Interval(min(ends), min(ends), max(ends)), how)


def machine_without_ranges() -> Spread:
    return Spread(MACHINE, 0.0, 0.0, "its description has no ranges")
