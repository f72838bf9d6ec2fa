"""Two-level networks and fat trees: tiers of switches above stacks of hosts."""

from __future__ import annotations

from collections.abc import Sequence

from striate.cluster.description.networks import FatTreeNetwork, TwoLevelNetwork
from striate.cluster.topology.fat_tree import arity
from striate.cluster.topology.two_level import leaves
from striate.pages.topology.parts import (
    WIDTH,
    Scene,
    host_stack,
    left_out,
    link_words,
    sampled,
    side_note,
    spread,
    switch_box,
)
from striate.svg import MUTED
from striate.units import about_rate

_LEFT, _RIGHT = 210, WIDTH - 30
_GAP_WIDTH = 70  # of the sign for pods that are not drawn
_HALF_POD = 44  # from the middle of a pod to its two switches of a tier
_FAINT = "#cbd2d9"
_HOSTS_BELOW = 34  # from a switch to its hosts


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
    lowest = max(
        host_stack(scene, x, middle + 28, bottom, range(i * per_leaf, (i + 1) * per_leaf))
        for x, i in _kept(down, shown)
    )
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
    up, columns = spread(len(cores), _LEFT, _RIGHT), _pod_columns(pods)
    lowest = tops[2] + 110
    for x, pod in zip(columns, pods, strict=True):
        if pod < 0:
            left_out(scene, x, tops[2] - 30, -pod, "pods")
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


def _pod_columns(pods: Sequence[int]) -> list[float]:
    """Middles of the pods, and of narrow columns for those left out."""
    gaps = sum(pod < 0 for pod in pods)
    wide = (_RIGHT - _LEFT - gaps * _GAP_WIDTH) / (len(pods) - gaps)
    found, left = [], float(_LEFT)
    for pod in pods:
        width = wide if pod >= 0 else _GAP_WIDTH
        found.append(left + width / 2)
        left += width
    return found


def _pod(
    scene: Scene, x: float, tops: Sequence[float], pod: int, half: int, cores: Sequence[tuple[float, int]]
) -> float:
    """One pod: two switches of each tier stand for all `half`; returns its lowest point."""
    places = [x - _HALF_POD, x + _HALF_POD] if half > 1 else [x]
    uppers, edges = [0, half - 1][: len(places)], _edges(scene, pod, half)
    for place, number in zip(places, uppers, strict=True):
        for core_x, core in cores:
            if core // half == number:  # aggregation switch j reaches its own half of k cores only
                scene.canvas.line(place, tops[1], core_x, tops[0] + 28, stroke="#9aa5b1")
    _mesh(scene, places, tops[1] + 28, places, tops[2])
    for tier, name, numbers in ((1, "aggr.", uppers), (2, "edge", edges)):
        for place, number in zip(places, numbers, strict=True):
            switch_box(scene, place, tops[tier], f"{name} {pod * half + number}", width=74)
        if half > 2:
            scene.canvas.text(x, tops[tier] + 18, "··", size=11, bold=True, color=MUTED)
    scene.canvas.text(x, tops[2] - 6, f"pod {pod}", size=11, bold=True, color=MUTED)
    y = tops[2] + 28 + _HOSTS_BELOW
    for place, number, side in zip(places, edges, (-1, 1), strict=False):
        first = (pod * half + number) * half
        y = host_stack(scene, place, tops[2] + 28, y, range(first, first + half), side=side)
    return y


def _edges(scene: Scene, pod: int, half: int) -> list[int]:
    """The two edge switches of a pod that are drawn: the first, and the last one that has hosts."""
    last = min(scene.hosts - 1, (pod + 1) * half * half - 1) // half - pod * half
    return [0, max(1, last)] if half > 1 else [0]


def _row(scene: Scene, columns: Sequence[float], y: float, shown: Sequence[int], name: str) -> None:
    for x, i in zip(columns, shown, strict=True):
        if i < 0:
            left_out(scene, x, y + 14, -i)
        else:
            switch_box(scene, x, y, f"{name} {i}", width=90)


def _mesh(scene: Scene, up: Sequence[float], y1: float, down: Sequence[float], y2: float) -> None:
    for one in up:
        for other in down:
            scene.canvas.line(one, y1, other, y2, stroke=_FAINT)


def _kept(columns: Sequence[float], shown: Sequence[int]) -> list[tuple[float, int]]:
    return [(x, i) for x, i in zip(columns, shown, strict=True) if i >= 0]


def _places(columns: Sequence[float], shown: Sequence[int]) -> list[float]:
    return [x for x, _ in _kept(columns, shown)]
