"""What the core asks of plug-ins in one run: an object for every part that has one, made anew for each run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate._core import CompiledDisk, CompiledReplacement, CompiledScheduler
from striate.cluster.cluster import Cluster
from striate.errors import PredictionError
from striate.plugins.collective_io import CollectiveIOHook
from striate.plugins.compiled import faults_named, part_of
from striate.plugins.guard import LoadedPlugin
from striate.plugins.loading import Plugins
from striate.plugins.reactive import ReactingCall, ReactingHook
from striate.plugins.routing import RoutingHook
from striate.plugins.server_parts import CacheHook, DiskHook, SchedulerHook


@dataclass(frozen=True, slots=True, eq=False)
class Hooks:
    """The core calls methods by name, compiled ones directly (core/bind/inputs/hooks.hpp); None: the built-in part."""

    scheduler: SchedulerHook | CompiledScheduler | None = None
    disk: DiskHook | CompiledDisk | None = None
    cache: CacheHook | CompiledReplacement | None = None
    routing: RoutingHook | None = None
    collective_io: CollectiveIOHook | None = None
    collective: ReactingHook | None = None
    loaded: tuple[LoadedPlugin, ...] = ()


def run_hooks(
    cluster: Cluster, rank_node: NDArray[np.integer[Any]], reacting: Mapping[int, ReactingCall]
) -> Hooks | None:
    """The hooks of one run on the cluster; None where all parts are built in. `reacting` are calls of the book."""
    plugins = cluster.plugins
    if plugins is None or not plugins.only_fine:
        return None
    return Hooks(
        scheduler=_made(plugins, "scheduler", SchedulerHook, cluster),
        disk=_made(plugins, "disk", DiskHook, cluster),
        cache=_made(plugins, "cache", CacheHook, cluster),
        routing=_made(plugins, "routing", RoutingHook, cluster),
        collective_io=_made(plugins, "collective-io", CollectiveIOHook, cluster, rank_node),
        collective=ReactingHook(reacting) if reacting else None,
        loaded=plugins.loaded,
    )


def _made(plugins: Plugins, kind: str, hook: Callable[..., Any], *given: Any) -> Any:
    plugin = plugins.of_kind(kind)
    return None if plugin is None else part_of(plugin, hook, *given)


@contextmanager
def blamed(hooks: Hooks | None) -> Iterator[None]:
    """Where a run ends because of a plug-in, name it: one that is compiled, or a collective that has not ended."""
    try:
        with faults_named(hooks.loaded if hooks is not None else ()):
            yield
    except PredictionError:
        if hooks is not None and hooks.collective is not None:
            hooks.collective.expect_all_over()
        raise
