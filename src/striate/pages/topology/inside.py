"""Cards that show the inside of each kind of node, server and forwarder, with its numbers."""

from __future__ import annotations

from striate.cluster.description.tables import ForwarderTable, MetadataTable, NodeTable, ServerTable
from striate.cluster.storage import Disk, FlashDisk, HardDisk, queue_depth, transfer_rate
from striate.pages.topology.parts import (
    COMPUTE,
    FORWARDER,
    MARGIN,
    SERVER,
    SWITCH,
    WIDTH,
    Scene,
    link_words,
    spread,
)
from striate.svg import MUTED
from striate.units import about_count, about_rate, about_seconds, about_size, counted

CARD_WIDTH, CARD_HEIGHT, GAP = 506, 264, 28


def draw_insides(scene: Scene) -> float:
    """All cards, two in a row; returns the height taken."""
    description = scene.description
    tables: list[NodeTable | ServerTable | ForwarderTable | MetadataTable] = [
        *description.node,
        *description.server,
    ]
    tables += [*description.forwarder, *description.metadata]
    for i, table in enumerate(tables):
        x, y = MARGIN + (i % 2) * (CARD_WIDTH + GAP), scene.top + (i // 2) * (CARD_HEIGHT + GAP)
        if isinstance(table, NodeTable):
            _node(scene, x, y, table)
        elif isinstance(table, ServerTable):
            _server(scene, x, y, table)
        elif isinstance(table, ForwarderTable):
            _forwarder(scene, x, y, table)
        else:
            _metadata(scene, x, y, table)
    assert MARGIN + 2 * CARD_WIDTH + GAP <= WIDTH
    return -(-len(tables) // 2) * (CARD_HEIGHT + GAP)


def _node(scene: Scene, x: float, y: float, table: NodeTable) -> None:
    canvas, middle = scene.canvas, x + CARD_WIDTH / 2
    per_cpu = f"{about_count(table.instructions_per_second)} instructions/s per CPU"
    _card(
        scene, x, y, COMPUTE, f"node {table.name} x {table.count}", f"{about_size(table.memory)}, {per_cpu}"
    )
    shown = min(2, table.sockets)
    places = spread(shown, x, x + CARD_WIDTH)
    if table.hub is not None:
        for place in places:
            canvas.line(middle, y + 92, place, y + 132)
        uplink = f", uplink {link_words(table.uplink)}" if table.uplink else ""
        canvas.box(middle - 200, y + 62, 400, 30, SWITCH)
        canvas.text(middle, y + 81, f"hub {about_rate(table.hub.bandwidth)}{uplink}", size=11, room=392)
        canvas.text(middle, y + 122, f"links {link_words(table.hub.link)}", size=10, color=MUTED)
    elif table.uplink is not None:
        canvas.line(middle, y + 92, middle, y + 132)
        canvas.text(middle, y + 82, f"uplink {link_words(table.uplink)}", size=11)
    for place in places:
        _socket(scene, place, y + 132, table)
    if table.sockets > 2:
        canvas.text(middle, y + 160, f"x {table.sockets}", size=11, bold=True, color=MUTED)
    words = (
        f"interface of each process {about_rate(table.nic.bandwidth)}, its link {link_words(table.nic.link)}"
    )
    canvas.text(middle, y + CARD_HEIGHT - 14, words, size=10.5, color=MUTED, room=CARD_WIDTH - 16)


def _socket(scene: Scene, x: float, y: float, table: NodeTable) -> None:
    width, canvas, socket = 214, scene.canvas, table.socket
    canvas.box(x - width / 2, y, width, 100, "#eff6ff")
    canvas.text(x, y + 18, f"memory {about_rate(socket.bandwidth)}", size=11, room=width - 8)
    if socket.local_bandwidth is not None:
        canvas.text(
            x, y + 34, f"{about_rate(socket.local_bandwidth)} within the socket", size=10, color=MUTED
        )
    shown = min(8, table.cpus_per_socket)
    for place in spread(shown, x - width / 2 + 6, x + width / 2 - 6):
        canvas.box(place - 9, y + 44, 18, 18, "#bfdbfe")
    canvas.text(x, y + 84, f"{table.cpus_per_socket} CPU{'s' * (table.cpus_per_socket > 1)}", size=11)


def _server(scene: Scene, x: float, y: float, table: ServerTable) -> None:
    canvas, disks = scene.canvas, table.all_disks()
    where = "on the compute nodes" if table.on == "nodes" else f"on nodes of their own, {table.per_node} each"
    _card(scene, x, y, SERVER, f"server {table.name} x {table.count}", where)
    canvas.box(x + 30, y + 66, CARD_WIDTH - 60, 48, "#fff7ed")
    memory = next(server.memory for server in scene.cluster.servers if server.name == f"{table.name}.0")
    canvas.text(x + CARD_WIDTH / 2, y + 85, f"cache: {table.cache.policy}, {about_size(memory)}", size=11)
    ahead = about_size(table.cache.read_ahead) if table.cache.read_ahead else "nothing"
    extra = f"{at_once(table)} at once, reads ahead {ahead}"
    if table.burst is not None:
        extra += f"; burst buffer of {about_size(table.burst.capacity)}"
    canvas.text(x + CARD_WIDTH / 2, y + 102, extra, size=10, color=MUTED)
    shown = min(8, len(disks))
    for place in spread(shown, x + 30, x + CARD_WIDTH - 30):
        canvas.line(place, y + 114, place, y + 140)
        canvas.disk(place - 17, y + 136, 34, 42)
    more = f"{len(disks)} disks (RAID {table.raid}): " if len(disks) > 1 else "disk: "
    canvas.text(x + CARD_WIDTH / 2, y + 206, more + disk_words(disks[0]), size=11, room=CARD_WIDTH - 16)
    canvas.text(
        x + CARD_WIDTH / 2, y + 226, disk_details(disks[0]), size=10.5, color=MUTED, room=CARD_WIDTH - 16
    )


def _forwarder(scene: Scene, x: float, y: float, table: ForwarderTable) -> None:
    where = "on the compute nodes" if table.on == "nodes" else "on nodes of their own"
    _card(scene, x, y, FORWARDER, f"forwarder {table.name} x {table.count}", where)
    first = next(relay for relay in scene.cluster.forwarders if relay.name == f"{table.name}.0")
    for i, words in enumerate(
        (f"nodes served by the first: {len(first.nodes)}", f"servers: {len(first.servers)}")
    ):
        scene.canvas.text(x + CARD_WIDTH / 2, y + 110 + 24 * i, words, size=12)


def _metadata(scene: Scene, x: float, y: float, table: MetadataTable) -> None:
    where = "on the compute nodes" if table.on == "nodes" else "on nodes of their own"
    _card(scene, x, y, SERVER, f"metadata {table.name} x {table.count}", where)
    first = next(server for server in scene.cluster.metadata if server.name == f"{table.name}.0")
    times = (f"open {_ticks(first.open)}, create {_ticks(first.create)}", f"{first.concurrent} at once")
    for i, words in enumerate(times):
        scene.canvas.text(x + CARD_WIDTH / 2, y + 110 + 24 * i, words, size=12)


def _card(scene: Scene, x: float, y: float, color: str, title: str, note: str) -> None:
    scene.canvas.box(x, y, CARD_WIDTH, CARD_HEIGHT, "#fbfcfd")
    scene.canvas.box(x, y, CARD_WIDTH, 48, color)
    scene.canvas.text(x + 12, y + 20, title, size=13, bold=True, anchor="start", room=CARD_WIDTH - 24)
    scene.canvas.text(x + 12, y + 38, note, size=11, anchor="start", color=MUTED, room=CARD_WIDTH - 24)


def at_once(table: ServerTable) -> int:
    """Requests that the server gives its disks at once."""
    given = table.cache.concurrent_operations
    return given if given is not None else max(queue_depth(disk) for disk in table.kinds_of_disks())


def disk_words(disk: Disk) -> str:
    """What a disk is and how fast, in a few words."""
    if isinstance(disk, FlashDisk):
        return f"flash, reads {about_rate(disk.read_rate)}, writes {about_rate(disk.write_rate)}"
    kind = "hard" if isinstance(disk, HardDisk) else "simple"
    return f"{kind}, {about_rate(transfer_rate(disk, write=False))}"


def disk_details(disk: Disk) -> str:
    """Its access times, in a few words."""
    if isinstance(disk, FlashDisk):
        times = f"{_ticks(disk.read_latency)} to read, {_ticks(disk.write_latency)} to write"
        return f"{times}, {counted(disk.channels, 'channel')}"
    if isinstance(disk, HardDisk):
        seeks = f"seek {_ticks(disk.average_seek)}, {_ticks(disk.track_seek)} nearby"
        return f"{seeks}, {disk.revolutions_per_minute:g} rpm"
    return f"access {_ticks(disk.access)}"


def _ticks(ticks: int) -> str:
    return about_seconds(ticks / 1e12)
