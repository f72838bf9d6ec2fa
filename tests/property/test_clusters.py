"""What holds for every machine and every placement."""

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machines import LINK, SWITCH, node, server
from striate.cluster import builders, bundled, cluster_to_toml, load, load_cluster
from striate.cluster.load import cluster_from_tables, cluster_from_toml
from striate.cluster.placement import first_cpu
from striate.cluster.routes import hops, shortest_route
from striate.errors import ClusterError

small = st.integers(1, 5)
DATA = Path(__file__).resolve().parents[1] / "data"


@st.composite
def clusters(draw):
    """A small machine of any generated topology, of one or two kinds of node, perhaps with servers apart."""
    kind = draw(st.sampled_from(["star", "two-level", "fat-tree", "torus", "dragonfly"]))
    sockets, cpus = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    dimensions = draw(st.lists(small, min_size=1, max_size=4))
    count = int(np.prod(dimensions)) if kind == "torus" else draw(st.integers(1, 40))
    tables = [node(count, sockets=sockets, cpus=cpus)]
    if kind != "torus" and draw(st.booleans()):
        tables.append(node(draw(small), name="other", cpus=draw(small)))
    apart = draw(st.booleans()) and kind != "torus"
    servers = [server(draw(st.integers(1, 3)), on="apart", like="compute")] if apart else []
    rest = {"node": tables, "server": servers}
    if kind == "star":
        return builders.star(switch=SWITCH, **rest)
    if kind == "two-level":
        shape = {"nodes_per_leaf": draw(small), "spines": draw(small), "leaf": SWITCH, "spine": SWITCH}
        return builders.two_level(link=LINK, **shape, **rest)
    if kind == "fat-tree":
        return builders.fat_tree(switch=SWITCH, link=LINK, **rest)
    if kind == "torus":
        return builders.torus(
            dimensions=dimensions, wrap=draw(st.booleans()), router=SWITCH, link=LINK, **rest
        )
    return _dragonfly(draw, tables, servers)


def _dragonfly(draw, tables, servers):
    routers, ports = draw(small), draw(small)
    groups = draw(st.integers(1, routers * ports + 1))
    hosts = sum(table["count"] for table in [*tables, *servers])
    return builders.dragonfly(
        node=tables,
        server=servers,
        groups=groups,
        routers_per_group=routers,
        nodes_per_router=-(-hosts // (groups * routers)),
        global_links_per_router=ports,
        router=SWITCH,
        local_link=LINK,
        global_link=LINK,
    )


@given(clusters())
def test_every_component_reaches_every_other(cluster):
    for backwards in (False, True):
        assert (hops(cluster.network, 0, backwards=backwards) >= 0).all()


@given(clusters())
def test_every_edge_has_its_opposite(cluster):
    network = cluster.network
    edges = set(zip(network.edge_source.tolist(), network.edge_target.tolist(), strict=True))

    assert edges == {(target, source) for source, target in edges}
    assert all(source != target for source, target in edges)


@given(clusters())
def test_every_host_has_one_uplink_and_every_socket_one_link(cluster):
    network = cluster.network
    degree = np.bincount(network.edge_source, minlength=network.components)

    sockets = np.diff(cluster.first_socket)
    top = cluster.socket_component[cluster.first_socket[1:] - 1] + (sockets > 1)
    assert (degree[top] == np.where(sockets > 1, sockets + 1, 1)).all()
    assert len(set(cluster.socket_component.tolist())) == cluster.sockets
    assert len(set(cluster.component_names)) == network.components


@given(clusters(), st.data())
def test_a_dragonfly_router_or_switch_never_uses_a_port_it_lacks(cluster, data):
    network = cluster.description.network
    if type(network).__name__ != "DragonflyNetwork":
        return
    routers = network.groups * network.routers_per_group
    degree = np.bincount(cluster.network.edge_source, minlength=cluster.network.components)[:routers]

    most = network.routers_per_group - 1 + network.global_links_per_router + network.nodes_per_router
    assert degree.max() <= most


@given(clusters(), st.data())
def test_a_shortest_route_is_as_long_as_its_hops(cluster, data):
    network = cluster.network
    ends = st.integers(0, network.components - 1)
    start, end = data.draw(ends), data.draw(ends)

    route = shortest_route(network, start, end)

    assert len(route) == hops(network, start)[end]
    visited = [start, *network.edge_target[route].tolist()]
    assert visited[-1] == end
    assert network.edge_source[route].tolist() == visited[:-1]


@given(clusters(), st.integers(1, 300), st.sampled_from(["round-robin", "block"]))
def test_placements_cover_the_cpus_evenly(cluster, ranks, kind):
    placed = replace(cluster, placement=kind).place(ranks)

    load = np.bincount(placed.cpu, minlength=cluster.cpus)
    assert load.sum() == ranks
    assert load.max() - load.min() <= 1
    starts = first_cpu(cluster)
    assert (starts[placed.node] <= placed.cpu).all()
    assert (placed.cpu < starts[placed.node + 1]).all()
    assert (cluster.first_socket[placed.node] <= placed.socket).all()
    assert (placed.socket < cluster.first_socket[placed.node + 1]).all()


@given(clusters(), st.integers(1, 200))
def test_round_robin_equals_dealing_rank_by_rank(cluster, ranks):
    free = {n: deal_order(cluster, n) for n in range(cluster.nodes)}
    dealt = []
    while len(dealt) < min(ranks, cluster.cpus):
        dealt += [free[n].pop(0) for n in free if free[n]]
    expected = [dealt[rank % len(dealt)] for rank in range(ranks)] if ranks > cluster.cpus else dealt[:ranks]

    assert cluster.place(ranks).cpu.tolist() == expected


def deal_order(cluster, number):
    """CPUs of one node in the order of dealing: sockets in turn, then the next core."""
    kind = cluster.node_types[cluster.node_type[number]]
    start = first_cpu(cluster)[number]
    return [
        start + socket * kind.cpus_per_socket + core
        for core in range(kind.cpus_per_socket)
        for socket in range(kind.sockets)
    ]


@given(clusters(), st.lists(st.integers(0, 10**6), min_size=1, max_size=50))
def test_explicit_ranks_stay_on_their_socket(cluster, picks):
    told = [(pick % cluster.nodes, 0) for pick in picks]
    placed = replace(cluster, placement="explicit", explicit_placement=tuple(told)).place(len(told))

    assert placed.node.tolist() == [place for place, _ in told]
    assert placed.socket.tolist() == [int(cluster.first_socket[place]) for place, _ in told]


@given(clusters())
def test_a_machine_written_as_toml_reads_back_the_same(cluster):
    again = cluster_from_toml(cluster_to_toml(cluster))

    assert again.description == cluster.description
    for column in cluster.network.__slots__:
        assert np.array_equal(getattr(again.network, column), getattr(cluster.network, column))


FILES = sorted((DATA / "good_clusters").glob("*.toml"))


@given(st.data())
@settings(max_examples=300)
def test_flipped_bytes_give_a_refusal_or_a_machine_and_nothing_else(tmp_path_factory, data):
    content = bytearray(data.draw(st.sampled_from(FILES)).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.one_of(st.integers(0, 255), st.sampled_from(b'0123456789"[]{}.=-\n')))
    path = tmp_path_factory.getbasetemp() / "flipped.toml"
    path.write_bytes(content)

    refusal = refusal_of(load_cluster, path)

    assert refusal is None or ("\n" not in str(refusal) and refusal.source == str(path))


@pytest.mark.parametrize("name", bundled())
@given(data=st.data())
@settings(max_examples=40)
def test_any_value_in_any_place_gives_a_refusal_or_a_machine(name, data):
    document = tomllib.loads((Path(load.__file__).parent / "data" / f"{name}.toml").read_text())
    odd = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        st.just([]),
        st.just({}),
        st.sampled_from([10**13, -1, 2**63, 10**400, "1e999 B/s", "9" * 70, [[]], [{}], {"kind": "hard"}]),
    )
    _plant(document, data, odd)

    assert "\n" not in str(refusal_of(cluster_from_tables, document))


def refusal_of(function, argument):
    """The ClusterError that the call raises, or None; anything else passes through."""
    try:
        function(argument)
    except ClusterError as refusal:
        return refusal
    return None


def _plant(table, data, odd):
    """Walk down to some key and put an odd value there."""
    while True:
        if isinstance(table, list):
            table = table[data.draw(st.integers(0, len(table) - 1))]
        key = data.draw(st.sampled_from(sorted(table)))
        inner = table[key]
        holds_tables = isinstance(inner, dict) or (
            isinstance(inner, list) and inner and isinstance(inner[0], dict)
        )
        if holds_tables and data.draw(st.booleans()):
            table = inner
            continue
        table[key] = data.draw(odd)
        return
