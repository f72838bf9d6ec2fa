"""The packet engine from Python: schedules of messages, and programs of ranks, timed on a cluster's network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate import _core
from striate._core import PacketRun
from striate.engine.input import EngineInput
from striate.errors import PredictionError
from striate.plugins.hooks import blamed, run_hooks
from striate.refusals import translated

__all__ = ["PacketRun", "Steps", "run_packets"]

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """A schedule: step i waits for its dependencies, then `delay` picoseconds, then sends `bytes` of payload.

    `dependency[first_dependency[i]:first_dependency[i + 1]]` are the steps it waits for, until they are delivered or,
    where `dependency_sent`, until they are sent. A negative source sends nothing and only joins.
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    bytes: Int64s
    delay: Int64s
    first_dependency: Int64s
    dependency: NDArray[np.int32]
    dependency_sent: NDArray[np.uint8]


def run_packets(
    given: EngineInput,
    *,
    compat_clock: bool = False,
    heap_ties: bool = False,
    warp: bool = True,
    flows: bool = False,
    log_disks: bool = False,
    timeline_bytes: int = 0,
    collective_steps: bool = False,
) -> PacketRun:
    """Play a program packet by packet, or with `flows` in trains that pass all stations of their route in one step.

    `compat_clock` counts whole nanoseconds, truncated; `heap_ties` leaves events of equal time in the order of a binary
    heap that looks at times alone. Both are habits of paper 001's simulator, for comparison with it.
    With `timeline_bytes` above 0 the run writes down what happens when, as long as there is room, with
    `collective_steps` also inside collective calls; `log_disks` keeps every job of the disks. Raises DiskFullError
    when a server has no room, PredictionError on a deadlock, on messages nobody receives, and on what the engine
    cannot play.
    """
    hooks = run_hooks(given.cluster, given.rank_node, given.collectives.reacting)
    with blamed(hooks), translated(PredictionError, given.names, at=given.application.name):
        return _core.run_programs(
            given,
            hooks,
            compat_clock=compat_clock,
            heap_ties=heap_ties,
            warp=warp,
            flows=flows,
            log_disks=log_disks,
            timeline_bytes=timeline_bytes,
            collective_steps=collective_steps,
        )
