"""What the formula leaves over: how far the logarithms of times may lie from it, and how alike neighbours are.

Five parts: what a setting (writers per OST, lock mode, stripes) has at any number of nodes; a walk that all settings
share and one that each has of its own, a step per doubling of nodes, and more of them beyond the nodes of
the table, so that ranges widen there; the day on which a number of nodes was measured; and the scatter of runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.rates.table import RateRow
from striate.rates.terms import WriteColumns

Floats = NDArray[np.float64]
# Median of each part's standard deviation before a table is seen (of a logarithm: 0.05 is 5 %), in the order above.
USUAL = (0.05, 0.05, 0.05, 0.03, 0.07)
DOUBT = 0.6  # spread of the logarithms of these
REPEATED_DOUBT = 0.15  # the same for the scatter of runs where runs were repeated
LENGTH = 2.0  # doublings of writers per OST, or of stripes, over which residuals are alike
OTHER_MODE = 0.5  # correlation of two lock modes
BEYOND = 2.5  # steps of a walk that a doubling beyond the nodes of the table counts
MEDIAN_LOSS = 1.25  # a median of n runs scatters sqrt(pi / 2) / sqrt(n) times as much as one run


@dataclass(frozen=True, slots=True)
class Scales:
    """Standard deviations of the parts."""

    setting: float
    common_walk: float
    own_walk: float
    day: float
    run: float

    @classmethod
    def of_logs(cls, logs: Floats) -> Scales:
        return cls(*np.exp(logs).tolist())


def usual_logs(rows: Sequence[RateRow]) -> tuple[Floats, Floats]:
    """Logarithms of the scales before the table is seen, and their spreads; repeated runs tell their own scatter."""
    logs, doubt = np.log(USUAL), np.full(len(USUAL), DOUBT)
    seen = [row.scatter for row in rows if math.isfinite(row.scatter)]
    if seen:
        logs[-1], doubt[-1] = np.log(max(float(np.median(seen)), 1e-3)), REPEATED_DOUBT
    return logs, doubt


def covariance(a: WriteColumns, b: WriteColumns, scales: Scales, *, most: float) -> Floats:
    """Covariance of what the rows of `a` and `b` have in common, by row; `most`: nodes of the fitted rows."""
    steps = np.minimum.outer(_steps(a.nodes, most), _steps(b.nodes, most))
    writers = np.subtract.outer(np.log2(a.writers), np.log2(b.writers)) / LENGTH
    stripes = np.subtract.outer(np.log2(a.stripes), np.log2(b.stripes)) / LENGTH
    alike = np.exp(-0.5 * (writers**2 + stripes**2))
    alike = alike * np.where(np.equal.outer(a.mode, b.mode), 1.0, OTHER_MODE)
    return np.asarray(
        scales.setting**2 * alike
        + steps * (scales.common_walk**2 + scales.own_walk**2 * alike)
        + scales.day**2 * np.equal.outer(a.nodes, b.nodes),
        np.float64,
    )


def _steps(nodes: Floats, most: float) -> Floats:
    """Steps of a walk from one node: the formula bends to the doublings it is fitted on, and to no other."""
    within = np.log2(np.minimum(nodes, most))
    return np.asarray(within + BEYOND * (np.log2(nodes) - within), np.float64)


def run_variance(rows: Sequence[RateRow], scales: Scales) -> Floats:
    """The variance of each row's median by the scatter of its runs."""
    runs = np.array([row.runs for row in rows], np.float64)
    return np.where(runs < 2.5, 1.0 / runs, MEDIAN_LOSS**2 / runs) * scales.run**2
