"""A dragonfly: the groups on a ring with their global links, and one group seen from near."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from striate.cluster.description.networks import DragonflyNetwork
from striate.cluster.topology.dragonfly import links_per_pair
from striate.pages.topology.parts import (
    CHIP_HEIGHT,
    CHIP_WIDTH,
    MARGIN,
    SWITCH,
    Scene,
    hosts_chip,
    left_out,
    legend,
    link_words,
    sampled,
    side_note,
)
from striate.units import about_rate, counted

_RING, _NEAR = 140, 105


def draw_dragonfly(scene: Scene, network: DragonflyNetwork) -> float:
    """Draw below `scene.top`; returns the height taken."""
    height = 2 * _RING + 110
    middle = scene.top + height / 2
    _groups(scene, network, MARGIN + 430, middle)
    _near(scene, network, MARGIN + 790, middle)
    pairs = links_per_pair(network)
    lines = [
        f"{network.groups} groups of {network.routers_per_group} routers",
        f"routers {about_rate(network.router.bandwidth)}",
        f"local links {link_words(network.local_link)}",
        f"global links {link_words(network.global_link)}",
        f"{pairs} global link{'s' * (pairs != 1)} between two groups",
        f"up to {counted(network.nodes_per_router, 'node')} on each router",
    ]
    for i, words in enumerate(lines):
        side_note(scene, middle - 80 + 20 * i, words)
    legend(scene, MARGIN, middle - 64 + 20 * len(lines))
    return height


def _groups(scene: Scene, network: DragonflyNetwork, x: float, y: float) -> None:
    hosts = network.routers_per_group * network.nodes_per_router
    last_groups = [(group.first_host + group.count - 1) // hosts for group in scene.groups]
    shown = sampled(network.groups, 9, also=last_groups)
    places = _ring(x, y, _RING, len(shown))
    for place, number in _all_joined(scene, places, shown):
        inside = scene.between(number * hosts, (number + 1) * hosts)
        colors = [scene.color(group) for group, _ in sorted(inside, key=lambda pair: -pair[1])]
        scene.canvas.circle(*place, 28, colors[0] if colors else SWITCH, stroke="#7b8794")
        for i, color in enumerate(colors[1:]):  # a dot for every lesser kind of host in the group
            scene.canvas.circle(place[0] + 22 + 6 * i, place[1] + 20 - 14 * i, 8, color, stroke="#7b8794")
        scene.canvas.text(place[0], place[1] - 2, "group", size=10)
        scene.canvas.text(place[0], place[1] + 12, str(number), size=11, bold=True)


def _near(scene: Scene, network: DragonflyNetwork, x: float, y: float) -> None:
    """Group 0: its routers, all joined, and the hosts on the first of them."""
    shown = sampled(network.routers_per_group, 8)
    places = _ring(x, y, _NEAR - 35, len(shown))
    for place, number in _all_joined(scene, places, shown):
        scene.canvas.circle(*place, 15, SWITCH, stroke="#7b8794")
        scene.canvas.text(place[0], place[1] + 4, str(number), size=10, bold=True)
    scene.canvas.circle(x, y, _NEAR, "none")
    scene.canvas.text(x, y - _NEAR - 12, "group 0 from near", size=12, bold=True)
    on_first = scene.between(0, network.nodes_per_router)
    for i, (group, many) in enumerate(on_first):
        top = y - CHIP_HEIGHT / 2 + 80 * (i - (len(on_first) - 1) / 2)
        scene.canvas.line(
            places[0][0] + 15, places[0][1], x + _NEAR + 78 - CHIP_WIDTH / 2, top + CHIP_HEIGHT / 2
        )
        hosts_chip(scene, x + _NEAR + 78, top, group, group.first_host, many)


def _all_joined(
    scene: Scene, places: Sequence[tuple[float, float]], shown: Sequence[int]
) -> list[tuple[tuple[float, float], int]]:
    """Draw a line between any two places that are shown; these, with their numbers."""
    kept = [(place, number) for place, number in zip(places, shown, strict=True) if number >= 0]
    for (one, _), (other, _) in combinations(kept, 2):
        scene.canvas.line(*one, *other, stroke="#cbd2d9")
    for place, number in zip(places, shown, strict=True):
        if number < 0:
            left_out(scene, *place, -number)
    return kept


def _ring(x: float, y: float, radius: float, count: int) -> list[tuple[float, float]]:
    """Places on a circle, the first one at three o'clock."""
    if count == 1:
        return [(x, y)]
    turns = [2 * math.pi * i / count for i in range(count)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]
