"""`draw`: a machine as an SVG drawing - its network on top, the inside of every kind of node below."""

from __future__ import annotations

from striate.cluster.cluster import Cluster
from striate.cluster.description.networks import (
    DragonflyNetwork,
    FatTreeNetwork,
    GraphNetwork,
    StarNetwork,
    TorusNetwork,
    TwoLevelNetwork,
)
from striate.errors import ClusterError, OutputError
from striate.pages.topology.dragonfly import draw_dragonfly
from striate.pages.topology.graph import draw_graph
from striate.pages.topology.inside import draw_insides
from striate.pages.topology.parts import MARGIN, WIDTH, Scene
from striate.pages.topology.star import draw_star
from striate.pages.topology.torus import draw_torus
from striate.pages.topology.tree import draw_fat_tree, draw_two_level
from striate.svg import MUTED, RULE, Canvas
from striate.units import counted


def draw(cluster: Cluster) -> str:
    """An SVG document; large machines show a few nodes of each kind and how many more there are."""
    if cluster.description is None:
        raise ClusterError("this cluster was not loaded from a description, so it cannot be drawn")
    canvas = Canvas(corner=5, outline=RULE)
    canvas.text(MARGIN, 44, cluster.name, size=24, bold=True, anchor="start", room=WIDTH - 2 * MARGIN)
    canvas.text(MARGIN, 68, _summary(cluster), size=13, anchor="start", color=MUTED)
    canvas.line(MARGIN, 84, WIDTH - MARGIN, 84)
    bottom = 96 + _draw_network(Scene.of(cluster, canvas, 96))
    canvas.line(MARGIN, bottom, WIDTH - MARGIN, bottom)
    bottom += 24 + draw_insides(Scene.of(cluster, canvas, bottom + 24))
    return canvas.svg(WIDTH, bottom, f"Topology of {cluster.name}")


def draw_png(cluster: Cluster) -> bytes:
    """The same drawing as a PNG image; raises OutputError when CairoSVG is not installed."""
    try:
        import cairosvg
    except (ImportError, OSError) as error:  # OSError: the package is there, its C library is not
        raise OutputError(
            "a PNG needs CairoSVG (pip install 'striate[png]'); an SVG needs no package"
        ) from error
    image = cairosvg.svg2png(bytestring=draw(cluster).encode(), scale=1.5)
    assert isinstance(image, bytes)
    return image


def _summary(cluster: Cluster) -> str:
    parts = [
        counted(cluster.nodes, "node"),
        counted(cluster.sockets, "socket"),
        counted(cluster.cpus, "CPU"),
        counted(len(cluster.servers), "I/O server"),
    ]
    if cluster.forwarders:
        parts.append(counted(len(cluster.forwarders), "forwarder"))
    if cluster.metadata:
        parts.append(counted(len(cluster.metadata), "metadata server"))
    return " · ".join(parts)


def _draw_network(scene: Scene) -> float:
    match scene.description.network:
        case TwoLevelNetwork() as network:
            return draw_two_level(scene, network)
        case FatTreeNetwork() as network:
            return draw_fat_tree(scene, network)
        case TorusNetwork() as network:
            return draw_torus(scene, network)
        case DragonflyNetwork() as network:
            return draw_dragonfly(scene, network)
        case GraphNetwork() as network:
            return draw_graph(scene, network)
        case StarNetwork() as network:
            return draw_star(scene, network)
        case None:
            return draw_star(scene, None)
