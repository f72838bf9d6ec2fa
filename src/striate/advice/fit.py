"""Latency and rate of the very file system, fitted to a log: what a call costs beside its bytes.

A record tells how long its calls took in all: seconds = calls * latency + bytes / rate. One record cannot tell the two
apart; two of different request sizes can, as far as they are alike. The range of the latency says so: from what is left
when bytes move at the slowest rate a stream is assumed to have, to what is left at the best rate that was seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from striate.advice.layer import Floats

SLOWEST_STREAM = (
    100e6  # bytes per second: a rank alone on a parallel file system is assumed to get at least this
)


@dataclass(frozen=True, slots=True)
class CallOverhead:
    """Share of the time of calls that is theirs and not their bytes': at least, likely, at most."""

    low: Floats
    likely: Floats
    high: Floats


def per_call_share(calls: Floats, size: Floats, seconds: Floats) -> CallOverhead:
    """For every record, the share of its seconds that more calls cost, and fewer would save."""
    best = _seen_rate(calls, size, seconds)
    spent = np.maximum(seconds, 1e-12)
    slow, quick = size / SLOWEST_STREAM, size / max(best, SLOWEST_STREAM)
    low = np.clip(1 - slow / spent, 0.0, 1.0)
    high = np.clip(1 - quick / spent, 0.0, 1.0)
    return CallOverhead(low, (low + high) / 2, np.maximum(high, low))


def _seen_rate(calls: Floats, size: Floats, seconds: Floats) -> float:
    """The rate of the records with the largest requests: what bytes cost when calls are few."""
    known = (calls > 0) & (seconds > 0) & (size > 0)
    if not known.any():
        return SLOWEST_STREAM
    request = size[known] / calls[known]
    large = request >= 0.5 * request.max()
    return float(size[known][large].sum() / seconds[known][large].sum())
