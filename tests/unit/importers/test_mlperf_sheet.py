"""Sheets of MLPerf Storage as submitters write them: units, lists and names as they can only have been meant."""

import copy
import json

import pytest

from striate.cli.main import run
from striate.errors import ClusterError
from striate.importers.mlperf_sheet import from_file
from striate.importers.system_name import from_name

GIB = 2**30


def drive(purpose, count, **more):
    return {
        "purpose": [purpose],
        "drive_type": "SSD",
        "capacity_GiB": 7500,
        "count_of_this_type": count,
        **more,
    }


def port(rate, count=1, protocols=("RDMA",)):
    return {
        "network_name": "data",
        "bitrate": rate,
        "count_of_this_type": count,
        "protocols": list(protocols),
    }


CLIENT = {
    "node_type_name": "Client",
    "config_options": [],
    "CPU": {"vendor_and_model_name": "x", "socket_count": 2, "cores_per_socket": 32},
    "DRAM": {"capacity_MiB": 524288},
    "accelerators": [{"vendor_and_model": "NVIDIA H100", "count_of_this_type": "2-38"}],
    "nic_ports": [port(400)],
    "drives": [drive("Hold the OS", 2)],
}
STORAGE = CLIENT | {
    "node_type_name": "Storage",
    "accelerators": [],
    "nic_ports": [
        port(200, 2),
        {"network_name": "management", "bitrate": 1, "count_of_this_type": 1, "protocols": []},
    ],
    "drives": [
        drive("Hold the OS", 2),
        drive("Metadata", 4),
        drive(
            "Holds the data",
            16,
            interface="NVMe",
            performance={"read_bandwidth": {"xfer_size_kilobytes": 512, "peak_bandwidth": 14}},
        ),
    ],
}
SHEET = {
    "networks": [],
    "nodes": [CLIENT, STORAGE],
    "benchmark_hosts": [{"node_name": "c1", "node_type_name": "client", "benchmark_instances": []}],
    "storage_system": {"raw_capacity_GiB": 3 * 16 * 7000, "software_components": []},
}


@pytest.fixture
def read(tmp_path):
    def write(sheet, name="box.json", **options):
        path = tmp_path / name
        path.write_text(sheet if isinstance(sheet, str) else json.dumps(sheet))
        return from_file(path, **options)

    return write


def changed(path, value):
    """The sheet with another value at a path of keys and places."""
    sheet = copy.deepcopy(SHEET)
    *parents, last = path
    inner = sheet
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return sheet


def test_a_sheet_gives_hosts_links_servers_and_drives(read):
    system = read(SHEET)

    assert (system.hosts, system.host_cores, system.host_memory) == (1, 64, 512 * GIB)
    assert (system.host_link, system.server_link) == (50e9, 50e9)
    assert (system.servers, system.drives) == (3, 48)  # as the raw capacity wants them
    assert (system.drive_rate, system.drive_kind, system.local, system.rdma) == (
        14 * GIB,
        "nvme",
        False,
        True,
    )
    assert system.notes == ()
    assert system.missing() == ()


def test_servers_that_are_listed_under_hosts_are_counted_there(read):
    hosts = [{"node_type_name": name} for name in ("Client", "Storage", "Storage")]

    system = read(SHEET | {"benchmark_hosts": hosts})

    assert (system.hosts, system.servers, system.drives) == (1, 2, 32)


@pytest.mark.parametrize(
    ("peak", "rate"), [(14, 14 * GIB), (560, 560e6), ("7000 MB/s", 7e9), ("6.8 GiB/s", 6.8 * GIB), ("", None)]
)
def test_a_peak_rate_has_the_unit_that_it_can_only_have(read, peak, rate):
    sheet = changed(["nodes", 1, "drives", 2, "performance", "read_bandwidth", "peak_bandwidth"], peak)

    assert read(sheet).drive_rate == rate


@pytest.mark.parametrize(
    ("memory", "bytes_"),
    [
        ({"capacity_MiB": 256}, 256 * GIB),
        ({"capacity_GB": 2048}, 2048e9),
        ({"capacity_MiB": "512 GiB"}, 512 * GIB),
        ({}, None),
    ],
)
def test_memory_is_read_in_the_unit_that_was_meant(read, memory, bytes_):
    assert read(changed(["nodes", 0, "DRAM"], memory)).host_memory == bytes_


def test_a_kernel_option_limits_the_memory(read):
    assert read(changed(["nodes", 0, "config_options"], ["mem=256G"])).host_memory == 256 * GIB


def test_drives_of_a_host_without_links_are_local(read):
    host = CLIENT | {"nic_ports": [], "drives": STORAGE["drives"]}

    system = read({"nodes": [host], "benchmark_hosts": [{"node_type_name": "CLIENT"}]})

    assert (system.local, system.drives, system.servers) == (True, 16, None)


def test_data_on_the_drives_of_the_only_host_are_local_whatever_its_links(read):
    host = CLIENT | {"drives": STORAGE["drives"]}

    system = read({"nodes": [host], "benchmark_hosts": [{"node_type_name": "client"}]})

    assert (system.local, system.drives) == (True, 16)


def test_hosts_that_hold_the_data_together_are_the_servers(read):
    host = CLIENT | {"drives": STORAGE["drives"]}

    system = read({"nodes": [host], "benchmark_hosts": [{"node_type_name": "client"}] * 4})

    assert (system.local, system.servers, system.drives, system.server_link) == (False, 4, 64, 50e9)


@pytest.mark.parametrize(
    ("drives", "raw"),
    [
        ([{"drive_type": "SSD", "capacity_GiB": 480, "count_of_this_type": 2}], None),  # of no purpose
        ([drive("Data cache", 1)], 10**6),  # a tenth of what is stored
    ],
)
def test_small_drives_of_a_host_with_links_are_not_the_storage(read, drives, raw):
    host, storage = CLIENT | {"drives": drives}, {"raw_capacity_GiB": raw} if raw else {}

    system = read(
        {"nodes": [host], "benchmark_hosts": [{"node_type_name": "client"}], "storage_system": storage}
    )

    assert (system.local, system.drive_rate) == (False, None)
    assert system.drives is None


@pytest.mark.parametrize(
    ("bitrate", "rate"),
    [
        (400, 50e9), ("400", 50e9), ("400GbE", 50e9), ("400 Gb/s", 50e9), ("400Gbps", 50e9), ("400 Gbit/s", 50e9),
        (400_000, 50e9), ("400000 Mb/s", 50e9), ("N/A", None), ("unknown", None), (" - ", None), (None, None),
    ],
)  # fmt: skip
def test_a_bitrate_is_read_with_and_without_its_unit(read, bitrate, rate):
    assert read(changed(["nodes", 0, "nic_ports", 0, "bitrate"], bitrate)).host_link == rate


def test_a_port_without_a_rate_has_that_of_its_network(read):
    networks = [{"network_name": "data", "network_type": "InfiniBand", "bitrate": 200, "protocols": []}]
    bare = {"network_name": "data", "count_of_this_type": 2}
    sheet = changed(["nodes", 0, "nic_ports"], [bare]) | {"networks": networks}

    system = read(sheet)

    assert (system.host_link, system.rdma) == (50e9, True)


@pytest.mark.parametrize(
    "said",
    [
        {"capacity_GiB": 7000},
        {"capacity_TiB": 7000 / 1024},
        {"capacity_GiB": "7,000"},
        {"capacity_GB": "7000 GiB"},
    ],
)
def test_capacities_have_units_of_their_own(read, said):
    plain = {key: value for key, value in drive("data", 16).items() if key != "capacity_GiB"}

    assert (
        read(changed(["nodes", 1, "drives"], [plain | said])).servers == 3
    )  # as the raw capacity wants them


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["nodes", 0, "CPU", "cores_per_socket"], "32-64"),
        (["nodes", 0, "CPU", "cores_per_socket"], -4),
        (["nodes", 0, "CPU", "cores_per_socket"], 1.5),
        (["nodes", 0, "DRAM"], {"capacity_MiB": "12 parsec"}),
        (["nodes", 0, "nic_ports", 0, "bitrate"], "two of them"),
        (["nodes", 0, "nic_ports", 0, "bitrate"], "7 cubits"),
        (["nodes", 1, "drives", 2, "performance", "read_bandwidth", "peak_bandwidth"], "7,5"),
        (["benchmark_hosts"], 3),
    ],
)
def test_a_lenient_reader_leaves_open_what_makes_no_sense(read, path, value):
    with pytest.raises(ClusterError) as refused:
        read(changed(path, value))

    system = read(changed(path, value), lenient=True)

    assert (system.servers, system.drives) == (3, 48)
    assert any(refused.value.at in note and "left open" in note for note in system.notes)


def test_a_comma_too_many_is_passed_over_with_a_note(read):
    system = read(
        json.dumps(SHEET).replace('"benchmark_instances": []}]', '"benchmark_instances": [ ], },\n]')
    )

    assert system.servers == 3
    assert any("commas" in note for note in system.notes)


@pytest.mark.parametrize(
    ("path", "value", "at", "words"),
    [
        (["nodes"], {}, "$.nodes", "expected a list, got an object"),
        (["nodes"], [], "$.nodes", "at least one node"),
        (["nodes", 1], 5, "$.nodes[1]", "expected an object, got 5"),
        (["nodes", 0, "node_type_name"], "", "$.nodes[0].node_type_name", "the name"),
        (["nodes", 0, "CPU", "cores_per_socket"], "many", "$.nodes[0].CPU.cores_per_socket", "a number"),
        (["nodes", 0, "CPU", "cores_per_socket"], -4, "$.nodes[0].CPU.cores_per_socket", "not negative"),
        (["nodes", 0, "CPU", "cores_per_socket"], 1.5, "$.nodes[0].CPU.cores_per_socket", "a whole number"),
        (["nodes", 0, "nic_ports", 0, "bitrate"], True, "$.nodes[0].nic_ports[0].bitrate", "a number"),
        (["nodes", 0, "DRAM"], {"capacity_MiB": "12 parsec"}, "$.nodes[0].DRAM.capacity_MiB", "a unit"),
        (["benchmark_hosts"], 3, "$.benchmark_hosts", "expected a list"),
        (["storage_system"], "none", "$.storage_system", "expected an object"),
    ],
)
def test_a_mistake_is_refused_with_its_path(read, path, value, at, words):
    with pytest.raises(ClusterError) as refused:
        read(changed(path, value))

    assert refused.value.at == at
    assert words in refused.value.message


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "7",
        "null",
        '{"a": 1}',
        '{"nodes": [{}',
        "\udcff".encode("utf8", "surrogateescape").decode("latin1"),
        "[" * 5000,
    ],
)
def test_what_is_no_sheet_is_refused_in_one_line(read, text):
    with pytest.raises(ClusterError) as refused:
        read(text)

    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "drives", "servers", "link"),
    [
        ("AI400X2T_24x14TiB_nvme_8xNDR200_18clients", 24, 1, 8 * 25e9),
        ("wekapod_112x3.8tb_nvme_16xNDR_H100", 112, 1, 16 * 50e9),
        ("AS13000_16x7.68TiB_NVMe_4xNDR400_3xStorageNode_AMDHost", 48, 3, 4 * 50e9),
        ("Cray_C500_4xHDR200_3hosts", None, 1, 4 * 25e9),
        ("resnet-h100", None, None, None),
    ],
)
def test_a_name_tells_drives_ports_and_nodes(name, drives, servers, link):
    system = from_name(name)

    assert (system.drives, system.servers, system.server_link) == (drives, servers, link)


def test_a_sheet_is_a_cluster_for_every_program(read, tmp_path, capsys):
    read(SHEET)

    assert run(["predict", "ior -t 1m -b 64m", f"mlperf:{tmp_path / 'box.json'}", "--ranks", "4"]) == 0
    assert "ior on box" in capsys.readouterr().out


RECOMMENDED = {
    "host_node": {
        "node_count": 2,
        "memory_capacity_gigabytes": 128,
        "cpu_core_count": 36,
        "cpu_socket_count": 2,
    },
    "storage_system": {
        "type": "Lustre",
        "total_read_bandwidth_sequential_GB_per_sec": 650,
        "total_storage_capacity_TB": 100,
        "hardware": [{"Count": 100, "type": "SSD", "protocol": "NVMe", "Disk_capacity_gigabytes": 1000}],
    },
    "host_to_storage_interconnect": [
        {"interconnect_type": "InfiniBand", "link_speed_gigabits_per_second": 400, "rdma_enabled": "yes"}
    ],
}


def test_the_form_that_the_guidelines_recommend_is_read(read):
    system = read(RECOMMENDED)

    assert (system.hosts, system.host_memory, system.host_cores, system.host_link) == (2, 128e9, 36, 50e9)
    assert (system.drives, system.drive_kind, system.drive_rate) == (100, "nvme", 6.5e9)
    assert (system.raw_capacity, system.local, system.rdma) == (100e12, False, True)


def test_a_local_drive_in_the_recommended_form_has_no_links(read):
    system = read(RECOMMENDED | {"storage_system": {"type": "Local drive", "hardware": [{"count": "4"}]}})

    assert (system.local, system.host_link, system.drives, system.drive_rate) == (True, None, 4, None)


@pytest.mark.parametrize(
    ("part", "value", "at"),
    [
        ("host_node", {"node_count": "two"}, r"\$\.host_node\.node_count"),
        ("host_node", [], r"\$\.host_node"),
        ("storage_system", {"hardware": [{"Count": 1.5}]}, r"\$\.storage_system\.hardware\[0\]\.Count"),
        ("host_to_storage_interconnect", {}, r"\$\.host_to_storage_interconnect"),
    ],
)
def test_a_mistake_in_the_recommended_form_is_named_by_its_path(read, part, value, at):
    with pytest.raises(ClusterError, match=at):
        read(RECOMMENDED | {part: value})
