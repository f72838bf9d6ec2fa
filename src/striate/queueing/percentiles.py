"""How long single cycles take: percentiles of a model whose means `Model.time` has, by simulation in the core."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from striate import _core
from striate.errors import QueueingError
from striate.queueing.curves import Floats
from striate.queueing.model import Model
from striate.queueing.work import Points, whole_numbers

SAMPLES = 40_000  # cycles: the standard error of a median is about 0.3 % of the spread
MOST_VISITS = 100_000_000  # to the shared network: some ten seconds
FEWEST = 1000  # cycles that say anything about their tails


def cycle_percentiles(model: Model, processors: int, disks: int, percents: Sequence[float]) -> Floats:
    """The seconds that `percents` of the cycles do not exceed, at one point.

    A cycle is that of the whole program for `sio`, which ends when the last processor has arrived and the I/O is done,
    and that of one group of processors for `bus-aio` and `clu-aio`. All times are exponential and queues are first
    come, first served, as in the mean values; the number of bursts is geometric or fixed, as `loops` says. The same
    inputs give the same numbers. Raises QueueingError for percents outside 0 to 100, for points where the model is not
    defined, and where a thousand cycles take too long to simulate.
    """
    for percent in percents:
        if not 0 < percent < 100:
            raise QueueingError(
                f"expected a percentile above 0 and below 100, got {percent:g}", at="percentile"
            )
    return np.asarray(np.percentile(cycle_samples(model, processors, disks), list(percents)))


def cycle_samples(model: Model, processors: int, disks: int) -> Floats:
    """Seconds of simulated cycles, in no order."""
    whole_numbers([processors], name="p (processors)"), whole_numbers([disks], name="d (disks)")
    if (why := model.refusal(processors, disks)) is not None:
        raise QueueingError(why)
    points, _ = Points.scattered(np.array([processors]), np.array([disks]))
    delay, bus, disk = (float(column[0]) for column in model.point_demands(points))
    bursts = max(float(model.spmd.bursts_per_io), 1.0)
    groups = processors // model.spmd.group
    together = model.kind == "sio"
    samples = SAMPLES if together else max(SAMPLES, 20 * groups)
    found = np.asarray(
        _core.cycle_samples(
            population=groups,
            disks=disks if model.kind == "clu-aio" else 1,
            delay=delay / bursts,
            bus=bus / bursts,
            disk=disk,
            loops=bursts,
            fixed=model.loops == "fixed",
            together=together,
            samples=samples,
            most_visits=MOST_VISITS,
        )
        if groups * bursts * FEWEST <= MOST_VISITS
        else ()
    )
    if found.size < FEWEST:
        raise QueueingError(
            f"{groups:,} groups of processors with {bursts:g} bursts (computing, then communication) per I/O are "
            f"too many to simulate {FEWEST:,} cycles (bursts, then one I/O); omit the percentile"
        )
    return found
