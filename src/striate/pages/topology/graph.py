"""Any graph, in rows: hosts at the bottom, above them components by their distance from the nearest host."""

from __future__ import annotations

import numpy as np

from striate.cluster.description.networks import GraphNetwork
from striate.cluster.placement import Indices
from striate.pages.topology.parts import (
    MARGIN,
    WIDTH,
    Scene,
    chip,
    host_note,
    left_out,
    sampled,
    side_note,
    spread,
    switch_box,
)

_MOST, _STEP = 8, 96
Places = dict[int, tuple[float, float]]


def draw_graph(scene: Scene, network: GraphNetwork) -> float:
    """Draw below `scene.top`; returns the height taken."""
    tops = _host_tops(scene, len(network.component))
    rows = _rows(scene, len(network.component), tops)
    places: Places = {}
    missing: list[tuple[float, float, int]] = []
    for level, row in enumerate(rows):
        y = scene.top + 20 + level * _STEP
        shown = sampled(len(row), _MOST)
        for x, i in zip(spread(len(shown), MARGIN + 100, WIDTH - MARGIN), shown, strict=True):
            if i < 0:
                missing.append((x, y + 14, -i))
            else:
                places[row[i]] = (x, y)
    _lines(scene, places)
    _boxes(scene, places, len(network.component), tops)
    for x, y, count in missing:
        left_out(scene, x, y, count)
    side_note(scene, scene.top + 38, f"{len(network.component)} components")
    return len(rows) * _STEP + 10


def _host_tops(scene: Scene, base: int) -> list[int]:
    """The component of each host that the network sees."""
    return [
        base + group.first_component + i * group.width + group.width - 1
        for group in scene.groups
        for i in range(group.count)
    ]


def _rows(scene: Scene, components: int, tops: list[int]) -> list[list[int]]:
    """Components from the farthest row down, then the hosts."""
    network = scene.cluster.network
    outer = (network.edge_source < components) | np.isin(network.edge_source, tops)
    outer &= (network.edge_target < components) | np.isin(network.edge_target, tops)
    source, target = network.edge_source[outer], network.edge_target[outer]
    distance: Indices = np.full(network.components, -1, np.int32)
    distance[tops] = 0
    level = 0
    while True:
        level += 1
        near = target[(distance[source] == level - 1) & (distance[target] < 0)]
        if not len(near):
            break
        distance[near] = level
    distance[:components][distance[:components] < 0] = level
    rows = [np.flatnonzero(distance[:components] == step).tolist() for step in range(level, 0, -1)]
    return [*[row for row in rows if row], tops]


def _lines(scene: Scene, places: Places) -> None:
    network = scene.cluster.network
    pairs = np.sort(np.stack((network.edge_source, network.edge_target), axis=1), axis=1)
    for one, other in np.unique(pairs, axis=0).tolist():
        if one in places and other in places:
            (x1, y1), (x2, y2) = places[one], places[other]
            if y1 == y2:
                scene.canvas.arc(min(x1, x2), max(x1, x2), y1 + 28, 14 + 0.02 * abs(x2 - x1))
            else:
                low, high = ((x1, y1), (x2, y2)) if y1 > y2 else ((x2, y2), (x1, y1))
                scene.canvas.line(*low, high[0], high[1] + 28)


def _boxes(scene: Scene, places: Places, components: int, tops: list[int]) -> None:
    host_of = {top: host for host, top in enumerate(tops)}
    for component, (x, y) in places.items():
        if component < components:
            switch_box(scene, x, y, scene.cluster.component_names[component])
        else:
            host = host_of[component]
            group = scene.group_of(host)
            chip(scene, x, y, group, f"{group.name}.{host - group.first_host}", host_note(scene, group))
