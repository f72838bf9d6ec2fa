"""A trace as bars of a `Timeline`, so that what was observed and what was simulated are drawn alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from striate.errors import TraceError
from striate.trace.kinds import KINDS
from striate.trace.timeline import Timeline

if TYPE_CHECKING:
    from striate.trace.trace import Trace

_PICOSECONDS = 1000  # in a nanosecond


def bars(trace: Trace) -> Timeline:
    """One bar an operation on the line of its rank or resource; a collective access is called `write_all`."""
    states = (*KINDS, "read_all", "write_all")
    state = trace.column("kind").astype(np.int32)
    together = trace.column("collective")
    resource = trace.column("resource")
    for kind in ("read", "write"):
        state[together & trace.of_kind(kind)] = states.index(f"{kind}_all")
    start, end = trace.column("start"), trace.column("end")
    if len(trace) and int(end.max()) >= 2**63 // _PICOSECONDS:
        raise TraceError("expected a trace shorter than 106 days, to be drawn in picoseconds")
    return Timeline(
        (*(f"rank {rank}" for rank in range(trace.ranks)), *trace.header.resources),
        states,
        np.where(resource >= 0, trace.ranks + resource, trace.column("rank")).astype(np.int32),
        state,
        start * _PICOSECONDS,
        end * _PICOSECONDS,
        trace.column("bytes").astype(np.int64),
    )
