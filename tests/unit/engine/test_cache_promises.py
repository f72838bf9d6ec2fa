"""What every cache policy promises about a write, by hand calculation: a disk of 100 ms an access on a fast network."""

import pytest

from machines import node
from striate.cluster.builders import star
from striate.cluster.storage import CachePolicy
from striate.errors import ClusterError
from striate.ladder import predict
from striate.workload import Workload
from striate.workload import operations as op

KIB, MIB = 1 << 10, 1 << 20
ACCESS = 0.1  # seconds; the network adds below 5 ms
SLOW = {"kind": "simple", "rate": "100 GB/s", "access": "100 ms"}
NETWORK = pytest.approx(0.0, abs=5e-3)
RUNGS = ("fine", "flow")


def machine(policy="aggregation-reorder", disk=SLOW, settings=None, cache=None, **server):
    table = {"count": 1, "on": "apart", "like": "compute", "disk": disk, **server}
    cache = {"policy": policy} | (cache or {})
    return star(
        node=node(2),
        switch={"bandwidth": "10 GB/s"},
        server=[table | {"cache": cache}],
        settings=settings or {},
    )


def seconds(program, where, rung="fine", ranks=1):
    return predict(Workload.from_program(program, ranks), where, rung=rung).bounds.estimate


def pieces(*order, sync=False, wait=True, call=op.write, step=64 * KIB):
    """One piece of 64 KiB after the other, at the places given; with `wait` false all of them at once."""

    def program(rank, ranks):
        requests = []
        for place in order:
            request = call("data", offset=place * step, size=64 * KIB, blocking=wait)
            yield request
            requests.append(request)
        if not wait:
            yield op.waitall(requests)
        if sync:
            yield op.sync_file("data")

    return program


FIVE = pieces(0, 1, 2, 3, 4)
FIVE_SYNCED = pieces(0, 1, 2, 3, 4, sync=True)
BACKWARDS_SYNCED = pieces(4, 3, 2, 1, 0, sync=True)


@pytest.mark.parametrize("rung", RUNGS)
def test_without_a_cache_a_write_is_over_when_it_is_on_disk(rung):
    """One of 100 ms, five of them 500 ms, and a sync finds nothing to do."""
    none = machine("none")

    assert seconds(pieces(0), none, rung) - ACCESS == NETWORK
    assert seconds(FIVE, none, rung) - 5 * ACCESS == NETWORK
    assert seconds(FIVE_SYNCED, none, rung) - 5 * ACCESS == NETWORK


@pytest.mark.parametrize("rung", RUNGS)
def test_piosimhd_without_a_cache_acknowledges_when_the_disk_begins(rung):
    """The disk begins with the fifth write at 400 ms; a sync waits for its end."""
    early = machine("piosimhd-none")

    assert seconds(pieces(0), early, rung) == NETWORK
    assert seconds(FIVE, early, rung) - 4 * ACCESS == NETWORK
    assert seconds(FIVE_SYNCED, early, rung) - 5 * ACCESS == NETWORK


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize(
    ("policy", "forwards", "backwards"),
    [
        ("write-behind", 5, 5),  # one by one, as they came
        ("aggregation", 2, 5),  # the first alone; then 1 takes along 2, 3, 4, but 3 finds nothing behind it
        (
            "aggregation-reorder",
            2,
            2,
        ),  # the first alone; then 0 or 1 takes along the others, however they came
        ("server-directed", 2, 2),
    ],
)
def test_with_a_cache_a_write_is_over_when_it_is_in_memory_and_a_sync_when_it_is_on_disk(
    policy, forwards, backwards, rung
):
    cached = machine(policy)

    assert seconds(FIVE, cached, rung) == NETWORK
    assert seconds(FIVE_SYNCED, cached, rung) - forwards * ACCESS == NETWORK
    assert seconds(BACKWARDS_SYNCED, cached, rung) - backwards * ACCESS == NETWORK


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize(
    ("policy", "accesses"),
    [
        ("none", 5),
        ("piosimhd-none", 5),
        ("write-behind", 5),
        ("aggregation", 5),
        ("aggregation-reorder", 5),
        ("server-directed", 2),  # the first alone; then the other four with the gaps of 4 KiB between them
    ],
)
def test_reads_are_over_when_the_disk_has_read_them(policy, accesses, rung):
    gaps = pieces(0, 1, 2, 3, 4, wait=False, call=op.read, step=68 * KIB)

    found = seconds(gaps, machine(policy, settings={"stripe_unit": "10 MiB"}), rung)

    assert found - accesses * ACCESS == NETWORK


def test_a_full_cache_takes_a_write_when_the_disk_has_made_room():
    """Room for two: the second fills it and is acknowledged when the first is on disk, the fifth after the fourth."""
    small = machine("write-behind", cache={"memory": "128 KiB"})

    assert seconds(FIVE, small) - 4 * ACCESS == NETWORK


def test_a_write_is_over_when_the_device_of_the_burst_buffer_has_it():
    fast = SLOW | {"access": "10 ms"}
    for policy in CachePolicy.__args__:
        buffered = machine(policy, burst={"capacity": "10 MiB", "disk": fast})

        assert seconds(FIVE, buffered) - 0.05 == NETWORK


def test_dirty_data_waits_for_a_sync():
    kept = machine("write-behind", cache={"dirty": "10 MiB"})

    assert seconds(FIVE, kept) == NETWORK
    assert seconds(FIVE_SYNCED, kept) - 5 * ACCESS == NETWORK


def test_a_sync_of_ones_own_waits_for_every_packet_of_ones_own():
    """Rank 1 writes 1 MiB in packets of 100 KiB: 11 accesses, which no one else flushes."""

    def program(rank, ranks):
        if rank == 1:
            yield op.write("data", offset=0, size=MIB)
            yield op.sync_file("data")

    settings = {"sync_alone": True, "stripe_unit": "10 MiB"}
    kept = machine("write-behind", cache={"dirty": "1 GiB"}, settings=settings)

    assert seconds(program, kept, ranks=2) - 11 * ACCESS == NETWORK


@pytest.mark.parametrize("policy", ["none", "piosimhd-none"])
def test_what_holds_no_writes_holds_no_dirty_data(policy):
    with pytest.raises(
        ClusterError, match=r"expected no `dirty`: .* keeps no written data in memory"
    ) as refusal:
        machine(policy, cache={"dirty": "1 MiB"})

    assert refusal.value.at == "$.server[0].cache.dirty"


@pytest.mark.parametrize("policy", CachePolicy.__args__)
@pytest.mark.parametrize("program", [FIVE, FIVE_SYNCED, pieces(0), pieces(0, 1, 2, wait=False)])
def test_no_rung_proves_more_than_is_played(policy, program):
    where = machine(policy, disk=SLOW | {"rate": "10 MB/s"})
    workload = Workload.from_program(program, 2)
    played = predict(workload, where, rung="fine").bounds.low

    for rung in ("resource", "flow"):
        forecast = predict(workload, where, rung=rung)

        assert forecast.proved is None or forecast.proved.low <= played
        if rung == "resource":
            assert forecast.bounds.low <= played <= forecast.bounds.high


def test_what_is_proved_of_writes_without_a_cache_counts_the_disk():
    """Five in turn: 500 ms, of which the floor knows all."""
    workload = Workload.from_program(FIVE, 1)
    forecast = predict(workload, machine("none"))
    sums = predict(workload, machine("none"), rung="resource").bounds

    assert forecast.proved is not None
    assert forecast.proved.low - 5 * ACCESS == NETWORK
    assert sums.estimate - 5 * ACCESS == NETWORK
    assert sums.low - 3.2 * ACCESS == NETWORK  # 320 KiB in packets of 100 KiB
