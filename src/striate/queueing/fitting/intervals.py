"""How sure a fit is of what it found: the noise of the observations, and intervals from the profile likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from striate.interval import Interval
from striate.queueing.curves import Floats
from striate.queueing.fitting.least_squares import Problem, derivatives, relative_errors
from striate.queueing.fitting.profiles import Profile, Quantity
from striate.queueing.fitting.terms import CONTENDED
from striate.queueing.fitting.zero_test import best_at_zero, without

SEARCH_NOISE = 1e-6  # relative: the search stops somewhere, so perfect data do not give perfect certainty


@dataclass(frozen=True, eq=False)
class CoefficientSpread:
    """The uncertainty of a solution: Student's t on the residual degrees of freedom."""

    problem: Problem
    values: Floats
    jacobian: Floats
    at_zero: NDArray[np.bool_]
    reach: float  # noise times the quantile
    confidence: float

    @classmethod
    def of(cls, problem: Problem, values: Floats, confidence: float) -> CoefficientSpread:
        errors = relative_errors(problem, values)[0]
        steps = np.maximum(1e-5 * values, problem.least_step)
        jacobian = derivatives(problem, np.maximum(values, steps), steps)
        free = max(1, errors.size - int(np.linalg.matrix_rank(jacobian)))
        noise = max(float(np.sqrt((errors**2).sum() / free)), SEARCH_NOISE)
        at_zero = values * np.abs(jacobian).max(axis=0) < 1e-3 * noise
        return cls(
            problem, values, jacobian, at_zero, noise * float(stdtrit(free, (1 + confidence) / 2)), confidence
        )

    def interval(self, weights: Floats) -> Interval:
        """Of a sum of values that the data determine."""
        return self.interval_of(lambda values: np.asarray(values @ weights))

    def interval_of(self, quantity: Quantity, *, most: float = np.inf) -> Interval:
        """Of any function of the values that the data determine and that is not negative.

        Where the demand of a station may as well be zero, the best fit without it counts too.
        """
        found = self._profile().interval(quantity, most=most)
        low, high = found.low, found.high
        for index, others in self._hidden:
            embedded = _Embedded(quantity, index)
            beside = self._profile(index, others).interval(embedded, most=most)
            low, high = min(low, beside.low), max(high, beside.high)
        return Interval(low, found.estimate, high)

    def _profile(self, index: int | None = None, others: Floats | None = None) -> Profile:
        """The profile around the best values, or around the best `others` with one value at zero."""
        alone = self.reach / np.maximum(np.linalg.norm(self.jacobian, axis=0), 1e-300)
        alone = np.minimum(alone, 1e3 * float(self.problem.observed.max()))
        if index is None or others is None:
            return Profile(self.problem, self.values, self.reach, alone)
        return Profile(without(self.problem, index), others, self.reach, np.delete(alone, index))

    @cached_property
    def _hidden(self) -> list[tuple[int, Floats]]:
        """The stations that may be hidden behind another, and the best other values without each.

        A delay adds to every time; only the demand of a station can have no effect at all.
        """
        found = []
        for index in np.flatnonzero(~self.problem.coordinates.matrix[:CONTENDED].any(axis=0)):
            options = {"reach": self.reach, "confidence": self.confidence}
            others = best_at_zero(self.problem, self.values, int(index), **options)
            if others is not None and not self.at_zero[index]:
                found.append((int(index), others))
        return found


@dataclass(frozen=True, eq=False)
class _Embedded:
    """A quantity of all values, as one of the others when one of them is zero."""

    quantity: Quantity
    index: int

    def __call__(self, others: Floats) -> Floats:
        return self.quantity(np.insert(others, self.index, 0.0, axis=1))
