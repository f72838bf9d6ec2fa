"""Several nodes: who sends to whom, and a description from any number of ranks per node."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.cluster.description.dump import cluster_to_toml
from striate.cluster.load import cluster_from_toml
from striate.interval import Interval
from striate.probe import describe
from striate.probe.files import LARGEST_FILE_BYTES, SMALLEST_FILE_BYTES, largest_file
from striate.probe.filesystem import FileSystem
from striate.probe.links import BOTH, INCAST, MANY, ONE_PAIR, RING, leaders, of_single_calls, patterns
from striate.probe.report import Findings, MachineFacts, ProbeReport
from striate.probe.samples import Measurement
from striate.probe.servers import DISK, REMOTE

GLUSTER = FileSystem("fuse.glusterfs", "a:/vol", True, 2, 4 << 20, ("a", "c"), "glusterfs.pathinfo")


def line(name: str, startup: float, rate: float, low: float | None = None) -> list[Measurement]:
    return [
        Measurement(f"{name}: latency", "s", Interval.exactly(startup), 8, "made up"),
        Measurement(f"{name}: rate", "B/s", Interval(low or rate, rate, rate), 8, "made up"),
    ]


def report(
    system: FileSystem,
    server: str = DISK,
    *,
    near: bool = False,
    ring: float = 47e6,
    low: float | None = None,
) -> ProbeReport:
    """Three nodes with a link of 47 MB/s, whose short messages look faster, and disks of 20 MB/s."""
    found = [
        Measurement("cpu rate", "1/s", Interval.exactly(2e9), 8, "made up"),
        Measurement("memory copy", "B/s", Interval.exactly(5e9), 8, "made up"),
        *line("messages, two nodes", 40e-6, 87.7e6),
        *line(ONE_PAIR, 1e-3, 47e6),
        *line(RING, 1e-3, ring, low),
        *line(server, 5e-3, 20e6),
        *(line("messages, same socket", 1e-6, 4e9) if near else []),
    ]
    facts = MachineFacts("head", 3, 1, 1, 1 << 34, "an MPI", ("a", "b", "c"), system)
    return ProbeReport(facts, Findings(tuple(found)), "2026-01-01T00:00:00.000+00:00", 1.0, {})


@pytest.mark.parametrize("near", [False, True])
def test_one_rank_per_node_is_enough_for_a_description(near: bool):
    cluster = describe(report(GLUSTER, near=near), name="three")
    again = cluster_from_toml(cluster_to_toml(cluster)).description

    assert again == cluster.description
    assert again is not None
    assert again.node[0].uplink is not None
    assert again.node[0].uplink.bandwidth == 47e6  # by long messages, not by what a burst lets pass


@pytest.mark.parametrize("near", [False, True])
def test_links_that_are_slower_both_ways_get_a_hub_that_messages_inside_do_not_pass(near: bool):
    full = describe(report(GLUSTER, near=near), name="three").description
    half = describe(report(GLUSTER, near=near, ring=40e6), name="three").description

    assert full is not None
    assert half is not None
    assert full.node[0].hub is None
    assert half.node[0].hub is not None
    assert half.node[0].hub.bandwidth == 80e6
    assert half.node[0].nic == full.node[0].nic


def test_links_that_are_at_times_slower_both_ways_get_a_hub_with_that_range():
    cluster = describe(report(GLUSTER, low=35e6), name="three")

    tables = {table.key: table for table in cluster.description.measured}
    assert cluster.description.node[0].hub.bandwidth == 94e6
    assert (tables["node[0].hub.bandwidth"].low, tables["node[0].hub.bandwidth"].high) == (
        "70 MB/s",
        "94 MB/s",
    )


def test_servers_stand_where_the_file_system_says():
    description = describe(report(GLUSTER), name="three").description

    assert description is not None
    (server,) = description.server
    assert (server.count, server.on, server.nodes) == (2, "nodes", (0, 2))
    assert server.disk.rate == 20e6
    assert description.settings.stripe_unit == 4 << 20


def test_names_are_dealt_over_the_servers_of_glusterfs():
    """400 files opened, 200 created and 1000 looked at per second by one process: 2.5, 5 and 1 ms."""
    made = report(GLUSTER)
    rates = {"open and close": 400.0, "create": 200.0, "stat": 1000.0}
    names = [
        Measurement(f"metadata, {kind}", "1/s", Interval(rate / 2, rate, rate * 2), 8, "made up")
        for kind, rate in rates.items()
    ]
    found = replace(made, found=Findings((*made.found.measurements, *names)))

    cluster = describe(found, name="three")

    assert describe(made, name="three").metadata == ()
    (table,) = cluster.description.metadata
    times = (table.open, table.create, table.stat)
    assert tuple(map(int, times)) == (2_500_000_000, 5_000_000_000, 1_000_000_000)
    assert (table.count, table.nodes) == (2, (0, 2))
    ranges = {table.key: (table.low, table.high) for table in cluster.description.measured}
    assert ranges["metadata[0].create"] == ("2500 us", "10 ms")


@pytest.mark.parametrize("stripe", [4 << 20, 0])
def test_sizes_of_sharded_files_are_counted(stripe: int):
    description = describe(report(replace(GLUSTER, stripe_bytes=stripe)), name="three").description

    assert (int(description.settings.size_update) > 0) == (stripe > 0)
    assert description.settings.inode_lock


@pytest.mark.parametrize("hosts", [(), ("x", "y"), ("a", "a", "c")])
def test_servers_on_nodes_of_their_own_stand_apart(hosts: tuple[str, ...]):
    system = replace(GLUSTER, hosts=hosts, servers=len(hosts) or None)
    description = describe(report(system, REMOTE), name="three").description

    assert description is not None
    assert (description.server[0].count, description.server[0].on) == (len(hosts) or 1, "apart")


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=24))
def test_every_host_has_one_leader_and_patterns_use_leaders_alone(hosts: list[str]):
    chosen = leaders(hosts)

    assert sorted(hosts[rank] for rank in chosen) == sorted(set(hosts))
    for flows in patterns(chosen).values():
        assert {rank for flow in flows for rank in flow} <= set(chosen)
        assert all(source != target for source, target in flows)


@given(st.integers(2, 40))
def test_no_link_carries_two_flows_one_way_but_in_an_incast(nodes: int):
    found = patterns(range(nodes))

    for name in {ONE_PAIR, BOTH, MANY, RING} & set(found):
        assert len({source for source, _ in found[name]}) == len(found[name])
        assert len({target for _, target in found[name]}) == len(found[name])
    if INCAST in found:
        assert sorted(source for source, _ in found[INCAST]) == list(range(1, nodes))


@given(st.floats(0, 1e12), st.floats(0, 100))
def test_files_are_as_large_as_the_time_allows(rate: float, seconds: float):
    length = largest_file(rate, seconds)

    assert SMALLEST_FILE_BYTES <= length <= LARGEST_FILE_BYTES
    assert length % SMALLEST_FILE_BYTES == 0
    assert length <= max(rate * seconds, SMALLEST_FILE_BYTES)


def test_the_range_of_a_link_is_that_of_single_exchanges():
    sizes = (256 * 1024, 1024**2, 4 * 1024**2)
    long = np.array([0.1] * 16 + [0.15] * 4)  # every fifth exchange is slower, never a whole stretch of them
    line = of_single_calls(RING, sizes, [np.full(20, size / sizes[-1] * 0.1) for size in sizes[:2]] + [long])

    assert line.rate.estimate == pytest.approx(sizes[-1] / 0.1)
    assert line.rate.low == pytest.approx(sizes[-1] / 0.15)
    assert line.rate.high == pytest.approx(sizes[-1] / 0.1)


def test_the_burst_of_a_token_bucket_does_not_count_as_rate():
    """256 KiB pass at once, the rest at 50 MB/s: 4 MiB look like 53.3 MB/s."""
    sizes = (256 * 1024, 1024**2, 4 * 1024**2)
    line = of_single_calls(ONE_PAIR, sizes, [np.full(20, 1e-4 + (size - sizes[0]) / 50e6) for size in sizes])

    assert line.rate.estimate == pytest.approx(50e6)
    assert line.rate.high == pytest.approx(4 * 1024**2 / (1e-4 + 15 * sizes[0] / 50e6))


@given(st.lists(st.floats(1e-6, 10.0), min_size=8, max_size=20), st.integers(0, 2**32))
def test_the_estimate_of_a_link_lies_in_its_range_whatever_was_measured(seconds: list[float], seed: int):
    sizes, draws = (256 * 1024, 1024**2, 4 * 1024**2), np.random.default_rng(seed)
    line = of_single_calls(BOTH, sizes, [draws.permutation(np.array(seconds)) for _ in sizes])

    assert 0 < line.rate.low <= line.rate.estimate <= line.rate.high
