"""What operations took of the run: between the mean over ranks and the slowest rank, where that is known."""

from __future__ import annotations

import numpy as np

from striate.advice.layer import Floats, Layer
from striate.interval import Interval


def wall_seconds(layer: Layer, spent: Floats, *, run_seconds: float) -> Interval:
    """Seconds of the run that calls taking `spent` of each record (summed over its ranks) held a rank up.

    At least the mean over all ranks, at most what the slowest rank may have spent; the estimate is the slowest rank
    as far as the log names it. Records of single ranks leave no doubt, merged ones do.
    """
    whole = layer.seconds()
    share = np.divide(spent, whole, out=np.zeros_like(spent), where=whole > 0)
    merged = layer.rank < 0
    own = np.bincount(layer.rank[~merged], spent[~merged], layer.ranks)
    mean = float(spent.sum()) / layer.ranks
    slowest = np.minimum(layer.slowest_time() * share, spent)[merged]
    named = layer.get("slowest_rank")[merged].astype(np.int64)
    likely = own + spent[merged].sum() / layer.ranks
    known = named < layer.ranks
    likely += np.bincount(
        named[known], np.maximum(slowest - spent[merged] / layer.ranks, 0)[known], layer.ranks
    )
    high = min(float(own.max(initial=0.0)) + float(slowest.sum()), run_seconds)
    low = min(max(mean, float(own.max(initial=0.0))), high)
    return Interval(low, min(max(low, float(likely.max(initial=0.0))), high), high)
