"""Parts that all drawings share: hosts and switches as labelled boxes, and which few of many to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from striate.cluster.cluster import Cluster, Link
from striate.cluster.description.tables import Description
from striate.cluster.hosts import HostGroup, host_groups
from striate.svg import MUTED, Canvas
from striate.units import about_rate, about_seconds

COMPUTE, SERVER, FORWARDER, SWITCH = "#dbeafe", "#fde7c7", "#d8f3dc", "#e4e7eb"
WIDTH, MARGIN = 1120, 40
CHIP_WIDTH, CHIP_HEIGHT = 104, 44


@dataclass(frozen=True, slots=True)
class Scene:
    """What is drawn, and on what."""

    cluster: Cluster
    description: Description
    groups: tuple[HostGroup, ...]
    canvas: Canvas
    top: float

    @classmethod
    def of(cls, cluster: Cluster, canvas: Canvas, top: float) -> Scene:
        assert cluster.description is not None
        return cls(cluster, cluster.description, host_groups(cluster.description), canvas, top)

    @property
    def hosts(self) -> int:
        return sum(group.count for group in self.groups)

    def color(self, group: HostGroup) -> str:
        kind = group.at_path[2:].partition("[")[0]
        return {"node": COMPUTE, "server": SERVER}.get(kind, FORWARDER)

    def group_of(self, host: int) -> HostGroup:
        return next(group for group in self.groups if host < group.first_host + group.count)

    def between(self, first: int, last: int) -> list[tuple[HostGroup, int]]:
        """Groups that have hosts in first <= host < last, each with how many."""
        found = []
        for group in self.groups:
            count = min(last, group.first_host + group.count) - max(first, group.first_host)
            if count > 0:
                found.append((group, count))
        return found


def link_words(link: Link) -> str:
    """ "75.4 MB/s, 20 us" """
    return about_rate(link.bandwidth) + (f", {about_seconds(link.latency / 1e12)}" if link.latency else "")


def sampled(count: int, most: int, *, also: Sequence[int] = ()) -> list[int]:
    """The first few of `count` and those in `also`; -n where n are left out."""
    if count <= most:
        return list(range(count))
    always = sorted({i for i in also if i < count})[-(most - 1) :]
    shown = sorted({*range(max(1, most - len(always))), *always})
    gapped: list[int] = []
    for index, following in zip(shown, [*shown[1:], count], strict=True):
        gapped.append(index)
        if following != index + 1:
            gapped.append(index + 1 - following)
    return gapped


def chip(
    scene: Scene, x: float, y: float, group: HostGroup, words: str, note: str, *, many: bool = False
) -> None:
    """A host (or a stack of `many`) centred at x, its top at y."""
    left, canvas = x - CHIP_WIDTH / 2, scene.canvas
    for shift in (6, 3) if many else ():
        canvas.box(left + shift, y + shift, CHIP_WIDTH, CHIP_HEIGHT, scene.color(group))
    canvas.box(left, y, CHIP_WIDTH, CHIP_HEIGHT, scene.color(group))
    disked = holds_disks(scene, group)
    room = CHIP_WIDTH - (26 if disked else 8)
    middle = x - (9 if disked else 0)
    canvas.text(middle, y + 18, words, bold=True, size=11, room=room)
    canvas.text(middle, y + 34, note, size=10, color=MUTED, room=room)
    if disked:
        canvas.disk(left + CHIP_WIDTH - 22, y + 12, 16, 20)


def holds_disks(scene: Scene, group: HostGroup) -> bool:
    """Whether some I/O server sits on a host of the group."""
    if group.at_path.startswith("$.server"):
        return True
    if group.at_path.startswith(("$.forwarder", "$.metadata")):
        return False
    kind = int(group.at_path.rpartition("[")[2].rstrip("]"))
    return any(
        server.node >= 0 and scene.cluster.node_type[server.node] == kind for server in scene.cluster.servers
    )


def host_note(scene: Scene, group: HostGroup) -> str:
    """What a host of the group is, in a few letters."""
    for table, note in (("server", "I/O server"), ("forwarder", "forwarder"), ("metadata", "metadata")):
        if group.at_path.startswith(f"$.{table}"):
            return note
    kind = scene.cluster.node_types[int(group.at_path.rpartition("[")[2].rstrip("]"))]
    return f"{kind.sockets} x {kind.cpus_per_socket} CPUs"


def switch_box(scene: Scene, x: float, y: float, words: str, width: float = 104) -> None:
    """A switch centred at x, its top at y, 28 high."""
    scene.canvas.box(x - width / 2, y, width, 28, SWITCH, stroke="#7b8794")
    scene.canvas.text(x, y + 18, words, size=11, room=width - 6)


def left_out(scene: Scene, x: float, y: float, count: int, what: str = "more") -> None:
    """The sign for what is not drawn."""
    scene.canvas.text(x, y - 4, "· · ·", size=13, color=MUTED, bold=True)
    scene.canvas.text(x, y + 11, f"x {count} {what}", size=11, color=MUTED)


def host_stack(scene: Scene, x: float, from_y: float, y: float, hosts: range, *, side: int = -1) -> float:
    """Hosts below the switch they hang on, one box for each group of them; returns the lowest point.

    The switch ends at (x, from_y), the first box begins at y. Lines to further boxes go round those above on one
    `side`: -1 is left.
    """
    for number, (group, many) in enumerate(scene.between(hosts.start, hosts.stop)):
        if number:
            edge = x + side * CHIP_WIDTH / 2
            out = edge + 12 * side
            middle = y + CHIP_HEIGHT / 2
            scene.canvas.bent((x + 30 * side, from_y), (out, from_y + 14), (out, middle), (edge, middle))
        else:
            scene.canvas.line(x, from_y, x, y)
        hosts_chip(scene, x, y, group, max(hosts.start, group.first_host), many)
        y += CHIP_HEIGHT + 36
    return y


def hosts_chip(scene: Scene, x: float, y: float, group: HostGroup, first: int, many: int) -> None:
    """`many` hosts of one group from host `first` on, by their numbers in the group, and their uplink."""
    number = first - group.first_host
    words, note = (
        (group.name, f"{number} to {number + many - 1}")
        if many > 1
        else (f"{group.name}.{number}", host_note(scene, group))
    )
    chip(scene, x, y, group, words, note, many=many > 1)
    if group.uplink is not None:
        words = link_words(group.uplink)
        scene.canvas.text(x, y + CHIP_HEIGHT + 18, words, size=9.5, color=MUTED, room=CHIP_WIDTH + 6)


def spread(count: int, left: float, right: float) -> list[float]:
    """Middles of `count` equal columns between left and right."""
    return [left + (right - left) * (i + 0.5) / count for i in range(count)]


def legend(scene: Scene, x: float, y: float) -> None:
    """The colour of every group of hosts."""
    for i, group in enumerate(scene.groups):
        scene.canvas.box(x, y + 22 * i - 11, 14, 14, scene.color(group))
        scene.canvas.text(x + 22, y + 22 * i, f"{group.name} x {group.count}", size=11, anchor="start")


def side_note(scene: Scene, y: float, words: str) -> None:
    """A muted line at the left edge, beside a row."""
    scene.canvas.text(MARGIN, y, words, size=11, color=MUTED, anchor="start")
