"""A time as a distribution: a median, and named sources of uncertainty below and above it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from striate.errors import PredictionError
from striate.interval import SAYS_NOTHING, Interval

SHARE = 0.80  # of the runs that a printed range is to hold
TENTH = -NormalDist().inv_cdf(
    (1 - SHARE) / 2
)  # standard deviations from the median to either end of the range
MACHINE = "machine"  # the source of what the ranges of measured numbers say
UNSEEN = "trace"  # the source of what a log did not record
_MOST = math.log(1e6)  # a standard deviation beyond this says that nothing is known on that side


@dataclass(frozen=True, slots=True)
class Spread:
    """One source of uncertainty: standard deviations of the logarithm of the time below and above the median."""

    source: str  # MACHINE, "order", "placement", "model"; UNSEEN where a log did not record all
    below: float
    above: float
    how: str
    confirmed: float = 1.0  # the share of the machine's deviations that counts beside this one

    def __post_init__(self) -> None:
        if not (self.below >= 0 and self.above >= 0 and 0 <= self.confirmed <= 1):
            raise ValueError(
                "expected deviations `below` and `above` of 0 or more and a share `confirmed` from 0 to 1, "
                f"got {self.below}, {self.above} and {self.confirmed}"
            )

    @classmethod
    def between(cls, source: str, middle: float, range_: Interval, how: str) -> Spread:
        """The source whose 80 % range around `middle` is `range_`."""
        low, high = min(range_.low, middle), max(range_.high, middle)
        return cls(source, _log_ratio(middle, low) / TENTH, _log_ratio(high, middle) / TENTH, how)

    @property
    def factors(self) -> tuple[float, float]:
        """The ends of its own 80 % range as multiples of the median."""
        below, above = (min(TENTH * side, _MOST) for side in (self.below, self.above))
        return math.exp(-below), math.exp(above)


def _log_ratio(large: float, small: float) -> float:
    if large == small:
        return 0.0
    return min(math.log(large / small), _MOST) if small > 0 and math.isfinite(large) else _MOST


def percentile(median: float, spreads: Sequence[Spread], percent: float) -> float:
    """The time that `percent` of the runs do not exceed.

    A two-piece log-normal distribution: half of the runs on each side of the median, with a standard deviation of its
    own on each side. Sources are independent, so that their variances add up, as far as real runs confirm them.
    """
    if not 0 < percent < 100:
        raise PredictionError(f"expected a percentile between 0 and 100, got {percent:g}")
    away = NormalDist().inv_cdf(percent / 100)
    deviation = math.hypot(*_counted(spreads, below=away < 0))
    return median * math.exp(max(min(away * deviation, _MOST), -_MOST))


def _counted(spreads: Sequence[Spread], *, below: bool) -> Iterator[float]:
    """The deviations of all sources on one side; of the machine's, the share that real runs confirm."""
    confirmed = min((spread.confirmed for spread in spreads), default=1.0)
    for spread in spreads:
        share = confirmed if spread.source == MACHINE else 1.0
        yield share * (spread.below if below else spread.above)


def source_rows(spreads: Sequence[Spread]) -> list[tuple[str, str, str, str]]:
    """Every source in words: its name, both ends of its own range, and how it was found."""
    confirmed = min((spread.confirmed for spread in spreads), default=1.0)
    return [_source_row(spread, confirmed) for spread in spreads]


def _source_row(spread: Spread, confirmed: float) -> tuple[str, str, str, str]:
    low, high = map(_change, spread.factors)
    partly = spread.source == MACHINE and confirmed < 1 and max(spread.below, spread.above) > 0
    how = (
        f"{spread.how}; {confirmed:.0%} of the deviations used, as fits the validated runs"
        if partly
        else spread.how
    )
    return spread.source, low, high, how


def _change(factor: float) -> str:
    if factor == 1:
        return "-"
    return f"{factor - 1:+.1%}" if factor <= SAYS_NOTHING else "unbounded"


def range_of(median: float, spreads: Sequence[Spread]) -> Interval:
    """The median and the 80 % range around it."""
    low, high = (percentile(median, spreads, end) for end in (50 * (1 - SHARE), 50 * (1 + SHARE)))
    return Interval(low, median, high)
