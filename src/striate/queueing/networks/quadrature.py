"""The paper's sum over populations as an integral: SIO in a time that does not grow with p."""

from __future__ import annotations

import numpy as np

from striate import _core
from striate.queueing.curves import Floats, Integers

_SUMMED = 32  # populations added one by one; beyond, the sum is an integral
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def fork_join_fast(groups: Integers, delay: Floats, bus: Floats, bursts: Floats) -> Floats:
    """n times the sum over i = 1..K of (z + R1(i)) / i, R1 by Linearizer.

    Up to 32 jobs term by term; beyond, by Euler and Maclaurin: the integral over log i, half of the two end
    terms, and the next correction left out.
    """
    totals = np.zeros(groups.size)
    for row, count in enumerate(groups):
        whole = np.arange(1.0, min(int(count), _SUMMED) + 1)
        totals[row] = (_cycles(whole, delay[row], bus[row]) / whole).sum()
        if count > _SUMMED:
            totals[row] += _rest(float(count), delay[row], bus[row])
    return totals * bursts


def _rest(count: float, delay: float, bus: float) -> float:
    low, high = np.log(float(_SUMMED)), np.log(count)
    edges = np.linspace(low, high, 4)
    half = np.diff(edges)[:, None] / 2
    places = np.exp((edges[:-1, None] + half) + half * _NODES)
    integral = (half * _WEIGHTS * _cycles(places.ravel(), delay, bus).reshape(places.shape)).sum()
    ends = _cycles(np.array([float(_SUMMED), count]), delay, bus) / np.array([_SUMMED, count])
    return float(integral + (ends[1] - ends[0]) / 2)


def _cycles(jobs: Floats, delay: float, bus: float) -> Floats:
    same = np.ones(jobs.size)
    computation, _ = _core.linearizer_split(jobs, same, delay * same, bus * same, 0 * same)
    return np.asarray(computation)
