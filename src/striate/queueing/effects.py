"""How much each parameter matters: elasticities of the execution time."""

from __future__ import annotations

import math

from striate.queueing.model import Model
from striate.queueing.parameters import TIMES

_STEP = 1e-4


def effects(model: Model, processors: int, disks: int) -> dict[str, float]:
    """Percent by which T(p, d) grows when a parameter grows by one percent, largest first.

    The six times' effects add up to 1, as all are measured in one unit; `contention` and `bursts_per_io` come
    on top. A parameter that is zero has no effect in percent.
    """
    found = {
        name: _elasticity(model, name, processors, disks) for name in (*TIMES, "contention", "bursts_per_io")
    }
    return dict(sorted(found.items(), key=lambda item: -abs(item[1])))


def _elasticity(model: Model, name: str, processors: int, disks: int) -> float:
    value = getattr(model.spmd, name)
    largest = 1.0 if name == "contention" else math.inf
    smallest = 1.0 if name == "bursts_per_io" else 0.0
    low, high = max(value * (1 - _STEP), smallest), min(value * (1 + _STEP), largest)
    if not 0 < low < high:
        return 0.0
    times = [
        Model(model.spmd.replace(**{name: changed}), model.kind, model.solver, model.loops).time(
            processors, disks
        )
        for changed in (low, high)
    ]
    return math.log(times[1] / times[0]) / math.log(high / low)
