"""Routes through a two-level network: the destination chooses the spine, so that flows to different nodes spread.

E. Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees" (2010).
"""

from __future__ import annotations

from striate.cluster.routes import hops
from striate.plugins import Network


class DestinationSpine:
    kind = "routing"
    name = "destination-spine"

    def __init__(self, network: Network) -> None:
        self.network = network
        self.edges: dict[int, list[int]] = {}
        for edge, source in enumerate(network.edge_source.tolist()):
            self.edges.setdefault(source, []).append(edge)
        self.distance: dict[int, list[int]] = {}  # per destination

    def route(self, source: int, target: int) -> list[int]:
        if target not in self.distance:
            self.distance[target] = hops(self.network, target, backwards=True).tolist()
        left, at, route = self.distance[target], source, []
        while at != target:
            closer = [edge for edge in self.edges[at] if left[self.network.edge_target[edge]] == left[at] - 1]
            route.append(closer[target % len(closer)])
            at = int(self.network.edge_target[route[-1]])
        return route


plugins = [DestinationSpine]
