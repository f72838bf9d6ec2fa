"""Collective access to files: ways of doing it, file views, calls that do not wait."""

import pytest

from machines import SWITCH, node, run_application
from striate.cluster.builders import star
from striate.collectives.columns import CollectiveBook
from striate.errors import ClusterError, WorkloadError
from striate.ladder import predict
from striate.layout import datatypes
from striate.workload import Spmd, Workload
from striate.workload import operations as op
from striate.workload.collective_io import ALL, NODES, CollectiveMethod, parse_collective

KIB, MIB = 1 << 10, 1 << 20
SEEKING = {"kind": "simple", "rate": "100 MB/s", "access": "2 ms"}


def cluster(ranks=4, settings=None, **server):
    table = {"name": "storage", "count": 2, "on": "apart", "like": "compute", "disk": SEEKING} | server
    return star(node=node(ranks), switch=SWITCH, server=[table], settings=settings or {})


def run(machine, program, ranks=4, **options):
    (application,) = Workload.from_program(program, ranks, **options).applications
    placement = machine.place(ranks)
    return run_application(
        application, machine, placement, collectives=CollectiveBook.empty(), log_disks=True
    )


def interleaved(rank, ranks, *, call=op.write_all, **more):
    """64 pieces of 1 KiB per rank, in turn."""
    yield call("data", offset=rank * KIB, size=KIB, count=64, stride=ranks * KIB, **more)


@pytest.mark.parametrize("policy", ["none", "write-behind"])
@pytest.mark.parametrize("call", [op.write_all, op.read_all])
def test_aggregators_make_few_large_accesses_of_many_small_ones(call, policy):
    """Without a cache that merges, every piece is a disk job of 2 ms; aggregators ask for 64 KiB at a time."""

    def program(rank, ranks):
        yield from interleaved(rank, ranks, call=call)

    machine = cluster(cache={"policy": policy})
    direct, gathered = (
        run(machine, program, collective={"data": method}) for method in ("direct", "two-phase:2:1MiB")
    )

    assert direct.disk_operations.sum() > 100
    assert gathered.disk_operations.sum() < 12
    assert gathered.end < direct.end / 5
    assert gathered.messages > direct.messages == 0


def test_pipelined_rounds_overlap_exchange_and_access():
    def program(rank, ranks):
        yield op.write_all("data", offset=rank * 64 * KIB, size=64 * KIB, count=32, stride=ranks * 64 * KIB)

    # a slow network, so that the exchange takes about as long as the access
    slow = {"bandwidth": "100 MB/s", "latency": "1 us"}
    machine = star(
        node=node(4, uplink=slow),
        switch=SWITCH,
        server=[{"name": "storage", "count": 4, "on": "apart", "like": "compute", "disk": SEEKING}],
    )
    in_turn, overlapped = (
        run(machine, program, collective={"data": f"{method}:all:256KiB"})
        for method in ("two-phase", "pipelined")
    )

    assert in_turn.disk_bytes_written.sum() == overlapped.disk_bytes_written.sum() == 8 * MIB
    assert overlapped.rank_end.max() < 0.95 * in_turn.rank_end.max()


def test_one_aggregator_a_node_and_the_cluster_s_own_choice():
    def program(rank, ranks):
        yield from interleaved(rank, ranks)

    machine = star(
        node=node(2, cpus=2),
        switch=SWITCH,
        server=[{"name": "storage", "count": 2, "on": "apart", "like": "compute", "disk": SEEKING}],
        settings={"collective": "two-phase", "aggregators": "nodes", "collective_buffer": "64 KiB"},
    )
    by_cluster = run(machine, program)
    by_file = run(machine, program, collective={"data": "two-phase:nodes:64KiB"})
    alone = run(machine, program, collective={"data": "direct"})

    assert by_cluster.rank_end.tolist() == by_file.rank_end.tolist()
    # two of four ranks hand on what is not theirs: 4 rounds, each of 2 aggregators hears 3 others
    assert by_cluster.messages == 2 * 3 * 2
    assert alone.messages == 0


def test_collective_access_need_not_wait():
    def program(rank, ranks):
        pending = op.write_all("data", offset=rank * MIB, size=MIB, blocking=False)
        yield pending
        yield op.compute("100 ms")
        yield op.wait(pending)

    for method in ("direct", "two-phase:2"):
        result = run(cluster(), program, collective={"data": method})

        assert result.disk_bytes_written.sum() == 4 * MIB
        assert 0.1e12 <= result.rank_end.max() < 0.11e12  # it went on during the computation


def test_a_view_names_the_bytes():
    """Every other 4 bytes from byte 8 on."""
    filetype = datatypes.Datatype(datatypes.element(4).runs, 0, 8)
    view = datatypes.FileView(displacement=8, datatype=filetype)

    def program(rank, ranks):
        yield op.write("data", view=view, offset=4, size=8)

    result = run(cluster(1), program, 1)

    assert list(zip(result.disk_log.offset, result.disk_log.bytes, strict=True)) == [(16, 4), (24, 4)]
    with pytest.raises(WorkloadError, match="beside a file view, which selects the bytes"):
        op.read("data", view=view, size=8, count=2)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("direct", CollectiveMethod()),
        ("two-phase", CollectiveMethod("two-phase", ALL)),
        ("two-phase:nodes:16MiB", CollectiveMethod("two-phase", NODES, 16 * MIB)),
        ("pipelined:4:1MiB", CollectiveMethod("pipelined", 4, MIB)),
        ("two-phase:stripes x 4", CollectiveMethod("two-phase", ALL, per_stripe=4)),
        ("two-phase:stripes:cyclic", CollectiveMethod("two-phase", ALL, per_stripe=1, domains="cyclic")),
        ("pipelined:stripes*2:1MiB:cyclic", CollectiveMethod("pipelined", ALL, MIB, 2, "cyclic")),
        ("two-phase:cyclic", CollectiveMethod("two-phase", domains="cyclic")),
        ("two-phase:3:equal", CollectiveMethod("two-phase", 3, domains="equal")),
        ("two-phase:nodes:contiguous", CollectiveMethod("two-phase", NODES, domains="contiguous")),
    ],
)
def test_ways_are_read_and_written(text, found):
    assert parse_collective(text) == found
    assert parse_collective(str(found)) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "both",
        "direct:2",
        "two-phase:",
        "two-phase:0",
        "two-phase:some",
        "two-phase:2:0",
        "two-phase:2:1 m",
        "two-phase:2:3:4",
        "two-phase:99999999999",
        "pipelined:²",
    ],
)
def test_what_is_no_way_is_refused_where_the_file_is_named(text):
    with pytest.raises(WorkloadError) as refusal:
        Spmd(1).files("f", collective=text)

    assert refusal.value.at == "file 'f'"


def test_settings_that_are_no_way_are_refused():
    for settings, where in (({"collective": "both"}, "collective"), ({"aggregators": 0}, "aggregators")):
        with pytest.raises(ClusterError) as refusal:
            cluster(settings=settings)
        assert (refusal.value.at or "").startswith(f"$.settings.{where}")


def test_a_forecast_tells_what_every_server_did():
    def program(rank, ranks):
        yield from interleaved(rank, ranks)
        yield op.sync_file("data")

    machine = cluster(cache={"policy": "write-behind", "keeps_reads": True})
    forecast = predict(Workload.from_program(program, 4), machine, rung="fine")

    assert [server.name for server in forecast.servers] == ["storage.0", "storage.1"]
    assert sum(server.bytes_written for server in forecast.servers) == 256 * KIB
    for server in forecast.servers:
        assert server.operations == server.sequential + server.short_seeks + server.long_seeks
        assert 0.5 < server.utilisation <= 1
        assert server.longest_queue >= server.mean_queue > 0
        assert server.most_dirty_bytes > 0
    assert type(forecast).from_json(forecast.to_json()).servers == forecast.servers


@pytest.mark.parametrize(
    "text", ["two-phase:stripes x 0", "two-phase:stripes x", "direct:cyclic", "two-phase:2:1MiB:x"]
)
def test_aggregators_by_stripes_are_a_whole_multiple(text):
    with pytest.raises(WorkloadError, match="expected"):
        parse_collective(text)


def blocks(rank, ranks):
    """A contiguous MiB per rank."""
    yield op.write_all("data", offset=rank * MIB, size=MIB)


def test_a_multiple_of_stripes_counts_those_of_the_file():
    """2 stripes x 1 and 2 aggregators are the same; a file on one of the servers has one stripe."""
    machine = cluster(8)
    by_stripes, by_number = (
        run(machine, blocks, 8, collective={"data": f"two-phase:{count}"}) for count in ("stripes x 2", "4")
    )
    on_one, alone = (
        run(machine, blocks, 8, layouts={"data": "simple:1:64KiB"}, collective={"data": f"two-phase:{count}"})
        for count in ("stripes", "1")
    )

    assert by_stripes.rank_end.tolist() == by_number.rank_end.tolist()
    assert on_one.rank_end.tolist() == alone.rank_end.tolist()


def test_with_cyclic_domains_an_aggregator_per_stripe_meets_one_server():
    """Strips of 64 KiB on two servers: cyclic, each of two aggregators writes to its own server only."""

    def servers_of(method):
        timeline = run(cluster(), blocks, collective={"data": method})
        return timeline.disk_bytes_written.tolist(), timeline.end

    (cyclic, _), (contiguous, _) = servers_of("two-phase:stripes:1MiB:cyclic"), servers_of("two-phase:2:1MiB")

    assert cyclic == contiguous == [2 * MIB, 2 * MIB]


def test_the_cluster_s_own_choice_may_be_cyclic_stripes():
    settings = {"collective": "two-phase", "aggregators": "stripes x 2", "file_domains": "cyclic"}

    by_cluster = run(cluster(settings=settings), blocks)
    by_file = run(cluster(), blocks, collective={"data": "two-phase:stripes x 2:cyclic"})

    assert by_cluster.rank_end.tolist() == by_file.rank_end.tolist()
    with pytest.raises(ClusterError, match="aggregators"):
        cluster(settings={"aggregators": "stripes x 0"})


def test_three_aggregators_share_a_file_of_four_stripes_equally_or_by_whole_stripes():
    """Aggregators write over links of 10 MB/s: two of them two stripes of 1 MiB each, or all three 4 / 3 MiB."""
    slow = node(4, uplink={"bandwidth": "10 MB/s", "latency": "0 us"})
    fast = {"kind": "simple", "rate": "1 TB/s"}
    servers = {"name": "storage", "count": 4, "on": "apart", "like": "compute", "disk": fast}
    machine = star(node=slow, switch=SWITCH, server=[servers], settings={"stripe_unit": "1 MiB"})

    def program(rank, ranks):
        yield op.write_all("data", offset=rank * 64 * KIB, size=64 * KIB, count=16, stride=ranks * 64 * KIB)

    def seconds(method):
        return run(machine, program, collective={"data": method}).end / 1e12

    stripe = MIB / 10e6  # over a link; the other ranks send an aggregator its bytes first
    assert seconds("two-phase:3:contiguous") > (2 + 3 / 2) * stripe
    assert seconds("two-phase:3:equal") < (4 / 3 + 4 / 3) * stripe


def test_a_method_that_names_no_domains_takes_the_machine_s():
    cyclic = cluster(settings={"file_domains": "cyclic"})

    named, unnamed, other = (
        run(cyclic, blocks, collective={"data": f"two-phase:3:1MiB{word}"}).rank_end.tolist()
        for word in (":cyclic", "", ":contiguous")
    )

    assert unnamed == named != other


# Every rank lists its 64 runs, an aggregator merges those of its file domain: 64 + 256 handlings of 2 us one after the
# other by the only aggregator, 64 + 128 by each of two. Messages of a write, 1 KiB, arrive while it merges.
@pytest.mark.parametrize("call", [op.write_all, op.read_all])
@pytest.mark.parametrize(("aggregators", "handled"), [(1, 64 + 256), (2, 64 + 128)])
def test_aggregators_take_time_to_merge_lists_of_runs(call, aggregators, handled):
    def program(rank, ranks):
        yield call("data", offset=rank * 16, size=16, count=64, stride=ranks * 16)

    method = {"data": f"two-phase:{aggregators}:1MiB"}
    small = {"stripe_unit": "2 KiB"}  # so that two aggregators have 2 KiB each
    free, listed = (
        run(cluster(settings=small | more), program, collective=method).rank_end.max()
        for more in ({}, {"piece_cpu": "2 us"})
    )

    assert 0.95 * handled * 2e6 < listed - free <= handled * 2e6 + 1e4


# 4 ranks x 64 x 16 B: one aggregator copies 4 KiB at 1 MB/s, each of two copies half of it at the same time.
@pytest.mark.parametrize("call", [op.write_all, op.read_all])
@pytest.mark.parametrize(("aggregators", "copied"), [(1, 4096), (2, 2048)])
def test_aggregators_take_time_to_copy_what_they_exchange(call, aggregators, copied):
    def program(rank, ranks):
        yield call("data", offset=rank * 16, size=16, count=64, stride=ranks * 16)

    method = {"data": f"two-phase:{aggregators}:1MiB"}
    small = {"stripe_unit": "2 KiB"}  # so that two aggregators have 2 KiB each
    free, copying = (
        run(cluster(settings=small | more), program, collective=method).rank_end.max()
        for more in ({}, {"exchange_copy": "1 MB/s"})
    )

    assert copying - free == pytest.approx(copied * 1e6, rel=0.02)


def test_direct_accesses_merge_no_lists():
    def program(rank, ranks):
        yield from interleaved(rank, ranks)

    free, listed = (
        run(cluster(settings=settings), program, collective={"data": "direct"}).rank_end.max()
        for settings in ({}, {"piece_cpu": "2 us", "exchange_copy": "1 MB/s"})
    )

    assert listed == free
