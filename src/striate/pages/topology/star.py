"""A star, or a lone node: one switch above the hosts."""

from __future__ import annotations

from striate.cluster.description.networks import StarNetwork
from striate.pages.topology.parts import (
    CHIP_HEIGHT,
    MARGIN,
    WIDTH,
    Scene,
    chip,
    host_note,
    left_out,
    link_words,
    sampled,
    spread,
    switch_box,
)
from striate.units import about_rate

_MOST = 8


def draw_star(scene: Scene, network: StarNetwork | None) -> float:
    """Draw below `scene.top`; returns the height taken."""
    row = scene.top + (110 if network else 20)
    shown = _shown_hosts(scene)
    columns = spread(len(shown), MARGIN, WIDTH - MARGIN)
    if network is not None:
        words = f"switch {about_rate(network.switch.bandwidth)}"
        for x, host in zip(columns, shown, strict=True):
            if host >= 0:
                scene.canvas.line(WIDTH / 2, scene.top + 30, x, row)
        switch_box(scene, WIDTH / 2, scene.top + 10, words, width=180)
    for x, host in zip(columns, shown, strict=True):
        if host < 0:
            left_out(scene, x, row + CHIP_HEIGHT / 2, -host)
            continue
        group = scene.group_of(host)
        chip(scene, x, row, group, f"{group.name}.{host - group.first_host}", host_note(scene, group))
        if group.uplink is not None and network is not None:
            scene.canvas.text(x, row + CHIP_HEIGHT + 16, link_words(group.uplink), size=9.5, color="#5b6773")
    return row + CHIP_HEIGHT + 30 - scene.top


def _shown_hosts(scene: Scene) -> list[int]:
    """A few hosts of every group; -n for n left out."""
    each = max(1, _MOST // len(scene.groups) - (1 if scene.hosts > _MOST else 0))
    shown: list[int] = []
    for group in scene.groups:
        some = sampled(group.count, each if group.count > each + 1 else each + 1)
        shown += [i if i < 0 else group.first_host + i for i in some]
    return shown
