"""`fit_rates`: the numbers of the formula that a table determines, with ranges, and forecasts of other settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from striate.errors import RatesError
from striate.interval import Interval
from striate.rates.problem import PlacedFit, PlacedProblem
from striate.rates.residual import covariance, run_variance
from striate.rates.table import RateRow
from striate.rates.terms import PLACEMENTS, Prior, WriteColumns, log_seconds

Floats = NDArray[np.float64]
LEAST_ROWS = 8
DRAWS = 1000
DETERMINED = 0.7  # a number is determined when its spread is below this share of what it was before
LOW, HIGH = 0.1, 0.9
TEMPERED = 0.25  # of the evidence for a placement counts: the formula is not the machine


@dataclass(frozen=True, slots=True)
class FittedNumber:
    """A number of the formula: its median and 80 % range, and whether the table narrowed it."""

    prior: Prior
    value: Interval
    determined: bool


@dataclass(frozen=True, slots=True, eq=False)
class RateFit:
    """What one part of a table says, for each placement of aggregators that the table does not rule out."""

    rows: tuple[RateRow, ...]
    priors: tuple[Prior, ...]
    lock_modes: tuple[str, ...]
    placed: tuple[PlacedFit, ...]

    @property
    def numbers(self) -> Floats:
        """Draws of the formula's numbers, by draw and number."""
        return np.concatenate([one.numbers for one in self.placed])

    def found(self) -> tuple[FittedNumber, ...]:
        """The numbers, in the formula's order."""
        answers = []
        for prior, column in zip(self.priors, self.numbers.T, strict=True):
            values = column if prior.plain else np.exp(column)
            low, middle, high = np.quantile(values, (LOW, 0.5, HIGH)).tolist()
            narrowed = float(np.std(column)) < DETERMINED * prior.spread
            answers.append(FittedNumber(prior, Interval(low, middle, high), narrowed))
        return tuple(answers)

    def log_draws(self, asked: Sequence[RateRow], *, seed: int = 0) -> Floats:
        """Draws of the logarithm of the time that is measured, by draw and row; refuses lock modes never measured."""
        for mode in sorted({row.lock_mode for row in asked} - set(self.lock_modes)):
            known = ", ".join(self.lock_modes)
            raise RatesError(f"expected a lock mode that the table has measured ({known}), got {mode!r:.40}")
        return np.concatenate([self._placed_draws(one, asked, seed) for one in self.placed])

    def forecast(self, asked: Sequence[RateRow]) -> list[Interval]:
        """The median and the 80 % range of the seconds of every row asked for."""
        ends = np.quantile(np.exp(self.log_draws(asked)), (LOW, 0.5, HIGH), axis=0)
        return [Interval(*column) for column in ends.T.tolist()]

    def _placed_draws(self, fit: PlacedFit, asked: Sequence[RateRow], seed: int) -> Floats:
        """The formula's answer, what is left over at like settings of the table, and what remains unknown."""
        mine = WriteColumns.of(self.rows, self.lock_modes, fit.placement)
        theirs = WriteColumns.of(asked, self.lock_modes, fit.placement)
        most = max(row.nodes for row in self.rows)
        between = covariance(mine, theirs, fit.scales, most=most)
        whole = cho_factor(covariance(mine, mine, fit.scales, most=most) + np.diag(fit.noise), lower=True)
        left = np.log([row.seconds for row in self.rows]) - log_seconds(fit.numbers, mine)
        middle = log_seconds(fit.numbers, theirs) + left @ cho_solve(whole, between)
        rest = covariance(theirs, theirs, fit.scales, most=most) - between.T @ cho_solve(whole, between)
        rest += np.diag(run_variance(asked, fit.scales) + 1e-10)
        normal = np.random.default_rng(seed).standard_normal(middle.shape)
        return np.asarray(middle + normal @ np.linalg.cholesky(rest).T, np.float64)


def fit_rates(rows: Sequence[RateRow], *, seed: int = 0) -> RateFit:
    """The fit to rows whose other columns are equal; raises RatesError when they are fewer than 8.

    Nobody knows how the MPI library placed aggregators: every placement is fitted, and each counts as much as the
    table makes it likely.
    """
    known = [row for row in rows if row.known]
    if len(known) < LEAST_ROWS:
        raise RatesError(
            f"expected at least {LEAST_ROWS} rows of different settings with a measured time, "
            f"got {len(known)}"
        )
    problems = [PlacedProblem(known, placement).solved() for placement in PLACEMENTS]
    evidence = np.array([one.evidence for one in problems])
    likely = np.exp(TEMPERED * (evidence - evidence.max()))
    shares = np.round(DRAWS * likely / likely.sum()).astype(int).tolist()
    placed = [
        one.sampled(seed, share) for one, share in zip(problems, shares, strict=True) if share > DRAWS // 50
    ]
    first = problems[0]
    return RateFit(first.rows, first.priors, first.lock_modes, tuple(placed))
