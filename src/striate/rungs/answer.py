"""What every rung answers with: bounds, the load of resources, notes; or a refusal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.errors import PredictionError
from striate.interval import Interval
from striate.rungs.server_use import ForwarderUse, MetadataUse, ServerUse
from striate.trace.trace import Trace

Floats = NDArray[np.float64]
RUNGS = (
    "resource",
    "queueing",
    "macro-rr",
    "macro-queue",
    "micro",
    "flow",
    "fine",
)  # from the cheapest to the most expensive


@dataclass(frozen=True, slots=True)
class Use:
    """The load of one kind of resource: how many there are, and the seconds of work on the busiest and on average.

    `busiest_queue` and `mean_queue`, where known: how many packets wait, on average over the run.
    """

    kind: str
    count: int
    busiest: str
    busiest_seconds: float
    mean_seconds: float
    busiest_queue: float | None = None
    mean_queue: float | None = None

    @classmethod
    def of(
        cls, kind: str, seconds: Floats, queue: Floats | None = None, name: Callable[[int], str] | None = None
    ) -> Use:
        """From the seconds of work of every member, of which there is at least one; members may have names."""
        most = int(np.argmax(seconds))
        busiest = name(most) if name else f"{kind} {most}"
        queues = () if queue is None else (float(queue[most]), float(queue.mean()))
        return cls(kind, len(seconds), busiest, float(seconds[most]), float(seconds.mean()), *queues)


def uses_of(*kinds: tuple[str, Floats]) -> tuple[Use, ...]:
    """The uses of those kinds that have a member."""
    return tuple(Use.of(kind, seconds) for kind, seconds in kinds if len(seconds))


@dataclass(frozen=True, slots=True)
class Share:
    """One of several applications: when it begins and ends, in seconds from the start of the first."""

    application: str
    ranks: int
    start: float
    end: float


class UnfitError(PredictionError):
    """A workload that a rung does not take; the ladder goes without it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rung says by itself, the load of each kind of resource, and what the user should know."""

    interval: Interval
    uses: tuple[Use, ...]
    notes: tuple[str, ...] = ()
    applications: tuple[Share, ...] = ()  # where the rung tells them apart
    timeline: Trace | None = None
    servers: tuple[ServerUse, ...] = ()
    metadata: tuple[MetadataUse, ...] = ()
    forwarders: tuple[ForwarderUse, ...] = ()
