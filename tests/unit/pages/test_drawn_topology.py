"""What a drawing of a machine shows is what its graph says: who is on which switch, and which switches are joined.

The pictures are read as a person reads them: boxes and circles by the words in them, lines by what their ends touch.
"""

import math
import re
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from machines import LINK, SWITCH, node, server
from striate.cluster import builders
from striate.cluster.description.networks import DragonflyNetwork, TorusNetwork
from striate.cluster.hosts import host_groups
from striate.cluster.load import bundled, load_cluster
from striate.cluster.wiring import top_components
from striate.pages.topology.draw import draw
from unit.pages.drawn_machines import MACHINES, fly

SVG = "{http://www.w3.org/2000/svg}"
CACHED = {**server(6, on="apart", like="compute", disks=1), "name": "cached"}


def torus(dimensions, **more):
    count = math.prod(dimensions) * more.get("nodes_per_router", 1)
    return builders.torus(node=node(count), dimensions=dimensions, router=SWITCH, link=LINK, **more)


ATTACKED = {
    # 10 + 6 hosts on edges of two: the servers begin in the middle of a pod
    "servers-in-a-pod": lambda: builders.fat_tree(node=node(10), switch=SWITCH, link=LINK, server=CACHED),
    # 9 + 6: an edge switch has a node and a server
    "mixed-edge": lambda: builders.fat_tree(node=node(9), switch=SWITCH, link=LINK, server=CACHED),
    "wide-pods": lambda: builders.fat_tree(node=node(130), switch=SWITCH, link=LINK, arity=10, server=CACHED),
    "one-host": lambda: builders.fat_tree(node=node(1), switch=SWITCH, link=LINK, arity=8),
    "mixed-leaf": lambda: builders.two_level(
        node=node(9), nodes_per_leaf=4, spines=2, leaf=SWITCH, spine=SWITCH, link=LINK, server=CACHED
    ),
    "mesh": lambda: torus([4, 3], wrap=False),
    "long-torus": lambda: torus([12, 3], nodes_per_router=2),
    "cube": lambda: torus([3, 3, 3]),
    "two-rings": lambda: torus([2, 9]),
    "small-fly": lambda: fly(5, 3, 2, 4, 1),
    "large-fly": lambda: fly(300, 40, 10, 1, 4),
}
CASES = MACHINES | ATTACKED | {name: lambda name=name: load_cluster(name) for name in bundled()}


@dataclass(frozen=True)
class Shape:
    """A box or circle with words in it, and the components that they name."""

    words: str
    left: float
    right: float
    top: float
    bottom: float
    members: frozenset[int]

    def touches(self, x, y):
        return self.left - 1 <= x <= self.right + 1 and self.top - 1 <= y <= self.bottom + 1


class Picture:
    """The network's part of a drawing: above the rule that the cards stand below."""

    def __init__(self, cluster):
        self.cluster, self.network = cluster, cluster.description.network
        root = ElementTree.fromstring(draw(cluster))
        rules = [one for one in root.iter(f"{SVG}line") if float(one.get("x2")) - float(one.get("x1")) > 1000]
        self.above, self.below = (float(rule.get("y1")) for rule in (rules[0], rules[1]))
        groups = host_groups(cluster.description)
        self.base = len(cluster.component_names) - sum(group.count * group.width for group in groups)
        self.tops = {group.name: top_components(group, self.base) for group in groups}
        self.texts = [one for one in root.iter(f"{SVG}text") if self._inside(float(one.get("y")))]
        # A stack of boxes is one: the last, which lies on top.
        self.shapes = list({shape.members: shape for shape in self._shapes(root) if shape.members}.values())
        self.lines = list(self._lines(root))
        edges = cluster.network
        self.pairs = set(zip(edges.edge_source.tolist(), edges.edge_target.tolist(), strict=True))

    def _inside(self, y):
        return self.above < y < self.below

    def _shapes(self, root):
        for one in root.iter(f"{SVG}rect"):
            if one.get("x") is None or not self._inside(float(one.get("y"))):
                continue
            x, y, width, height = (float(one.get(key)) for key in ("x", "y", "width", "height"))
            yield self._shape(x, x + width, y, y + height)
        for one in root.iter(f"{SVG}circle"):
            x, y, r = (float(one.get(key)) for key in ("cx", "cy", "r"))
            if self._inside(y) and one.get("fill") != "none":
                yield self._shape(x - r, x + r, y - r, y + r)

    def _shape(self, left, right, top, bottom):
        words = [
            one.text
            for one in self.texts
            if abs(float(one.get("x")) - (left + right) / 2) < 12 and top < float(one.get("y")) < bottom
        ]
        return Shape(" | ".join(words), left, right, top, bottom, frozenset(self._named(words)))

    def _named(self, words):
        """The components that the words of a shape name; none for a shadow or a dot."""
        names = self.cluster.component_names
        if not words:
            return ()
        first, second = words[0], words[1] if len(words) > 1 else ""
        if (stack := re.fullmatch(r"(\d+) to (\d+)", second)) and first in self.tops:
            low, high = map(int, stack.groups())
            assert 0 <= low < high < len(self.tops[first]), (first, second)
            return self.tops[first][low : high + 1].tolist()
        if one := re.fullmatch(r"(.+)\.(-?\d+)", first):
            name, number = one[1], int(one[2])
            if name in self.tops:
                assert 0 <= number < len(self.tops[name]), f"a host named {first}"
                return [int(self.tops[name][number])]
        if first == "group":
            each = self.network.routers_per_group
            return range(int(second) * each, (int(second) + 1) * each)
        if first.isdigit():
            return [names.index(f"router.{first}")]
        if first.startswith("switch "):
            return [names.index("switch")]
        if switch := re.fullmatch(r"(edge|aggr\.|core|leaf|spine) (\d+)", first):
            name = "aggregation" if switch[1] == "aggr." else switch[1]
            return [names.index(f"{name}.{switch[2]}")]
        return [names.index(first)] if first in names else ()

    def _lines(self, root):
        """Both ends of every line, and whether it is dashed."""
        for one in root.iter(f"{SVG}line"):
            ends = [tuple(float(one.get(key + end)) for key in "xy") for end in "12"]
            if all(self._inside(y) for _, y in ends) or self._inside(sum(y for _, y in ends) / 2):
                yield *ends, one.get("stroke-dasharray") is not None
        for one in root.iter(f"{SVG}polyline"):
            points = [tuple(map(float, point.split(","))) for point in one.get("points").split()]
            if self._inside(points[0][1]):
                yield points[0], points[-1], False
        for one in root.iter(f"{SVG}path"):
            if (arc := re.fullmatch(r"M(\S+) (\S+) Q\S+ \S+ (\S+) (\S+)", one.get("d"))) and self._inside(
                float(arc[2])
            ):
                yield (float(arc[1]), float(arc[2])), (float(arc[3]), float(arc[4])), False

    def at(self, place):
        """The shape that a line's end touches; the smallest, where one lies in another."""
        found = [shape for shape in self.shapes if shape.touches(*place)]
        return min(found, key=lambda shape: shape.right - shape.left, default=None)

    def joined(self, one, other):
        """Whether the graph joins some member of one shape with some of the other."""
        few, many = sorted((one.members, other.members), key=len)
        return any((a, b) in self.pairs or (b, a) in self.pairs for a in few for b in many)

    def all_joined(self, one, other):
        """Whether every member of a stack is on the switch, or two components are joined."""
        return all((a, b) in self.pairs or (b, a) in self.pairs for a in one.members for b in other.members)


@pytest.fixture(scope="module", params=CASES)
def picture(request):
    return Picture(CASES[request.param]())


def test_every_line_joins_two_things_that_the_graph_joins(picture):
    of_groups = isinstance(picture.network, DragonflyNetwork)
    assert picture.shapes
    for first, last, dashed in picture.lines:
        if dashed:
            continue
        one, other = picture.at(first), picture.at(last)
        assert one is not None, f"a line from nowhere at {first}"
        assert other is not None, f"a line to nowhere at {last}"
        several = of_groups and one.words.startswith("group")
        right = picture.joined(one, other) if several else picture.all_joined(one, other)
        assert right, f"{one.words} is drawn on {other.words}"


def test_whatever_the_graph_joins_has_a_line(picture):
    drawn = {
        frozenset((picture.at(first), picture.at(last)))
        for first, last, dashed in picture.lines
        if not dashed
    }
    for one, other in combinations(picture.shapes, 2):
        if one.members & other.members or _wraps(picture, one, other) or _near_and_far(one, other):
            continue
        assert (frozenset((one, other)) in drawn) == picture.joined(one, other), (
            f"{one.words} and {other.words}"
        )


def _near_and_far(one, other):
    """A group of a dragonfly, and what belongs to the group that is drawn from near."""
    return one.words.startswith("group") != other.words.startswith("group")


def _wraps(picture, one, other):
    """Routers at the two ends of a row or column of a torus, which dashed ends join."""
    if not isinstance(picture.network, TorusNetwork):
        return False
    shape = picture.network.dimensions
    places = [np.unravel_index(min(each.members), shape) for each in (one, other)]
    apart = [abs(int(a) - int(b)) for a, b in zip(*places, strict=True)]
    return sorted(apart)[-1] > 1


def test_dashed_ends_stand_where_a_ring_closes(picture):
    shape = (
        picture.network.dimensions if isinstance(picture.network, TorusNetwork) else ()
    )  # others have no ring
    stubs = {(picture.at(first), picture.at(last)) for first, last, dashed in picture.lines if dashed}
    ends = [one for one, other in stubs if one is not None and other is None]
    closing = 0
    for axis in (-1, -2)[: len(shape)]:
        if picture.network.wrap and shape[axis] > 2:
            closing += 1
    assert bool(ends) == bool(closing)
    for one in ends:
        place = np.unravel_index(min(one.members), shape)
        rings = [axis for axis in (-1, -2)[: len(shape)] if place[axis] in (0, shape[axis] - 1)]
        assert any(_closes(picture, place, axis) for axis in rings) or _beside_a_gap(picture, one)


def _closes(picture, place, axis):
    shape = picture.network.dimensions
    first, last = list(place), list(place)
    first[axis], last[axis] = 0, shape[axis] - 1
    pair = tuple(int(np.ravel_multi_index(end, shape)) for end in (first, last))
    return pair in picture.pairs or pair[::-1] in picture.pairs


def _beside_a_gap(picture, shape):
    """Whether routers beside it are left out: the dashed line then leads to the sign for them."""
    return any(re.search(r"x \d+ (columns|rows)", text.text) for text in picture.texts)


def test_no_host_is_drawn_twice_on_switches(picture):
    hosts = [shape for shape in picture.shapes if min(shape.members) >= picture.base and picture.network]
    for one, other in combinations(hosts, 2):
        assert not one.members & other.members


def test_a_server_is_called_by_its_number():
    words = {shape.words.partition(" | ")[0] for shape in Picture(ATTACKED["mixed-edge"]()).shapes}

    assert "cached.0" in words
    assert not any("-" in word for word in words)
