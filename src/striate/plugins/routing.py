"""Routes by a plug-in: asked for once per pair of components, and checked to lead from one to the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from striate.cluster.cluster import Cluster
from striate.plugins.guard import LoadedPlugin


class RoutingHook:
    """Asks the plug-in for the route between two components."""

    def __init__(self, plugin: LoadedPlugin, cluster: Cluster) -> None:
        self._plugin = plugin
        self._network = cluster.network
        self._names = cluster.component_names
        self._routing = plugin.made(cluster.network)

    def route(self, source: int, target: int) -> list[int]:
        """The edges from `source` to `target`."""
        answer: Any = self._plugin.call("route", self._routing.route, source, target)
        here = f"from {self._name(source)} to {self._name(target)}"
        try:
            edges = [int(edge) for edge in np.asarray(answer, np.int64).ravel()]
        except (TypeError, ValueError):
            raise self._plugin.error(f"expected a list of edges {here}, got {answer!r:.60}") from None
        at, seen = source, {source}
        for edge in edges:
            if not 0 <= edge < self._network.edges:
                raise self._plugin.error(
                    f"expected edge numbers from 0 to {self._network.edges - 1} in the route {here}, "
                    f"got {edge}"
                )
            if self._network.edge_source[edge] != at:
                begins = self._name(int(self._network.edge_source[edge]))
                raise self._plugin.error(
                    f"edge {edge} of the route {here} begins at {begins}, not at {self._name(at)}"
                )
            at = int(self._network.edge_target[edge])
            if at in seen:
                raise self._plugin.error(f"the route {here} passes {self._name(at)} twice")
            seen.add(at)
        if at != target:
            raise self._plugin.error(f"the route {here} ends at {self._name(at)}")
        return edges

    def _name(self, component: int) -> str:
        known = 0 <= component < len(self._names)
        return self._names[component] if known else f"component {component}"
