"""Programs that use one buffer again and again copy at the rates of a CPU's cache, where the machine has them."""

import pytest

from striate.cluster.cached_copies import with_cached_copies
from striate.cluster.load import cluster_from_toml
from striate.errors import ClusterError
from striate.ladder import predict
from striate.ladder.request import subject_of
from striate.workload import Spmd

MB = 10**6
CACHED = """
write_copy_cached = "4 GB/s"
read_copy_cached = "8 GB/s"
cached_buffer = "256 KiB"
"""
SETTINGS = f"""
name = "cached"

[settings]
packet = "1 MiB"
write_copy = "2 GB/s"
read_copy = "4 GB/s"
{CACHED}
"""
PARTS = """
[[node]]
name = "host"
count = 1
sockets = 1
cpus_per_socket = 2
memory = "16 GiB"
instructions_per_second = 1e9
nic = {bandwidth = "900 GB/s", link = {bandwidth = "900 GB/s", latency = "0 s"}}
socket = {bandwidth = "900 GB/s"}

[[server]]
name = "files"
count = 1
on = "nodes"
nic = {bandwidth = "900 GB/s", link = {bandwidth = "900 GB/s", latency = "0 s"}}
cache = {memory = "8 GiB", dirty = "7 GiB", keeps_reads = true}
disk = {kind = "simple", rate = "1 GB/s"}
"""
MACHINE = SETTINGS + PARTS
RANGES = """
[[measured]]
key = "settings.write_copy"
low = "1.9 GB/s"
high = "2.1 GB/s"

[[measured]]
key = "settings.write_copy_cached"
low = "3.2 GB/s"
high = "5 GB/s"
"""


def writing_and_reading(nbytes=400 * MB):
    body = Spmd(1)
    body.write("data", offset=0, size=nbytes)
    body.read("data", offset=0, size=nbytes)
    return body.workload()


@pytest.mark.parametrize(
    ("buffer", "seconds"),
    [
        (None, 0.4 / 2 + 0.4 / 4),  # nothing is known of its buffers
        ("256 KiB", 0.4 / 4 + 0.4 / 8),  # stays in a cache
        ("257 KiB", 0.4 / 2 + 0.4 / 4),  # does not
    ],
)
def test_a_small_buffer_is_copied_at_the_rates_of_the_cache(buffer, seconds):
    workload = writing_and_reading().with_reused_buffer(buffer)

    found = predict(workload, cluster_from_toml(MACHINE), rung="fine")
    assert found.bounds.estimate == pytest.approx(seconds, rel=0.01)


def test_every_rung_meets_the_same_machine():
    cluster = cluster_from_toml(MACHINE)

    met = subject_of(writing_and_reading().with_reused_buffer("4 KiB"), cluster).cluster
    assert (met.settings.write_copy, met.settings.read_copy) == (4e9, 8e9)
    assert subject_of(writing_and_reading(), cluster).cluster is cluster


def test_a_machine_without_rates_of_the_cache_stays_what_it_is():
    cluster = cluster_from_toml(MACHINE.replace(CACHED, ""))

    assert with_cached_copies(cluster, 1) is cluster


def test_one_of_the_two_rates_replaces_its_own():
    cluster = cluster_from_toml(MACHINE.replace('write_copy_cached = "4 GB/s"\n', ""))

    met = with_cached_copies(cluster, 1)
    assert (met.settings.write_copy, met.settings.read_copy) == (2e9, 8e9)


# Copies in a cache are twice as fast: so is what ranks share of the memory, and a rank's link keeps up with its copies.
def test_the_memory_of_a_lone_node_does_not_slow_copies_in_a_cache():
    slow = MACHINE.replace('link = {bandwidth = "900 GB/s"', 'link = {bandwidth = "5 GB/s"')
    cluster = cluster_from_toml(slow.replace('socket = {bandwidth = "900', 'socket = {bandwidth = "6'))

    (node,), (server,) = (
        getattr(with_cached_copies(cluster, 1).description, key) for key in ("node", "server")
    )
    assert (node.nic.link.bandwidth, node.socket.bandwidth, server.nic.link.bandwidth) == (8e9, 12e9, 10e9)
    found = predict(writing_and_reading().with_reused_buffer("4 KiB"), cluster, rung="fine")
    assert found.bounds.estimate == pytest.approx(0.4 / 4 + 0.4 / 8, rel=0.01)


def test_links_of_a_network_stay_as_fast_as_they_are():
    network = '[network]\ntopology = "star"\nswitch = {bandwidth = "900 GB/s"}\n'
    uplink = 'uplink = {bandwidth = "5 GB/s", latency = "1 us"}\nsocket ='
    cluster = cluster_from_toml(
        MACHINE.replace("count = 1\nsockets", "count = 2\nsockets").replace("\nsocket =", f"\n{uplink}")
        + network
    )

    met = with_cached_copies(cluster, 1)
    assert met.settings.read_copy == 8e9
    assert (met.description.node, met.description.server) == (
        cluster.description.node,
        cluster.description.server,
    )


# 0.4 GB at 3.2 to 5 GB/s and then at 8 GB/s; the range of `write_copy` is that of a rate not used.
def test_the_range_of_the_rate_that_is_used_makes_the_bounds():
    cluster = cluster_from_toml(MACHINE + RANGES)

    found = predict(writing_and_reading().with_reused_buffer("4 KiB"), cluster, rung="fine")
    assert found.bounds.low == pytest.approx(0.4 / 5 + 0.05, rel=0.01)
    assert found.bounds.high == pytest.approx(0.4 / 3.2 + 0.05, rel=0.01)


# 0.1 GB of 0.4 GB at 4 GB/s, the rest as fast as the host gives memory.
def test_memory_from_a_host_is_as_slow_as_before_and_the_rest_as_fast_as_the_cache():
    text = MACHINE.replace("cache = {", 'cache = {ready = "100 MB", fresh_rate = "200 MB/s", ')

    found = predict(writing_and_reading().with_reused_buffer("4 KiB"), cluster_from_toml(text), rung="fine")
    assert found.bounds.estimate == pytest.approx(0.1 / 4 + 0.3 / 0.2 + 0.4 / 8, rel=0.01)


@pytest.mark.parametrize(("buffer", "told"), [(None, 0), ("64 KiB", 1), ("1 MiB", 0)])
def test_a_forecast_says_that_it_took_the_rates_of_the_cache(buffer, told):
    found = predict(writing_and_reading().with_reused_buffer(buffer), cluster_from_toml(MACHINE))

    notes = [note for note in found.notes if "stays in its CPU's cache" in note]
    assert len(notes) == told
    assert all("one buffer of 64 KiB" in note for note in notes)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('write_copy = "2 GB/s"\n', "", r"missing key `write_copy`.* \$\.settings\.write_copy"),
        ('read_copy = "4 GB/s"\n', "", r"missing key `read_copy`.* \$\.settings\.read_copy"),
        ('"8 GB/s"', '"0 B/s"', r"expected a rate from 1 B/s.* \$\.settings\.read_copy_cached"),
        ('"256 KiB"', '"0 B"', r"expected a size from 1 B.* \$\.settings\.cached_buffer"),
    ],
)
def test_bad_values_are_refused_with_their_place(old, new, words):
    with pytest.raises(ClusterError, match=words):
        cluster_from_toml(MACHINE.replace(old, new, 1))
