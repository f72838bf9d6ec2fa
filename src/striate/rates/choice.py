"""Which setting of a job takes the least time, by a fit: aggregators per stripe, lock mode and stripes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from striate.interval import Interval
from striate.rates.fit import RateFit
from striate.rates.table import RateRow


@dataclass(frozen=True, slots=True)
class SettingChoice:
    """The setting with the least expected time, its forecast, and how likely no other one is faster."""

    row: RateRow
    seconds: Interval
    likely: float


def choose(fit: RateFit, candidates: Sequence[RateRow]) -> SettingChoice:
    """The best of the settings of one job by its mean time over all fits that the table allows.

    Settings that some of these fits make slow lose against those that are nearly as fast in all of them.
    """
    logs = fit.log_draws(candidates)
    best = int(np.argmin(np.exp(logs).mean(axis=0)))
    likely = float(np.mean(np.argmin(logs, axis=1) == best))
    return SettingChoice(candidates[best], fit.forecast([candidates[best]])[0], likely)
