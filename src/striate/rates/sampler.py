"""Draws from a distribution of several numbers, by many walkers that step along the lines between each other.

The stretch move of Goodman and Weare (2010): no step length to choose, whatever the numbers' scales.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STRETCH = 2.0


def draws(
    log_density: Callable[[Floats], Floats], walkers: Floats, *, steps: int, keep: int, seed: int
) -> Floats:
    """`keep` positions out of the second half of `steps` steps; `walkers` is an even number of starting points."""
    random = np.random.default_rng(seed)
    half, count = len(walkers) // 2, walkers.shape[1]
    place = walkers.copy()
    density = log_density(place)
    kept: list[Floats] = []
    for step in range(steps):
        for own, others in ((slice(0, half), slice(half, None)), (slice(half, None), slice(0, half))):
            scale = (1 + (STRETCH - 1) * random.random(half)) ** 2 / STRETCH
            partner = place[others][random.integers(half, size=half)]
            moved = partner + scale[:, None] * (place[own] - partner)
            there = log_density(moved)
            better = np.log(random.random(half)) < (count - 1) * np.log(scale) + there - density[own]
            place[own] = np.where(better[:, None], moved, place[own])
            density[own] = np.where(better, there, density[own])
        if step >= steps // 2:
            kept.append(place.copy())
    every = np.concatenate(kept)
    return every[random.choice(len(every), size=min(keep, len(every)), replace=False)]
