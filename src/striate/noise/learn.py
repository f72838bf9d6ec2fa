"""`learn`: from repeated runs to quantiles of slowdowns and the range of the next runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from striate.errors import NoiseError
from striate.noise.drift import drift_of
from striate.noise.model import ALONE, PROBABILITIES, SHARE, LearntSeries, Noise
from striate.noise.runs import Series

Floats = NDArray[np.float64]
FEWEST = 16  # runs of a series that say anything about its ends


def learn(series: Sequence[Series], *, source: str) -> Noise:
    """What the repeated runs show; series of fewer than 16 runs are left out, NoiseError is raised when all are."""
    long = [one for one in series if len(one.log_seconds) >= FEWEST]
    if not long:
        most = max((len(one.log_seconds) for one in series), default=0)
        raise NoiseError(
            f"expected a job with at least {FEWEST} runs, found at most {most} runs of one job", source=source
        )
    return Noise(source, _pooled(long), tuple(map(_learnt, long)))


def _learnt(series: Series) -> LearntSeries:
    past = series.log_seconds
    return _named(series.machine, series.program, series.ranks, past, np.ones(len(past)))


def _pooled(series: Sequence[Series]) -> LearntSeries:
    """All runs in multiples of their own time alone, every series with the same weight."""
    past = np.concatenate(
        [one.log_seconds - np.quantile(one.log_seconds, PROBABILITIES[ALONE]) for one in series]
    )
    weights = np.concatenate([np.full(len(one.log_seconds), 1 / len(one.log_seconds)) for one in series])
    return _named("", f"all {len(series)} jobs", 0, past, weights)


def _named(machine: str, program: str, ranks: int, past: Floats, weights: Floats) -> LearntSeries:
    quantiles = _quantiles(past, weights)
    slowdowns = tuple(float(f"{one:.5g}") for one in np.exp(quantiles - quantiles[ALONE]))
    drift = float(f"{np.exp(drift_of(past, share=SHARE)):.5g}")
    return LearntSeries(machine, program, ranks, len(past), slowdowns, drift)


def _quantiles(past: Floats, weights: Floats) -> Floats:
    """Quantiles at PROBABILITIES, linear between the middles of the weights; with equal weights Hazen's."""
    order = np.argsort(past, kind="stable")
    share = np.cumsum(weights[order])
    return np.asarray(np.interp(PROBABILITIES, (share - weights[order] / 2) / share[-1], past[order]))
