"""Numbers of which only a range is known, and draws from all of them at once."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
TENTH = 1.2815515655446004  # standard deviations from the median to the 10th and 90th percentile


@dataclass(frozen=True, slots=True)
class Uncertain:
    """A positive number: its median and the 80 % range around it, what said so, and whether the sheet itself did."""

    name: str
    low: float
    middle: float
    high: float
    source: str
    stated: bool = False
    most: float = math.inf  # what it cannot exceed, such as 1 for a share

    def __post_init__(self) -> None:
        if not 0 < self.low <= self.middle <= self.high <= self.most:
            raise ValueError(
                "expected an uncertain quantity with 0 < low <= middle <= high, "
                f"got {self.low}, {self.middle}, {self.high}"
            )

    def at(self, normal: Floats) -> Floats:
        """The values at standard normal deviates: two half log-normals that meet in the median."""
        up, down = math.log(self.high / self.middle) / TENTH, math.log(self.middle / self.low) / TENTH
        values = self.middle * np.exp(np.where(normal > 0, up, down) * normal)
        return np.minimum(values, self.most)


def exactly(name: str, value: float, source: str) -> Uncertain:
    """A number that the sheet or the job states, without a range."""
    return Uncertain(name, value, value, value, source, stated=True)


@functools.cache
def normals(count: int, columns: int) -> Floats:
    """`count` points of `columns` standard normal deviates that fill the space evenly; always the same ones."""
    from scipy.stats import norm, qmc

    points = qmc.Sobol(columns, scramble=True, seed=20240901).random(count)
    return np.asarray(norm.ppf(np.clip(points, 1e-6, 1 - 1e-6)), np.float64)


def shares_of_width(spreads: Sequence[float]) -> list[float]:
    """What each number contributes: squares of the spreads that each makes alone, as shares of their sum."""
    squares = [spread * spread for spread in spreads]
    whole = sum(squares)
    return [square / whole if whole else 0.0 for square in squares]
