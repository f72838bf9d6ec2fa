"""`learn`: from repeated runs to quantiles of slowdowns and the range of the next runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from striate.errors import NoiseError
from striate.noise.drift import FEWEST, Drift, drift_of
from striate.noise.model import ALONE, PROBABILITIES, SHARE, LearntSeries, Noise
from striate.noise.runs import Series

Floats = NDArray[np.float64]


def learn(series: Sequence[Series], *, source: str) -> Noise:
    """What the repeated runs show; series of fewer than 16 runs are left out.

    A range is widened by the drift of its own series or by that of all series of its machine, whichever is larger: a
    machine changes for all its jobs, and one series alone has seen few changes. What stands before a slash names the
    machine: edison/scratch1 and edison/scratch2 are file systems of one. Raises NoiseError when all are shorter.
    """
    long = [one for one in series if len(one.log_seconds) >= FEWEST]
    if not long:
        most = max((len(one.log_seconds) for one in series), default=0)
        raise NoiseError(
            f"expected a job with at least {FEWEST} runs, found at most {most} of one job", source=source
        )
    pasts: dict[str, list[Floats]] = {}
    for one in long:
        pasts.setdefault(_machine(one), []).append(one.log_seconds)
    of_machine = {machine: drift_of(past, share=SHARE) for machine, past in pasts.items()}
    learnt = tuple(_learnt(one, of_machine[_machine(one)]) for one in long)
    return Noise(source, _pooled(long, drift_of([one.log_seconds for one in long], share=SHARE)), learnt)


def _machine(series: Series) -> str:
    return series.machine.partition("/")[0]


def _learnt(series: Series, of_machine: Drift) -> LearntSeries:
    past = series.log_seconds
    drift = of_machine.at_least(drift_of([past], share=SHARE))
    return _named(series.machine, series.program, series.ranks, past, np.ones(len(past)), drift)


def _pooled(series: Sequence[Series], drift: Drift) -> LearntSeries:
    """All runs in multiples of their own time alone, every series with the same weight."""
    past = np.concatenate(
        [one.log_seconds - np.quantile(one.log_seconds, PROBABILITIES[ALONE]) for one in series]
    )
    weights = np.concatenate([np.full(len(one.log_seconds), 1 / len(one.log_seconds)) for one in series])
    return _named("", f"all {len(series)} jobs", 0, past, weights, drift)


def _named(
    machine: str, program: str, ranks: int, past: Floats, weights: Floats, drift: Drift
) -> LearntSeries:
    quantiles = _quantiles(past, weights)
    slowdowns = tuple(float(f"{one:.5g}") for one in np.exp(quantiles - quantiles[ALONE]))
    faster, slower = (float(f"{np.exp(one):.5g}") for one in (drift.faster, drift.slower))
    return LearntSeries(machine, program, ranks, len(past), slowdowns, faster, slower)


def _quantiles(past: Floats, weights: Floats) -> Floats:
    """Quantiles at PROBABILITIES, linear between the middles of the weights; with equal weights Hazen's."""
    order = np.argsort(past, kind="stable")
    share = np.cumsum(weights[order])
    return np.asarray(np.interp(PROBABILITIES, (share - weights[order] / 2) / share[-1], past[order]))
