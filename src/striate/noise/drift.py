"""The range of a job's next runs: quantiles of its past, widened by how far the level of a production machine drifts.

Days are not independent draws: file systems fill, software changes, other users come and go. A range from the past
alone is too narrow. How far the next half-year leaves it cannot be told from one past: rehearsals on earlier parts of
the same series, conformal or not, see a change of level or they do not, and then widen too much or too little. The
widening is therefore a number of production machines, the same for faster and for slower runs, set from a year of
daily runs on two of them (docs/guides/shared-machine.md); what it holds on each is judged by `verification/noise.py`.
Few runs seldom show the ends: beside the drift, a range of n runs reaches as far as the order statistics that leave the
wanted share of further ones out on average, the p (n + 1)-th (Weibull's plotting positions).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LEVEL = 0.12  # of the logarithm of the time: what a level moves even where runs hardly differ
OF_WIDTH = 0.05  # of the width of the past range, besides


def drift_of(past: Floats, *, share: float) -> float:
    """How far, in logs of seconds, the range that holds `share` of the past is widened on each side."""
    low, high = _inner(past, share, "hazen")
    lower, upper = _inner(past, share, "weibull")
    return LEVEL + OF_WIDTH * (high - low) + (low - lower + upper - high) / 2


def range_of(past: Floats, *, share: float) -> tuple[float, float]:
    """The range, in logs of seconds, that is expected to hold `share` of as many further runs."""
    low, high = _inner(past, share, "hazen")
    drift = drift_of(past, share=share)
    return low - drift, high + drift


def _inner(past: Floats, share: float, method: Literal["hazen", "weibull"]) -> tuple[float, float]:
    low, high = np.quantile(past, [(1 - share) / 2, (1 + share) / 2], method=method)
    return float(low), float(high)
