"""Bundled machines load, say where their numbers come from, and hold the numbers of their papers."""

import json
import subprocess
import sys

import numpy as np
import pytest

from striate.cluster import bundled, load_cluster
from striate.cluster.cluster import MEMORY
from striate.cluster.measures import disk_bytes_per_second, route_measures
from striate.cluster.storage import HardDisk


@pytest.mark.parametrize("name", bundled())
def test_a_bundled_machine_loads_and_names_its_sources(name):
    cluster = load_cluster(name)

    assert cluster.name == name
    assert len(cluster.source) > 200
    assert cluster.servers
    assert cluster.place(cluster.cpus + 1).ranks == cluster.cpus + 1


def test_the_promised_machines_are_there():
    assert set(bundled()) == {"westmere", "pvs-cluster", "sp2", "laptop", "lustre-64"}


def test_westmere_has_ten_nodes_of_two_sockets_of_six_cpus():
    cluster = load_cluster("westmere")

    assert (cluster.nodes, cluster.sockets, cluster.cpus, len(cluster.servers)) == (10, 20, 120, 10)
    assert cluster.settings.stripe_unit == 65536


def test_an_empty_message_takes_on_westmere_what_paper_001_says():
    times = {
        name: way.empty_message_seconds for name, way in route_measures(load_cluster("westmere")).items()
    }

    # The simulator's own times hold 4 ns of CPU steps more, and cut every hop to whole nanoseconds.
    assert times["same socket"] == pytest.approx(198e-9, abs=5e-9)
    assert times["two sockets"] == pytest.approx(318e-9, abs=5e-9)
    assert times["neighbour nodes"] == pytest.approx(41.559e-6, abs=5e-9)


def test_westmere_equals_the_reference_numbers(data):
    model = json.loads((data / "reference" / "piosimhd_scenarios.json").read_text())["model_westmere"]
    cluster = load_cluster("westmere")
    kind, network = cluster.node_types[0], cluster.network
    memory = network.kind == MEMORY
    hub = np.array([name.endswith(".hub") for name in cluster.component_names])

    assert kind.nic.bandwidth == model["nic"]["bandwidth_Bps"]
    assert pair(kind.nic.link) == numbers(model["edge_nic_to_socket_memory"])
    assert set(network.bandwidth[memory]) == {model["socket_memory_node"]["total_bandwidth_Bps"]}
    assert set(network.local_bandwidth[memory]) == {model["socket_memory_node"]["local_bandwidth_Bps"]}
    assert set(network.bandwidth[hub]) == {model["qpi_node"]["bandwidth_Bps"]}
    assert network.bandwidth[0] == model["switch"]["bandwidth_Bps"]
    edges = set(zip(network.edge_bandwidth.tolist(), (network.edge_latency // 1000).tolist(), strict=True))
    assert edges == {numbers(model["edge_socket_to_qpi"]), numbers(model["edge_node_to_switch"])}
    assert kind.sockets == model["node"]["sockets"]
    assert kind.instructions_per_second == model["node"]["instructions_per_second"]
    assert kind.memory == 12_000_000_000
    assert cluster.settings.packet == model["defaults"]["transfer_granularity"]
    assert cluster.settings.eager == model["defaults"]["max_eager"]
    assert cluster.settings.io_request == model["defaults"]["io_granularity"]


def test_the_disk_of_westmere_equals_the_reference_numbers(data):
    model = json.loads((data / "reference" / "piosimhd_scenarios.json").read_text())["model_westmere"]
    (disk,) = load_cluster("westmere").servers[0].disks

    wanted = model["disk_PVSDisk"]
    assert isinstance(disk, HardDisk)
    assert disk.rate == wanted["sequential_Bps"]
    assert disk.average_seek == round(wanted["average_seek_s"] * 1e12)
    assert disk.track_seek == round(wanted["track_to_track_s"] * 1e12)
    assert disk.revolutions_per_minute == wanted["rpm"]
    assert disk.near == wanted["close_bytes"]
    assert load_cluster("westmere").servers[0].cache.concurrent_operations == wanted["max_concurrent"]


def numbers(edge):
    return edge["bandwidth_Bps"], edge["latency_ns"]


def pair(link):
    return link.bandwidth, link.latency // 1000


def test_the_sp2_writes_ten_megabytes_per_second_at_each_io_node():
    cluster = load_cluster("sp2")

    assert disk_bytes_per_second(cluster, write=True) == len(cluster.servers) * 10e6
    assert route_measures(cluster)["neighbour nodes"].bytes_per_second == 27e6
    assert route_measures(cluster)["neighbour nodes"].latency_seconds == pytest.approx(150e-6)


def test_the_lustre_like_machine_has_64_targets_on_16_servers():
    cluster = load_cluster("lustre-64")

    assert len(cluster.servers) == 64
    assert len({server.component for server in cluster.servers}) == 16
    assert all(server.node == -1 for server in cluster.servers)


def test_importing_the_package_imports_neither_scipy_nor_tomllib():
    code = "import sys, striate.cluster; print({'scipy', 'tomllib', 'numpy', 'msgspec'} & set(sys.modules))"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
