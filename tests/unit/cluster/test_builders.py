"""Builders make the graphs their names promise."""

import time

import numpy as np
import pytest

from machines import LINK, SWITCH, node, server
from striate.cluster import builders
from striate.cluster.cluster import MEMORY
from striate.errors import ClusterError


def names_of_neighbours(cluster, name):
    names = list(cluster.component_names)
    found = cluster.network.edge_target[cluster.network.edge_source == names.index(name)]
    return sorted(names[i] for i in found)


def test_a_star_node_is_memory_hub_uplink_switch():
    cluster = builders.star(node=node(3, sockets=2), switch=SWITCH)

    assert list(cluster.component_names)[:4] == [
        "switch",
        "compute.0.socket.0",
        "compute.0.socket.1",
        "compute.0.hub",
    ]
    assert names_of_neighbours(cluster, "compute.1.hub") == [
        "compute.1.socket.0",
        "compute.1.socket.1",
        "switch",
    ]
    assert cluster.network.edges == 3 * 2 * (2 + 1)
    assert np.count_nonzero(cluster.network.kind == MEMORY) == 6
    assert cluster.network.local_bandwidth[1] == 5e9


def test_a_node_of_one_socket_may_have_no_hub():
    cluster = builders.star(node=node(2), switch=SWITCH)

    assert names_of_neighbours(cluster, "compute.0.socket.0") == ["switch"]


def test_every_cable_is_two_edges_side_by_side():
    network = builders.fat_tree(node=node(16), switch=SWITCH, link=LINK).network

    assert (network.edge_source[::2] == network.edge_target[1::2]).all()
    assert (network.edge_source[1::2] == network.edge_target[::2]).all()
    assert (network.edge_latency[::2] == network.edge_latency[1::2]).all()


def test_two_levels_join_every_leaf_to_every_spine():
    cluster = builders.two_level(
        node=node(5), nodes_per_leaf=2, spines=2, leaf=SWITCH, spine=SWITCH, link=LINK
    )

    assert names_of_neighbours(cluster, "spine.1") == ["leaf.0", "leaf.1", "leaf.2"]
    assert names_of_neighbours(cluster, "leaf.2") == ["compute.4.socket.0", "spine.0", "spine.1"]


def test_a_fat_tree_of_arity_four_holds_sixteen_nodes():
    cluster = builders.fat_tree(node=node(16), switch=SWITCH, link=LINK)

    # 4 pods x (2 edge + 2 aggregation) + 4 cores; 16 + 16 cables between them, 16 uplinks
    assert cluster.network.components == 20 + 16
    assert cluster.network.edges == 2 * (32 + 16)
    assert names_of_neighbours(cluster, "core.0") == [f"aggregation.{i}" for i in (0, 2, 4, 6)]


def test_a_fat_tree_takes_the_smallest_arity_that_holds_its_nodes():
    sizes = {
        count: builders.fat_tree(node=node(count), switch=SWITCH, link=LINK)
        for count in (1, 2, 3, 16, 17, 128)
    }

    cores = {count: cluster.network.components - count for count, cluster in sizes.items()}
    assert cores == {1: 5, 2: 5, 3: 20, 16: 20, 17: 45, 128: 80}  # 5 k^2 / 4 switches


def test_a_ring_of_two_has_one_cable_and_a_ring_of_three_has_three():
    two = builders.torus(node=node(2), dimensions=[2], router=SWITCH, link=LINK)
    three = builders.torus(node=node(3), dimensions=[3], router=SWITCH, link=LINK)

    assert (two.network.edges, three.network.edges) == (2 * (1 + 2), 2 * (3 + 3))


def test_a_torus_of_three_dimensions_has_six_neighbours_everywhere():
    network = builders.torus(node=node(60), dimensions=[3, 4, 5], router=SWITCH, link=LINK).network

    degrees = np.bincount(network.edge_source, minlength=network.components)[:60]
    assert set(degrees.tolist()) == {6 + 1}


def test_a_mesh_has_no_wraps():
    cluster = builders.torus(node=node(4), dimensions=[4], wrap=False, router=SWITCH, link=LINK)

    assert names_of_neighbours(cluster, "router.0") == ["compute.0.socket.0", "router.1"]


def test_a_full_dragonfly_joins_every_pair_of_groups_once():
    # 4 routers with 1 global link each: 5 groups, 10 pairs
    cluster = fly(20, groups=5, routers_per_group=4, nodes_per_router=1, global_links_per_router=1)

    source, target = cluster.network.edge_source[::2], cluster.network.edge_target[::2]
    between = [
        (a // 4, b // 4) for a, b in zip(source.tolist(), target.tolist(), strict=True) if a < 20 and b < 20
    ]
    pairs = sorted(pair for pair in between if pair[0] != pair[1])
    assert pairs == [(a, b) for a in range(5) for b in range(a + 1, 5)]


def fly(count, **shape):
    return builders.dragonfly(node=node(count), router=SWITCH, local_link=LINK, global_link=LINK, **shape)


def test_a_graph_may_name_nodes_in_its_edges():
    cluster = builders.graph(
        node={key: value for key, value in node(2).items() if key != "uplink"},
        component=[{"name": "middle", "bandwidth": "1 GB/s", "kind": "cut-through"}],
        edge=[{"source": f"compute.{i}", "target": "middle", **LINK} for i in range(2)],
    )

    assert names_of_neighbours(cluster, "middle") == ["compute.0.socket.0", "compute.1.socket.0"]


def test_servers_share_the_last_socket_of_compute_nodes():
    cluster = builders.star(node=node(3, sockets=2), switch=SWITCH, server=server(2, nodes=[2, 0]))

    assert [storage.node for storage in cluster.servers] == [2, 0]
    assert [cluster.component_names[storage.component] for storage in cluster.servers] == [
        "compute.2.socket.1",
        "compute.0.socket.1",
    ]
    assert cluster.servers[0].memory == 2**30


def test_servers_apart_have_one_socket_nodes_of_their_own():
    apart = server(4, on="apart", like="compute", per_node=2, disks=3)
    cluster = builders.star(node=node(2, sockets=2), switch=SWITCH, server=apart)

    assert [cluster.component_names[storage.component] for storage in cluster.servers] == [
        "storage.0.socket.0",
        "storage.0.socket.0",
        "storage.1.socket.0",
        "storage.1.socket.0",
    ]
    assert names_of_neighbours(cluster, "storage.1.hub") == ["storage.1.socket.0", "switch"]
    assert (cluster.servers[3].node, cluster.servers[3].memory, len(cluster.servers[3].disks)) == (
        -1,
        2**29,
        3,
    )
    assert cluster.nodes == 2


def test_forwarders_share_out_the_nodes_in_blocks():
    relay = {"name": "relay", "count": 2, "on": "apart", "like": "compute"}
    cluster = builders.star(node=node(5), switch=SWITCH, server=server(3), forwarder=relay)

    assert [forwarder.nodes for forwarder in cluster.forwarders] == [(0, 1, 2), (3, 4)]
    assert cluster.forwarders[1].servers == (0, 1, 2)


def test_builders_refuse_with_the_path_of_a_file():
    with pytest.raises(ClusterError) as refusal:
        builders.star(node=node(0), switch=SWITCH)

    assert refusal.value.at == "$.node[0].count"


def test_columns_are_frozen():
    with pytest.raises(ValueError, match="read-only"):
        builders.star(node=node(1), switch=SWITCH).network.bandwidth[0] = 0


@pytest.mark.parametrize(
    "build",
    [
        lambda count: builders.star(node=node(count, sockets=2), switch=SWITCH),
        lambda count: builders.fat_tree(node=node(count, sockets=2), switch=SWITCH, link=LINK),
        lambda count: builders.torus(
            node=node(count, sockets=2), dimensions=[16, count // 16], router=SWITCH, link=LINK
        ),
        lambda count: fly(
            count, groups=count // 256, routers_per_group=16, nodes_per_router=16, global_links_per_router=8
        ),
    ],
    ids=["star", "fat-tree", "torus", "dragonfly"],
)
def test_sixteen_thousand_nodes_take_a_fraction_of_a_second(build):
    build(256)
    start = time.process_time()

    cluster = build(16_384)

    assert time.process_time() - start < 0.2  # about 0.01 s on a quiet machine
    assert cluster.nodes == 16_384
