"""The fit for one placement of aggregators: the most likely numbers and scales, then draws around them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import least_squares, minimize

from striate.rates.residual import Scales, covariance, run_variance, usual_logs
from striate.rates.sampler import draws
from striate.rates.table import RateRow
from striate.rates.terms import Placement, WriteColumns, log_seconds, priors

Floats = NDArray[np.float64]
WALKERS, STEPS = 64, 600
TAILS = 4.0  # degrees of freedom of the runs' scatter: a straggler weighs less
FARTHEST = 6.0  # spreads from the centre that a number may be away


@dataclass(frozen=True, slots=True, eq=False)
class PlacedFit:
    """Draws of the formula's numbers for one placement of aggregators, and what is left over."""

    placement: Placement
    scales: Scales
    noise: Floats  # variance of each row by its runs
    numbers: Floats  # by draw and number


class PlacedProblem:
    """Numbers, scales and weights on their way to a fit; logarithms throughout."""

    def __init__(self, rows: Sequence[RateRow], placement: Placement) -> None:
        self.rows, self.placement = tuple(rows), placement
        self.lock_modes = tuple(sorted({row.lock_mode for row in rows}))
        self.columns = WriteColumns.of(rows, self.lock_modes, placement)
        self.priors = priors(self.lock_modes)
        self.centre = np.array([prior.centre for prior in self.priors])
        self.width = np.array([prior.spread for prior in self.priors])
        self.measured = np.log([row.seconds for row in rows])
        self.usual, self.doubt = usual_logs(rows)
        self.logs = self.usual.copy()
        self.weight = np.ones(len(rows))
        self.numbers = self.centre.copy()
        self.evidence = -np.inf

    def solved(self) -> PlacedProblem:
        """Numbers, scales and weights of stragglers in turn, until they hold together.

        The first numbers are found with heavy tails: else some number takes the shape of a straggler, which then looks
        like any other row.
        """
        found = [self._best(start, self._heavy_tails) for start in self._starts()]
        self.numbers = min(found, key=self._distance)
        for _ in range(3):
            self._weigh()
            self._scale()
            self.numbers = self._best(self.numbers, self._whitened)
        self._weigh()
        self.evidence = -self._misfit(self.logs, self._slope(self.numbers))
        return self

    def sampled(self, seed: int, keep: int) -> PlacedFit:
        """Draws of the numbers around the best ones."""
        factor = cho_factor(self._covariance(self.logs), lower=True)

        def log_density(numbers: Floats) -> Floats:
            away = (numbers - self.centre) / self.width
            near = np.abs(away).max(axis=1) < FARTHEST
            left = self.measured - log_seconds(np.where(near[:, None], numbers, self.numbers), self.columns)
            fit = np.einsum("ij,ij->i", left, cho_solve(factor, left.T).T)
            return np.where(near, -0.5 * (fit + (away**2).sum(axis=1)), -np.inf)

        slope = self._slope(self.numbers)
        precision = slope.T @ cho_solve(factor, slope) + np.diag(self.width**-2.0)
        around = np.linalg.cholesky(np.linalg.inv(precision))
        steps = np.random.default_rng(seed).standard_normal((WALKERS, len(self.priors))) @ around.T
        ends = 0.99 * FARTHEST * self.width
        walkers = np.clip(self.numbers + steps, self.centre - ends, self.centre + ends)
        numbers = draws(log_density, walkers, steps=STEPS, keep=keep, seed=seed)
        return PlacedFit(self.placement, Scales.of_logs(self.logs), self._noise(self.logs), numbers)

    def _starts(self) -> list[Floats]:
        """Where to begin: the usual machine, and others around it."""
        random = np.random.default_rng(1)
        return [self.centre, *(self.centre + self.width * random.standard_normal((3, len(self.centre))))]

    def _noise(self, logs: Floats) -> Floats:
        return run_variance(self.rows, Scales.of_logs(logs)) * self.weight

    def _covariance(self, logs: Floats) -> Floats:
        alike = covariance(self.columns, self.columns, Scales.of_logs(logs), most=math.inf)
        return np.asarray(alike + np.diag(self._noise(logs)), np.float64)

    def _lower(self) -> Floats:
        return np.asarray(np.linalg.cholesky(self._covariance(self.logs)), np.float64)

    def _left(self, numbers: Floats) -> Floats:
        """What is left over, by draw of the numbers and row."""
        return np.asarray(self.measured - log_seconds(numbers, self.columns), np.float64)

    def _whitened(self, lower: Floats, numbers: Floats) -> Floats:
        """What is left over, in independent standard deviations."""
        return np.asarray(solve_triangular(lower, self._left(numbers).T, lower=True).T, np.float64)

    def _heavy_tails(self, lower: Floats, numbers: Floats) -> Floats:
        """The same, so that half of its square is minus the logarithm of Student's density."""
        left = self._whitened(lower, numbers)
        return np.asarray(np.sign(left) * np.sqrt((TAILS + 1) * np.log1p(left**2 / TAILS)), np.float64)

    def _best(self, start: Floats, own: Callable[[Floats, Floats], Floats]) -> Floats:
        """The numbers that are nearest to the table, by `own`, and to what is usual."""
        lower = self._lower()

        def apart(numbers: Floats) -> Floats:
            return np.concatenate([own(lower, numbers), (numbers - self.centre) / self.width], axis=1)

        def one_apart(numbers: Floats) -> Floats:
            return np.asarray(apart(numbers[None])[0], np.float64)

        def slopes(numbers: Floats) -> Floats:
            return _slopes(apart, numbers)

        low, high = self.centre - FARTHEST * self.width, self.centre + FARTHEST * self.width
        start = np.clip(start, low, high)
        found = least_squares(one_apart, start, jac=slopes, bounds=(low, high), max_nfev=60)
        return np.asarray(found.x, np.float64)

    def _distance(self, numbers: Floats) -> float:
        """Twice minus the logarithm of the density of table and numbers, with heavy tails."""
        left = self._heavy_tails(self._lower(), numbers[None])
        return float((left**2).sum() + (((numbers - self.centre) / self.width) ** 2).sum())

    def _scale(self) -> None:
        """The scales of what is left over under which the table is most likely."""
        slope = self._slope(self.numbers)
        found = minimize(self._misfit, self.logs, args=(slope,), method="L-BFGS-B", options={"maxiter": 15})
        self.logs = np.asarray(found.x, np.float64)

    def _misfit(self, logs: Floats, slope: Floats) -> float:
        """Minus the logarithm of the likelihood, the numbers' own doubt taken along their slopes."""
        whole = self._covariance(logs) + (slope * self.width**2) @ slope.T
        left = self._left(self.numbers[None])[0] + slope @ (self.numbers - self.centre)
        factor = cho_factor(whole, lower=True)
        size = np.log(np.diag(factor[0])).sum()
        unusual = (((logs - self.usual) / self.doubt) ** 2).sum()
        return float(0.5 * left @ cho_solve(factor, left) + size + 0.5 * unusual)

    def _slope(self, numbers: Floats) -> Floats:
        """How each row's logarithm changes with each number."""
        return -_slopes(self._left, numbers)

    def _weigh(self) -> None:
        """A row whose own scatter would have to be large gets more of it (Student's t)."""
        factor = cho_factor(self._covariance(self.logs), lower=True)
        own = self._noise(self.logs) * cho_solve(factor, self._left(self.numbers[None])[0])
        usual = run_variance(self.rows, Scales.of_logs(self.logs))
        self.weight = np.maximum((TAILS + own**2 / usual) / (TAILS + 1), 1.0)


def _slopes(function: Callable[[Floats], Floats], numbers: Floats) -> Floats:
    """The Jacobian of a function of draws, all of its columns in one call: central differences."""
    step = 1e-4 * np.eye(len(numbers))
    there = function(np.concatenate([numbers + step, numbers - step]))
    return np.asarray((there[: len(numbers)] - there[len(numbers) :]).T / 2e-4, np.float64)
