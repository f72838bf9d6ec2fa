"""Machines of every topology, to be drawn."""

from machines import LINK, SWITCH, node, server
from striate.cluster import builders

APART = server(32, on="apart", like="compute", disks=4)
RELAY = {"name": "relay", "count": 4, "on": "apart", "like": "compute"}


def fly(count, groups, routers, hosts, ports):
    return builders.dragonfly(
        node=node(count, sockets=2),
        groups=groups,
        routers_per_group=routers,
        nodes_per_router=hosts,
        global_links_per_router=ports,
        router=SWITCH,
        local_link=LINK,
        global_link=LINK,
    )


def net(count):
    parts = [{"name": name, "bandwidth": "1 GB/s"} for name in ("left", "middle", "far")]
    edges = [{"source": "middle", "target": end, **LINK} for end in ("left", "far")]
    at = ["left", "far"] * (count // 2)
    return builders.graph(node=node(count, at=at), component=parts, edge=edges)


MACHINES = {
    "star": lambda: builders.star(node=node(1020, sockets=2), switch=SWITCH, server=APART, forwarder=RELAY),
    "star-small": lambda: builders.star(node=node(3, sockets=4), switch=SWITCH),
    "two-level": lambda: builders.two_level(
        node=node(1024), nodes_per_leaf=32, spines=16, leaf=SWITCH, spine=SWITCH, link=LINK, server=APART
    ),
    "fat-tree": lambda: builders.fat_tree(node=node(1024), switch=SWITCH, link=LINK, server=APART),
    "fat-tree-small": lambda: builders.fat_tree(node=node(5), switch=SWITCH, link=LINK),
    "fat-tree-least": lambda: builders.fat_tree(node=node(1), switch=SWITCH, link=LINK),
    "torus": lambda: builders.torus(node=node(4096), dimensions=[16, 16, 16], router=SWITCH, link=LINK),
    "ring": lambda: builders.torus(node=node(2), dimensions=[2], router=SWITCH, link=LINK),
    "dragonfly": lambda: fly(1024, 16, 8, 8, 4),
    "dragonfly-least": lambda: fly(1, 1, 1, 1, 1),
    "graph": lambda: net(6),
    "graph-large": lambda: net(60),
}
