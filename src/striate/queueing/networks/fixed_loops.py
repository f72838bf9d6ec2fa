"""SIO when every cycle has the same number of bursts: the time until the last of K jobs has made all of them."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaincc, gammaincinv

from striate import _core
from striate.queueing.curves import Floats, Integers

TOLERANCE = 0.002  # one standard error of a simulated mean, relative
MOST_VISITS = 200_000_000  # to the bus, simulated for one point: some ten seconds
MOST_EXACT = 4096  # groups; the exact chain of one burst takes K^2 / 2 steps

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_NEGLIGIBLE = 1e-6  # a station this much faster than the other changes nothing that the tolerance could see


def fixed_loop_seconds(groups: Integers, delay: Floats, bus: Floats, bursts: float) -> Floats:
    """Mean time until the last of K jobs has made n bursts of an exponential delay and a first-come-first-served bus.

    Exact where a closed form or a small chain is known: one job, no bus, no delay, one burst. Otherwise the core
    simulates it to a standard error of 0.2 %, the same for the same inputs. Never below n (z + x), K n x or the mean
    of the longest sum of delays. A number of bursts between two whole ones is a mixture of both.
    """
    lower = math.floor(bursts)
    share = bursts - lower
    found = _whole_loops(groups, delay, bus, lower)
    if share == 0:
        return found
    return (1 - share) * found + share * _whole_loops(groups, delay, bus, lower + 1)


def _whole_loops(groups: Integers, delay: Floats, bus: Floats, bursts: int) -> Floats:
    apart = delay * np.array([largest_gamma(int(count), bursts) for count in groups])
    served = groups * bursts * bus
    found = np.maximum(np.maximum(apart, served), bursts * (delay + bus))  # each a proved lower bound
    queues = (groups > 1) & (np.minimum(delay, bus) > _NEGLIGIBLE / groups * np.maximum(delay, bus))
    if queues.any():
        rows = groups[queues], delay[queues], bus[queues]
        found[queues] = np.maximum(found[queues], _queued(*rows, bursts, apart[queues]))
    return np.asarray(found, np.float64)


def _queued(groups: Integers, delay: Floats, bus: Floats, bursts: int, apart: Floats) -> Floats:
    if bursts == 1 and groups.max() <= MOST_EXACT:  # a geometric number of mean 1 is always 1
        return np.asarray(_core.fork_join(groups, delay, bus, np.ones(groups.size), True))
    loops = np.full(groups.size, bursts, np.int64)
    mean, _ = _core.fixed_loops(groups, delay, bus, loops, apart, TOLERANCE, MOST_VISITS)
    return np.asarray(mean, np.float64)


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
