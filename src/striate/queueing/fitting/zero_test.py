"""Could a value be zero after all? A parametric bootstrap, where the usual quantile of the likelihood ratio is wrong.

A start-up time of the disks below what the network takes anyway changes nothing that could be observed. On such a
plateau the likelihood ratio is not distributed as the chi-squared of one value: the rest of the model gains freedom
beside it. So the ratio is compared with those of data drawn from the best fit without the value.
"""

from __future__ import annotations

import numpy as np

from striate.queueing.curves import Floats
from striate.queueing.fitting.least_squares import Problem, refine, squares

DRAWS = 59
_HOPELESS = 6.0  # times the usual limit: beyond what even five free values would gain from noise


def without(problem: Problem, index: int) -> Problem:
    """The same problem with one value held at zero."""
    return Problem(problem.terms, problem.coordinates.without({index}), problem.observed)


def best_at_zero(
    problem: Problem, values: Floats, index: int, *, reach: float, confidence: float
) -> Floats | None:
    """The other values of the best fit with this one at zero; None where noise does not explain that it fits worse."""
    reduced = without(problem, index)
    if not reduced.coordinates.names:
        return None
    at_zero = refine(reduced, np.delete(values, index))
    best = squares(problem, values)
    risen = squares(reduced, at_zero) - best
    if risen <= reach**2:
        return at_zero
    likely = risen <= _HOPELESS * reach**2 and _explained(
        problem, values, index, at_zero, ratio=risen / max(best, 1e-300), confidence=confidence
    )
    return at_zero if likely else None


def _explained(
    problem: Problem, values: Floats, index: int, at_zero: Floats, *, ratio: float, confidence: float
) -> bool:
    """Whether enough data drawn without the value fit as much better with it."""
    allowed = int((1 - confidence) * (DRAWS + 1))  # with fewer that exceed the ratio, zero is refused
    exceeding = 0
    for drawn in _drawn(without(problem, index), at_zero):
        exceeding += _ratio(problem, values, index, at_zero, drawn) >= ratio
        if exceeding >= max(allowed, 1):
            return True
    return False


def _drawn(reduced: Problem, at_zero: Floats) -> list[Floats]:
    times = reduced.terms.times(reduced.coordinates.coefficients(at_zero))[0]
    free = max(1, times.size - at_zero.size)
    noise = np.sqrt(squares(reduced, at_zero) / free)
    random = np.random.default_rng(0)
    return [times * np.maximum(1 + noise * random.standard_normal(times.size), 0.1) for _ in range(DRAWS)]


def _ratio(problem: Problem, values: Floats, index: int, at_zero: Floats, drawn: Floats) -> float:
    """How much better the whole model fits drawn data than the one without the value, relative to the rest."""
    whole = Problem(problem.terms, problem.coordinates, drawn)
    reduced = without(whole, index)
    none = squares(reduced, refine(reduced, at_zero))
    near = np.insert(at_zero, index, problem.least_step)
    free = min(none, *(squares(whole, refine(whole, start)) for start in (values, near)))
    return (none - free) / max(free, 1e-300)
