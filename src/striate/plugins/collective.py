"""A collective of a user: its schedule is asked for when a program calls it, and checked before it is played."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from striate.cluster.cluster import Cluster
from striate.collectives.draft import ScheduleDraft
from striate.collectives.schedule import CollectiveSchedule, ScheduleError
from striate.plugins.guard import LoadedPlugin
from striate.plugins.protocols import CollectiveRequest
from striate.plugins.reactive import ReactingCall
from striate.plugins.schedule_check import check_schedule


@dataclass(frozen=True, eq=False)
class CheckedCollective:
    """Makes schedules as the built-in algorithms do; raises PluginError for one that is not sound."""

    plugin: LoadedPlugin
    _made: dict[Any, CollectiveSchedule] = field(default_factory=dict, init=False)

    def __call__(
        self,
        size: int,
        size_bytes: ArrayLike = 0,
        root: int = 0,
        *,
        nodes: NDArray[np.integer[Any]],
        machine: Cluster,
    ) -> CollectiveSchedule:
        sizes = np.asarray(size_bytes, np.int64)
        key = size, sizes.tobytes(), root, np.asarray(nodes).tobytes(), machine.name
        if key not in self._made:
            self._made[key] = self._schedule(_request(self.plugin, size, sizes, root, nodes, machine))
        return self._made[key]

    def _schedule(self, request: CollectiveRequest) -> CollectiveSchedule:
        made = self.plugin.call("schedule", lambda: self.plugin.make().schedule(request))
        group = f"in a {request.call} of {request.size} ranks from root {request.root}"
        if not isinstance(made, CollectiveSchedule | ScheduleDraft):
            found = type(made).__name__
            raise self.plugin.error(
                f"expected `schedule` to return a `CollectiveSchedule` or a `ScheduleDraft`, got {found}, {group}"
            )
        try:
            schedule = made.schedule() if isinstance(made, ScheduleDraft) else made
            check_schedule(schedule, request)
        except ScheduleError as error:
            raise self.plugin.error(f"{error}, {group}") from None
        return schedule


@dataclass(frozen=True, eq=False)
class ReactiveAlgorithm:
    """A collective whose members are asked in the run."""

    plugin: LoadedPlugin

    def reacting(
        self,
        size: int,
        size_bytes: ArrayLike,
        root: int,
        *,
        nodes: NDArray[np.integer[Any]],
        machine: Cluster,
    ) -> ReactingCall:
        """What the members of one call are asked about."""
        return ReactingCall(self.plugin, _request(self.plugin, size, size_bytes, root, nodes, machine))


def _request(
    plugin: LoadedPlugin,
    size: int,
    size_bytes: ArrayLike,
    root: int,
    nodes: NDArray[np.integer[Any]],
    machine: Cluster,
) -> CollectiveRequest:
    sizes = np.asarray(size_bytes, np.int64)
    call = str(plugin.make.call)  # type: ignore[attr-defined]
    return CollectiveRequest(call, size, int(sizes) if sizes.ndim == 0 else sizes, root, nodes, machine)
