"""The range of a job's next runs: quantiles of its past, widened by how far later runs left earlier ranges.

Days are not independent draws: file systems fill, software changes, other users come and go. A range from the past
alone is too narrow, so it is rehearsed on the past: fitted on a beginning and held against the runs that followed it.
How far those lay outside is the conformity score of conformalised quantile regression (Romano, Patterson and Candes,
2019); its quantile widens the range. A level that wanders moves by the square root of the time, so a score from a
rehearsal over a shorter time counts that much more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BEGINNINGS = (
    0.25,
    0.375,
    0.5,
)  # shares of the past that a rehearsal is fitted on; as many runs are held against it
FEWEST = 16  # runs of a series that can be rehearsed


@dataclass(frozen=True, slots=True)
class Drift:
    """How far, in logs of seconds, a range is widened towards faster and towards slower runs."""

    faster: float
    slower: float

    def at_least(self, other: Drift) -> Drift:
        return Drift(max(self.faster, other.faster), max(self.slower, other.slower))


def drift_of(pasts: Sequence[Floats], *, share: float) -> Drift:
    """The widening that makes the rehearsals of all `pasts` hold `share` of their runs, half of the rest on each side.

    No widening where no past is long enough to be rehearsed, or none is needed.
    """
    scores = [_rehearsed(past, share) for past in pasts if len(past) >= FEWEST]
    if not scores:
        return Drift(0.0, 0.0)
    faster, slower = (np.concatenate([score[side] for score in scores]) for side in (0, 1))
    return Drift(*(max(0.0, upper_quantile(side, (1 + share) / 2)) for side in (faster, slower)))


def range_of(past: Floats, drift: Drift, *, share: float) -> tuple[float, float]:
    """The range, in logs of seconds, that holds `share` of as many further runs."""
    low, high = _inner(past, share)
    return low - drift.faster, high + drift.slower


def upper_quantile(scores: Floats, probability: float) -> float:
    """The smallest score that at least `probability` of n + 1 exchangeable scores do not exceed (split conformal)."""
    rank = min(len(scores), int(np.ceil((len(scores) + 1) * probability)))
    return float(np.partition(scores, rank - 1)[rank - 1])


def _inner(past: Floats, share: float) -> tuple[float, float]:
    low, high = np.quantile(past, [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)


def _rehearsed(past: Floats, share: float) -> tuple[Floats, Floats]:
    """How far each rehearsed run lies below and above the range that was fitted before it; negative inside."""
    faster: list[Floats] = []
    slower: list[Floats] = []
    for beginning in BEGINNINGS:
        fitted = int(len(past) * beginning)
        low, high = _inner(past[:fitted], share)
        later = past[fitted : 2 * fitted]
        longer = np.sqrt(len(past) / fitted)
        for scores, outside in ((faster, low - later), (slower, later - high)):
            scores.append(np.where(outside > 0, longer * outside, outside))
    return np.concatenate(faster), np.concatenate(slower)
