"""Plans of labs: what is refused, and how hosts, CPUs and disks are dealt."""

import os

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import LabError
from striate.lab.describe import describe
from striate.lab.hosts import link_limit
from striate.lab.plan import MOST_HOSTS, Plan

PLAN = Plan(
    name="lab",
    hosts=4,
    cores=1,
    link_bytes_per_second=50e6,
    link_burst_bytes=16 << 10,
    switch_buffer_bytes=10 << 20,
    mtu_bytes=9000,
    servers=2,
    disks=3,
    disk_bytes=1 << 30,
    disk_bytes_per_second=40e6,
    disk_requests_per_second=0,
    shard_bytes=4 << 20,
)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"name": "a lab"}, "--name"),
        ({"name": ""}, "--name"),
        ({"hosts": 0}, "--hosts"),
        ({"hosts": MOST_HOSTS + 1}, "--hosts"),
        ({"servers": 5}, "--servers"),
        ({"cores": 4097}, "--cores"),
        ({"disks": 0}, "--disks"),
        ({"link_bytes_per_second": 0.0}, "--link"),
        ({"link_bytes_per_second": float("nan")}, "--link"),
        ({"link_burst_bytes": 0}, "--link-burst"),
        ({"mtu_bytes": 100}, "--mtu"),
        ({"disk_bytes": 1}, "--disk-size"),
        ({"shard_bytes": 1 << 20}, "--shard"),
    ],
)
def test_an_impossible_plan_is_refused_at_its_option(change, place):
    with pytest.raises(LabError) as refusal:
        msgspec.structs.replace(PLAN, **change)

    assert refusal.value.at == place


plans = st.builds(
    lambda hosts, share, disks: msgspec.structs.replace(
        PLAN, hosts=hosts, servers=max(1, round(share * hosts)), disks=disks
    ),
    st.integers(1, MOST_HOSTS),
    st.floats(0, 1),
    st.integers(1, 8),
)


@given(plans)
def test_every_disk_belongs_to_exactly_one_host(plan):
    dealt = [position for host in range(plan.hosts) for position in plan.disks_of(host)]

    assert dealt == list(range(plan.servers * plan.disks))


@given(plans)
def test_addresses_differ_and_stay_inside_the_lab(plan):
    addresses = {plan.address(host) for host in range(plan.hosts)} | {plan.head_address()}

    assert len(addresses) == plan.hosts + 1
    assert all(address.startswith("10.77.0.") for address in addresses)


@given(plans)
def test_a_description_has_the_servers_and_rates_of_its_plan(plan):
    description = describe(plan).description

    assert description is not None
    assert description.server[0].count == plan.servers * plan.disks
    assert description.node[0].uplink.bandwidth == pytest.approx(plan.goodput, rel=1e-6)
    assert description.server[0].disk.rate == plan.disk_bytes_per_second


def test_a_port_holds_at_least_one_burst():
    words = link_limit(msgspec.structs.replace(PLAN, link_bytes_per_second=1e9, switch_buffer_bytes=1 << 14))

    assert words == ["tbf", "rate", "1000000000bps", "burst", "250000", "limit", "250000"]


def test_ranks_that_share_a_cpu_take_turns_where_hosts_share_cpus():
    cpus = len(os.sched_getaffinity(0))
    crowded = describe(msgspec.structs.replace(PLAN, cores=cpus))
    alone = describe(msgspec.structs.replace(PLAN, hosts=1, servers=1))

    assert crowded.settings.turn == 60_000_000  # ps
    assert alone.settings.turn == 0
    assert (crowded.description.node[0].socket.bandwidth, alone.description.node[0].socket.bandwidth) == (
        1.4e9,
        4e9,
    )


def test_labs_whose_links_pass_more_than_the_cpus_say_so():
    """55 MB/s of files per CPU, and no more CPUs than hosts ask for."""
    cpus = min(len(os.sched_getaffinity(0)), PLAN.hosts * PLAN.cores)
    slow, fast = (
        msgspec.structs.replace(PLAN, link_bytes_per_second=share * cpus * 55e6 / PLAN.hosts)
        for share in (0.9, 1.1)
    )

    assert not slow.outruns_cpus
    assert fast.outruns_cpus
    assert "CPUs move about" in describe(fast).description.source
    assert "CPUs move about" not in describe(slow).description.source


def test_names_are_dealt_over_the_servers_and_all_ranks_ask():
    description = describe(PLAN).description
    (names,) = description.metadata

    assert (names.count, names.nodes) == (PLAN.servers * PLAN.disks, tuple(range(PLAN.servers)))
    assert names.create > names.open > 0
    assert description.settings.open_by == "all"
