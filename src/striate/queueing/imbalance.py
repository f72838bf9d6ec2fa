"""What waiting for the slowest of c processors costs: the synchronisation cost function h of paper 000."""

from __future__ import annotations

from collections.abc import Callable

from scipy.special import digamma

from striate.errors import QueueingError

EULER = 0.5772156649015328606


def exponential(group: int) -> float:
    """h(c) = 1 + 1/2 + ... + 1/c: the largest of c exponential times (paper 000, eq. 6)."""
    return harmonic(group)


def uniform(group: int) -> float:
    """h(c) = 2c / (c + 1): the largest of c times spread evenly from 0 to twice their mean."""
    return 2 * group / (group + 1)


def deterministic(group: int) -> float:
    """h(c) = 1: equal times, nobody waits."""
    return 1.0


NAMED: dict[str, Callable[[int], float]] = {
    "exponential": exponential,
    "uniform": uniform,
    "deterministic": deterministic,
}


def read_imbalance(description: str | Callable[[int], float], *, at: str) -> Callable[[int], float]:
    """One of the named functions, or any function of c."""
    if callable(description):
        return description
    if description not in NAMED:
        raise QueueingError(
            f"expected an imbalance (the slowest processor's time over the mean) among {', '.join(NAMED)}, "
            "or a function of the group size c (processors), "
            f"got {description!r}",
            at=at,
        )
    return NAMED[description]


def harmonic(count: int) -> float:
    """1 + 1/2 + ... + 1/count, summed for small counts and by the digamma function beyond."""
    if count <= 4096:
        return sum(1 / i for i in range(count, 0, -1))
    return float(digamma(count + 1) + EULER)
