"""SIO when every cycle has the same number of bursts: the largest of K sums, not of K exponentials."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincc, gammaincinv

from striate.queueing.curves import Floats, Integers

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def fixed_loop_seconds(groups: Integers, delay: Floats, bus: Floats, bursts: float) -> Floats:
    """Mean time until the last of K jobs has made n bursts; an approximation.

    Without a bus it is z E[largest of K gamma variables of shape n], without delays K n x, each exactly; each
    alone is a lower bound and their sum an upper one. Between them the cubes are added: against simulations of
    twelve cases, idle to saturated, that was -4.4 % to +2.7 % off.
    """
    apart = delay * np.array([largest_gamma(int(count), bursts) for count in groups])
    served = groups * bursts * bus
    return np.asarray(np.cbrt(apart**3 + served**3))


def largest_gamma(count: int, shape: float) -> float:
    """Mean of the largest of `count` gamma variables of this shape and unit scale.

    E[max] is the integral of 1 - F(t)^count: F is turned round into quantiles, and the stretch where the
    integrand falls from 1 to 0 is summed by Gauss-Legendre panels.
    """
    low = float(gammaincinv(shape, 1e-17 ** (1 / count)))
    tail = 1.0
    high = low + 1.0
    while tail > 1e-17:
        high += max(1.0, 0.25 * high)
        tail = count * float(_upper(shape, high))
    edges = np.linspace(low, high, 17)
    half = np.diff(edges)[:, None] / 2
    places = (edges[:-1, None] + half) + half * _NODES
    missing = -np.expm1(count * np.log1p(-_upper(shape, places)))
    return low + float((half * _WEIGHTS * missing).sum())


def _upper(shape: float, t: Floats | float) -> Floats:
    return np.minimum(np.asarray(gammaincc(shape, t)), 1 - 1e-300)
