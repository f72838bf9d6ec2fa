"""How DNA changes along a branch: JC69, and GTR with gamma-distributed rates in discrete classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import special

from striate.errors import WorkloadError

Floats = npt.NDArray[np.float64]

PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))  # A-C A-G A-T C-G C-T G-T, as MrBayes orders them
EQUAL_RATES, EQUAL_FREQUENCIES = (1 / 6,) * 6, (1 / 4,) * 4


@dataclass(frozen=True)
class SubstitutionModel:
    """Exchange rates (summing to 1), base frequencies, and the shape of the rates over sites.

    `alpha` None: all sites change at one rate. The defaults are JC69.
    """

    rates: tuple[float, ...] = EQUAL_RATES
    frequencies: tuple[float, ...] = EQUAL_FREQUENCIES
    alpha: float | None = None
    classes: int = 4

    def __post_init__(self) -> None:
        for what, values, count in (
            ("exchange rates of bases", self.rates, 6),
            ("frequencies of bases", self.frequencies, 4),
        ):
            if len(values) != count or min(values) <= 0 or abs(sum(values) - 1) > 1e-9:
                raise WorkloadError(f"expected {count} positive {what} that sum to 1, got {values}")
        if self.alpha is not None and self.alpha <= 0:
            raise WorkloadError(
                f"expected a shape parameter of the gamma distribution above 0, got {self.alpha}"
            )

    @cached_property
    def site_rates(self) -> Floats:
        """The rate of each class of sites, equally likely, with mean 1."""
        return np.ones(1) if self.alpha is None else gamma_rates(self.alpha, self.classes)

    @cached_property
    def _eigen(self) -> tuple[Floats, Floats, Floats]:
        """Q = left diag(values) right, by way of the symmetric matrix that Q is similar to."""
        frequencies = np.array(self.frequencies)
        exchange = np.zeros((4, 4))
        for rate, (i, j) in zip(self.rates, PAIRS, strict=True):
            exchange[i, j] = exchange[j, i] = rate
        rates = exchange * frequencies
        np.fill_diagonal(rates, -rates.sum(axis=1))
        rates /= -(frequencies * np.diag(rates)).sum()  # one change a site and unit of branch length
        root = np.sqrt(frequencies)
        values, vectors = np.linalg.eigh(rates * root[:, None] / root[None, :])
        return values, vectors / root[:, None], vectors.T * root[None, :]

    def transitions(self, lengths: Floats) -> Floats:
        """Probability of each change along each branch and in each class: [branch, class, from, to]."""
        values, left, right = self._eigen
        decay = np.exp(lengths[:, None, None] * self.site_rates[None, :, None] * values)
        chances = (left * decay[..., None, :]) @ right
        return np.maximum(chances, 0.0)  # a rounding error below zero has no logarithm


def gamma_rates(alpha: float, classes: int) -> Floats:
    """Mean rate of each of `classes` equally likely slices of a gamma distribution of mean 1 (Yang 1994)."""
    boundaries = special.gammaincinv(alpha, np.arange(1, classes) / classes)
    below = np.concatenate([[0.0], special.gammainc(alpha + 1, boundaries), [1.0]])
    return np.asarray(np.diff(below) * classes, np.float64)
