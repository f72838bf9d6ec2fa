"""Confidence limits by profile likelihood: how far a quantity can go before the best fit gets too bad.

The profile of a quantity g is the least sum of squares among all programs with the same g. Every limit is where that
sum has risen by (noise times Student's quantile) squared: the likelihood-ratio test turned round. It needs no linear
model, so it also holds where a value is nearly zero or trades against another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from striate.interval import Interval
from striate.queueing.curves import Floats
from striate.queueing.fitting.least_squares import Problem, derivatives, relative_errors, squares

Quantity = Callable[[Floats], Floats]  # rows of values in, one number per row out

_STIFF = (
    30.0  # the penalty's weight in units of the reach: the quantity stays within a thousandth of its target
)
_NEAR = 0.04  # a limit is found when the root of the rise is this near to the reach
_MOST_STEPS = 12


@dataclass(frozen=True, eq=False)
class Profile:
    """The neighbourhood of the best values of a problem; `reach` is the noise times the quantile."""

    problem: Problem
    values: Floats
    reach: float
    alone: Floats  # how far each value moves, the others held, until the errors have risen by the reach

    def interval(self, quantity: Quantity, *, most: float = np.inf) -> Interval:
        """Both limits of a quantity that lies between 0 and `most`."""
        estimate = _at(quantity, self.values)
        half = self._first_step(quantity)
        low = max(0.0, self._limit(quantity, estimate, -half, 0.0))
        high = min(most, self._limit(quantity, estimate, half, most))
        return Interval(min(low, estimate), estimate, max(high, estimate))

    def _first_step(self, quantity: Quantity) -> float:
        """The most that any value alone changes the quantity within the reach: never more than half the width."""
        steps = 1e-3 * np.maximum(self.values, self.alone)
        slope = gradient(quantity, np.maximum(self.values, steps), steps)
        return max(float(np.abs(slope * self.alone).max()), 1e-12 * _at(quantity, self.values), 1e-300)

    def _limit(self, quantity: Quantity, estimate: float, step: float, end: float) -> float:
        """Secant steps on the root of the rise, kept between a point inside and a point outside the limit."""
        inside, outside = (estimate, 0.0), None  # (quantity, root of the rise over the reach)
        start, target = self.values, _towards(estimate + step, end)
        for _ in range(_MOST_STEPS):
            start, point = self._point(quantity, start, target, abs(step))
            if abs(point[1] - 1) < _NEAR:
                return point[0]
            if point[1] < 1:
                inside = point
                if target == end:
                    return end
            else:
                outside = point
            target = _next_target(inside, outside, estimate, step, end)
            if abs(target) > 1e3 * float(self.problem.observed.max()) * float(
                self.problem.terms.groups.max()
            ):
                return float(np.inf)
        return (outside or inside)[0]

    def _point(
        self, quantity: Quantity, start: Floats, target: float, unit: float
    ) -> tuple[Floats, tuple[float, float]]:
        """The best fit with the quantity held near `target`: a point of the profile, wherever it comes to lie."""
        problem = self.problem
        scale = np.maximum(np.maximum(start, self.values), self.alone)
        weight = _STIFF * self.reach / unit

        def errors(scaled: Floats) -> Floats:
            values = scaled * scale
            return np.append(relative_errors(problem, values)[0], weight * (_at(quantity, values) - target))

        def jacobian(scaled: Floats) -> Floats:
            values, steps = scaled * scale, 1e-3 * scale * np.maximum(scaled, 0.1)
            constraint = weight * gradient(quantity, np.maximum(values, steps), steps)
            return np.vstack([derivatives(problem, np.maximum(values, steps), steps), constraint]) * scale

        upper = problem.coordinates.upper / scale
        begin = np.minimum(np.maximum(start / scale, 1e-9), 0.999999 * upper)
        bounds = np.zeros(start.size), upper
        found = least_squares(errors, begin, jacobian, bounds=bounds, xtol=1e-5, ftol=1e-5, max_nfev=20)
        values = np.asarray(found.x * scale)
        risen = max(0.0, squares(problem, values) - squares(problem, self.values))
        return values, (_at(quantity, values), float(np.sqrt(risen)) / self.reach)


def gradient(quantity: Quantity, values: Floats, steps: Floats) -> Floats:
    """Central differences of a quantity by each value."""
    moved = np.concatenate([values + np.diag(steps), values - np.diag(steps)])
    found = quantity(moved)
    return np.asarray((found[: values.size] - found[values.size :]) / (2 * steps))


def _at(quantity: Quantity, values: Floats) -> float:
    return float(quantity(values[None, :])[0])


def _towards(target: float, end: float) -> float:
    """The target, no further than the end of what is possible: 0 below, the largest value above."""
    return max(target, end) if end == 0.0 else min(target, end)


def _next_target(
    inside: tuple[float, float],
    outside: tuple[float, float] | None,
    estimate: float,
    step: float,
    end: float,
) -> float:
    if outside is None:  # further out, as the slope says, but at most eight times as far
        slope = inside[1] / max(abs(inside[0] - estimate), 1e-300)
        ahead = (
            abs(inside[0] - estimate) * 8 if slope == 0 else min(1.1 / slope, 8 * abs(inside[0] - estimate))
        )
        return _towards(estimate + float(np.copysign(max(ahead, 2 * abs(step)), step)), end)
    share = (1 - inside[1]) / (outside[1] - inside[1])
    return inside[0] + min(max(share, 0.1), 0.9) * (outside[0] - inside[0])
