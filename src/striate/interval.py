"""A lower and an upper bound with a best estimate between them: what every prediction comes as."""

from __future__ import annotations

import math
from dataclasses import dataclass

SAYS_NOTHING = 100.0  # a high end that many times the low end tells nobody anything


@dataclass(frozen=True, slots=True)
class Interval:
    """`low <= estimate <= high`, all finite or `high` infinite; refuses anything else."""

    low: float
    estimate: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.estimate <= self.high:
            raise ValueError(
                f"expected an interval with low <= estimate <= high, got {self.low}, {self.estimate}, {self.high}"
            )
        if not math.isfinite(self.estimate):
            raise ValueError(f"expected an interval with a finite estimate, got {self.estimate}")

    @classmethod
    def exactly(cls, value: float) -> Interval:
        """The interval of no width at `value`."""
        return cls(value, value, value)

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def relative_error(self) -> float:
        """(high - low) / low, the error range of paper 004's tables; 0 for the interval [0, 0]."""
        if self.width == 0:
            return 0.0
        return self.width / self.low if self.low > 0 else math.inf

    @property
    def is_bounded_above(self) -> bool:
        """False when the high end is so far from the low end that it says nothing."""
        return self.high <= SAYS_NOTHING * self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def meets(self, other: Interval) -> bool:
        """True when some value lies in both."""
        return max(self.low, other.low) <= min(self.high, other.high)

    def combined(self, other: Interval) -> Interval:
        """Both bounds: the larger low, the smaller high (paper 004, section 6.1), our estimate moved inside.

        Raises ValueError when no value lies in both.
        """
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low > high:
            raise ValueError(f"expected intervals that overlap, got {self} and {other}")
        return Interval(low, min(max(self.estimate, low), high), high)

    def __str__(self) -> str:
        return f"{self.estimate:g} ({self.low:g} to {self.high:g})"
