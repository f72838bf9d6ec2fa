"""Two-level networks and fat trees: tiers of switches above stacks of hosts."""

from __future__ import annotations

from collections.abc import Sequence

from striate.cluster.networks import FatTreeNetwork, TwoLevelNetwork
from striate.cluster.topology.fat_tree import arity
from striate.cluster.topology.two_level import leaves
from striate.pages.topology.parts import (
    CHIP_HEIGHT,
    CHIP_WIDTH,
    WIDTH,
    Scene,
    chip,
    left_out,
    link_words,
    sampled,
    side_note,
    spread,
    switch_box,
)
from striate.units import about_rate

_LEFT, _RIGHT = 210, WIDTH - 30


def draw_two_level(scene: Scene, network: TwoLevelNetwork) -> float:
    """Spines, leaves, hosts; returns the height taken."""
    top, middle, bottom = scene.top + 12, scene.top + 112, scene.top + 190
    count, per_leaf = leaves(network, scene.hosts), network.nodes_per_leaf
    edges_of_groups = [(group.first_host + group.count - 1) // per_leaf for group in scene.groups]
    spines, shown = sampled(network.spines, 5), sampled(count, 5, also=edges_of_groups)
    up, down = spread(len(spines), _LEFT, _RIGHT), spread(len(shown), _LEFT, _RIGHT)
    _mesh(scene, _places(up, spines), top + 28, _places(down, shown), middle)
    _row(scene, up, top, spines, "spine")
    _row(scene, down, middle, shown, "leaf")
    side_note(scene, top + 18, f"spines {about_rate(network.spine.bandwidth)}")
    side_note(scene, (top + middle) / 2 + 18, f"links {link_words(network.link)}")
    side_note(scene, middle + 18, f"leaves {about_rate(network.leaf.bandwidth)}")
    for x in _places(down, shown):
        scene.canvas.line(x, middle + 28, x, bottom)
    lowest = max(_stack(scene, x, middle + 28, bottom, i * per_leaf, per_leaf) for x, i in _kept(down, shown))
    return lowest - scene.top + 10


def draw_fat_tree(scene: Scene, network: FatTreeNetwork) -> float:
    """Cores, then pods of aggregation and edge switches, then hosts; returns the height taken."""
    k = arity(network, scene.hosts)
    half, per_pod = k // 2, (k // 2) ** 2
    tops = [scene.top + 12 + 92 * tier for tier in range(3)]
    last_pods = [(group.first_host + group.count - 1) // per_pod for group in scene.groups]
    cores, pods = (
        sampled(per_pod, 6, also=[per_pod - 2, per_pod - 1]),
        sampled(k, 4 if k == 4 else 3, also=last_pods),
    )
    up, columns = spread(len(cores), _LEFT, _RIGHT), spread(len(pods), _LEFT, _RIGHT)
    lowest = tops[2] + 110
    for x, pod in zip(columns, pods, strict=True):
        if pod < 0:
            left_out(scene, x, tops[2] - 30, -pod, "more pods")
            continue
        lowest = max(lowest, _pod(scene, x, tops, pod, half, _kept(up, cores)))
    _row(scene, up, tops[0], cores, "core")
    switches = f"{about_rate(network.switch.bandwidth)} each"
    for y, words in zip(
        tops, (f"{per_pod} cores", f"{k} x {half} aggregation", f"{k} x {half} edge"), strict=True
    ):
        side_note(scene, y + 18, words)
    side_note(scene, tops[0] + 60, f"links {link_words(network.link)}")
    side_note(scene, tops[2] + 60, f"switches {switches}")
    return lowest - scene.top + 10


def _pod(
    scene: Scene, x: float, tops: Sequence[float], pod: int, half: int, cores: Sequence[tuple[float, int]]
) -> float:
    """One pod: two switches of each tier stand for all `half`; returns its lowest point."""
    shown = min(2, half)
    places = spread(shown, x - 42 * shown, x + 42 * shown)
    numbers = [0, half - 1][:shown]
    for core_x, core in cores:
        for place, number in zip(places, numbers, strict=True):
            if core // half == number:  # aggregation switch j reaches its own half of k cores only
                scene.canvas.line(place, tops[1], core_x, tops[0] + 28, stroke="#9aa5b1")
    _mesh(scene, places, tops[1] + 28, places, tops[2])
    for tier, name in ((1, "aggr."), (2, "edge")):
        for place, number in zip(places, numbers, strict=True):
            switch_box(scene, place, tops[tier], f"{name} {pod * half + number}", width=74)
        if half > 2:
            scene.canvas.text(x, tops[tier] + 18, "··", size=11, bold=True, color="#5b6773")
    for place in places if scene.between(pod * half * half, (pod + 1) * half * half) else ():
        scene.canvas.line(place, tops[2] + 28, x, tops[2] + 62)
    scene.canvas.text(x + 66, tops[2] + 50, f"pod {pod}", size=11, bold=True, color="#5b6773")
    return _stack(scene, x, tops[2] + 28, tops[2] + 62, pod * half * half, half * half)


def _stack(scene: Scene, x: float, from_y: float, y: float, first: int, count: int) -> float:
    """Hosts first .. first + count - 1 as one stack for each group; returns the lowest point."""
    for i, (group, many) in enumerate(scene.between(first, first + count)):
        if i:
            _elbow(scene, x, from_y, y + CHIP_HEIGHT / 2)
        words = group.name if many > 1 else f"{group.name}.{first - group.first_host}"
        uplink = link_words(group.uplink) if group.uplink else ""
        chip(scene, x, y, group, words, f"x {many}", many=many > 1)
        scene.canvas.text(x, y + CHIP_HEIGHT + 18, uplink, size=9.5, color="#5b6773", room=CHIP_WIDTH + 60)
        y += CHIP_HEIGHT + 36
    return y


def _elbow(scene: Scene, x: float, from_y: float, to_y: float) -> None:
    """A line round the left side of the stack above, to a lower stack."""
    left = x - CHIP_WIDTH / 2 - 12
    scene.canvas.line(x - 42, from_y, left, from_y + 18)
    scene.canvas.line(left, from_y + 18, left, to_y)
    scene.canvas.line(left, to_y, left + 12, to_y)


def _row(scene: Scene, columns: Sequence[float], y: float, shown: Sequence[int], name: str) -> None:
    for x, i in zip(columns, shown, strict=True):
        if i < 0:
            left_out(scene, x, y + 14, -i)
        else:
            switch_box(scene, x, y, f"{name} {i}", width=90)


def _mesh(scene: Scene, up: Sequence[float], y1: float, down: Sequence[float], y2: float) -> None:
    for one in up:
        for other in down:
            scene.canvas.line(one, y1, other, y2, stroke="#cbd2d9")


def _kept(columns: Sequence[float], shown: Sequence[int]) -> list[tuple[float, int]]:
    return [(x, i) for x, i in zip(columns, shown, strict=True) if i >= 0]


def _places(columns: Sequence[float], shown: Sequence[int]) -> list[float]:
    return [x for x, _ in _kept(columns, shown)]
