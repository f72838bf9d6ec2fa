"""A machine written as TOML is the same machine when it is read."""

from dataclasses import replace

import pytest

from machines import SWITCH, node, server
from striate.cluster import builders, bundled, cluster_to_toml, load_cluster
from striate.cluster.load import cluster_from_toml
from striate.errors import ClusterError


@pytest.mark.parametrize("name", bundled())
def test_bundled_machines_survive_writing_and_reading(name):
    cluster = load_cluster(name)

    assert cluster_from_toml(cluster_to_toml(cluster)).description == cluster.description


def test_every_kind_of_value_survives():
    cluster = builders.star(
        node=[node(2, sockets=2), node(1, name="other")],
        switch=SWITCH | {"kind": "cut-through"},
        source='quotes " and \\ and\nlines\tand é and \x07',
        server=[
            server(
                1, nodes=[2], disk=[{"kind": "simple", "rate": 1.5}, {"kind": "simple", "rate": "1 MB/s"}]
            ),
            server(2, name="apart", on="apart", like="other", cache={"keeps_reads": True, "memory": 12345}),
        ],
        forwarder={"name": "relay", "count": 1, "on": "nodes", "serves": "compute", "to": ["apart"]},
        placement={"kind": "explicit", "ranks": [[0, 1], [2, 0]]},
        settings={"io_cpu": "3 us", "routing": "round-robin"},
    )

    assert cluster_from_toml(cluster_to_toml(cluster)).description == cluster.description


def test_a_machine_without_a_description_is_refused():
    cluster = replace(load_cluster("laptop"), description=None)

    with pytest.raises(ClusterError, match="not loaded from a description"):
        cluster_to_toml(cluster)
