"""How sure a fit is of what it found: intervals from the linearised model, and one-sided ones at zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from striate.interval import Interval
from striate.queueing.curves import Floats
from striate.queueing.least_squares import Problem, derivatives, profile_limit, relative_errors

SEARCH_NOISE = 1e-6  # relative: the search stops somewhere, so perfect data do not give perfect certainty


@dataclass(frozen=True, eq=False)
class Spread:
    """The uncertainty of a solution: Student's t on the residual degrees of freedom.

    Values found at zero are held there for the intervals of the others; their own goes from zero to where the
    profile has risen as far, because near zero the linearised model cannot tell a queue from a delay.
    """

    problem: Problem
    values: Floats
    jacobian: Floats
    at_zero: NDArray[np.bool_]
    reach: float  # noise times the quantile

    @classmethod
    def of(cls, problem: Problem, values: Floats, confidence: float) -> Spread:
        errors = relative_errors(problem, values)[0]
        steps = np.maximum(1e-5 * values, problem.least_step)
        jacobian = derivatives(problem, np.maximum(values, steps), steps)
        free = max(1, errors.size - int(np.linalg.matrix_rank(jacobian)))
        noise = max(float(np.sqrt((errors**2).sum() / free)), SEARCH_NOISE)
        at_zero = values * np.abs(jacobian).max(axis=0) < 1e-3 * noise
        return cls(problem, values, jacobian, at_zero, noise * float(stdtrit(free, (1 + confidence) / 2)))

    def interval(self, weights: Floats) -> Interval:
        """Of a sum of values that the data determine."""
        estimate = float(weights @ self.values)
        if self.at_zero[weights != 0].all():
            high = profile_limit(self.problem, self.values, int(np.argmax(weights)), self.reach**2)
            return Interval(0.0, min(estimate, high), high)
        half = self.half_width(weights)
        return Interval(max(0.0, estimate - half), estimate, estimate + half)

    def half_width(self, gradient: Floats) -> float:
        """Half the interval of any function of the values, from its gradient."""
        jacobian = self.jacobian[:, ~self.at_zero]
        size = np.maximum(np.linalg.norm(jacobian, axis=0), 1e-300)
        covariance = np.linalg.pinv((jacobian / size).T @ (jacobian / size), rcond=1e-13)
        scaled = gradient[~self.at_zero] / size
        return self.reach * float(np.sqrt(max(0.0, float(scaled @ covariance @ scaled))))
