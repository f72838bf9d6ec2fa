"""POLY1-like: polynomials evaluated from cache, for the rate of one processor."""

from __future__ import annotations

import time

import numpy as np

from striate import _core

PLACES, COEFFICIENTS = 1024, 64  # 8 KiB of places: they stay in the first cache


def operations_per_second(seconds: float = 0.2) -> float:
    """The best of several stretches that last about `seconds` together."""
    places, coefficients = np.linspace(0.1, 0.9, PLACES), np.linspace(1, 2, COEFFICIENTS)
    passes, best, spent = 1, 0.0, 0.0
    while spent < seconds:
        before = time.perf_counter()
        assert _core.polynomial_sum(places, coefficients, passes) > 0
        lap = time.perf_counter() - before
        spent += lap
        if lap < seconds / 20:
            passes *= 2  # too short to time
            continue
        best = max(best, 2.0 * PLACES * COEFFICIENTS * passes / lap)
    return best
