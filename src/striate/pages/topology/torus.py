"""A torus: one plane of routers as a grid, the wraps as stubs, the other dimensions in words."""

from __future__ import annotations

import math

from striate.cluster.description.networks import TorusNetwork
from striate.pages.topology.parts import MARGIN, Scene, left_out, legend, link_words, sampled, side_note
from striate.units import about_rate

_STEP_X, _STEP_Y, _RADIUS = 96, 62, 20


def draw_torus(scene: Scene, network: TorusNetwork) -> float:
    """The last two dimensions as a plane; returns the height taken."""
    rows = network.dimensions[-2] if len(network.dimensions) > 1 else 1
    columns = network.dimensions[-1]
    across, down = sampled(columns, 7, also=[columns - 1]), sampled(rows, 5, also=[rows - 1])
    left, top = MARGIN + 290, scene.top + 60
    for j, row in enumerate(down):
        for i, column in enumerate(across):
            _links(scene, network, (left + i * _STEP_X, top + j * _STEP_Y), (i, j), (across, down))
            if row >= 0 and column >= 0:
                _router(scene, network, left + i * _STEP_X, top + j * _STEP_Y, row * columns + column)
    _gaps(scene, left, top, across, down)
    _notes(scene, network)
    return max(len(down) * _STEP_Y + 70, 190 + 22 * len(scene.groups))


def _links(
    scene: Scene,
    network: TorusNetwork,
    place: tuple[float, float],
    index: tuple[int, int],
    shown: tuple[list[int], list[int]],
) -> None:
    """Lines to the right and down; stubs outward at both ends where the ring closes."""
    for axis, (step_x, step_y) in enumerate(((_STEP_X, 0), (0, _STEP_Y))):
        line, other = shown[axis], shown[1 - axis]
        if other[index[1 - axis]] < 0:
            continue
        length = network.dimensions[-1 - axis] if len(network.dimensions) > axis else 1
        here, last = index[axis], len(line) - 1
        if here < last:
            missing = line[here] < 0 or line[here + 1] < 0
            scene.canvas.line(*place, place[0] + step_x, place[1] + step_y, dashed=missing)
        if network.wrap and length > 2 and here in (0, last):
            sign = -0.45 if here == 0 else 0.45
            scene.canvas.line(*place, place[0] + sign * step_x, place[1] + sign * step_y * 1.1, dashed=True)


def _router(scene: Scene, network: TorusNetwork, x: float, y: float, number: int) -> None:
    group = scene.group_of(number * network.nodes_per_router)
    scene.canvas.circle(x, y, _RADIUS, scene.color(group), stroke="#7b8794")
    scene.canvas.text(x, y + 4, str(number), size=11, bold=True)


def _gaps(scene: Scene, left: float, top: float, across: list[int], down: list[int]) -> None:
    if min(across) < 0:
        x = left + across.index(min(across)) * _STEP_X
        scene.canvas.box(x - 38, top - 24, 76, 48, "#ffffff", stroke="#ffffff")
        left_out(scene, x, top, -min(across), "columns")
    if min(down) < 0:
        y = top + down.index(min(down)) * _STEP_Y
        scene.canvas.box(left - 38, y - 22, 76, 42, "#ffffff", stroke="#ffffff")
        left_out(scene, left, y, -min(down), "rows")


def _notes(scene: Scene, network: TorusNetwork) -> None:
    grid = " x ".join(map(str, network.dimensions))
    planes = math.prod(network.dimensions[:-2])
    lines = [f"{grid} routers, {about_rate(network.router.bandwidth)}", f"links {link_words(network.link)}"]
    lines.append(f"{network.nodes_per_router} node{'s' * (network.nodes_per_router > 1)} on each router")
    if planes > 1:
        lines += [
            f"one plane of {planes} is drawn",
            "each router also joins its neighbours",
            "in the other dimensions",
        ]
    lines.append("dashed ends join round" if network.wrap else "a mesh: ends are not joined")
    for i, words in enumerate(lines):
        side_note(scene, scene.top + 34 + 20 * i, words)
    legend(scene, MARGIN, scene.top + 50 + 20 * len(lines))
