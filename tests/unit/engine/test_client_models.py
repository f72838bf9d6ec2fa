"""What real parallel file systems do between a call and the disks: delayed write-back, windows, placement by hash."""

import pytest

from machines import SWITCH, node
from striate.cluster.builders import star
from striate.errors import ClusterError
from striate.ladder import predict
from striate.layout import HashStripe
from striate.rungs.fine import play
from striate.workload import Workload
from striate.workload import operations as op

MB = 10**6


def cluster(ranks=1, servers=1, cache=None, disk_rate="10 MB/s", server_link="10 MB/s", **settings):
    inside = node(1)
    table = {
        "name": "storage",
        "count": servers,
        "on": "apart",
        "node": {key: inside[key] for key in ("memory", "nic", "socket")}
        | {"uplink": {"bandwidth": server_link}},
        "cache": cache or {},
        "disk": {"kind": "simple", "rate": disk_rate},
    }
    given = {"packet": "10 KB", "stripe_unit": "1 MB"} | settings
    return star(node=node(ranks), switch=SWITCH, server=[table], settings=given)


def writing(size, *, sync):
    def program(rank, ranks):
        yield op.write("data", offset=0, size=size)
        if sync:
            yield op.sync_file("data")

    return Workload.from_program(program, 1)


def seconds(workload, machine):
    return int(play(workload, machine).rank_end.max()) / 1e12


def test_delayed_write_back_begins_with_the_sync():
    # 10 MB over a link of 10 MB/s onto a disk of 10 MB/s: side by side 1 s, one after the other 2 s.
    workload = writing(10 * MB, sync=True)

    assert seconds(workload, cluster()) == pytest.approx(1.0, rel=0.05)
    assert seconds(workload, cluster(cache={"dirty": "1 GB"})) == pytest.approx(2.0, rel=0.05)


def test_delayed_write_back_begins_when_enough_is_held():
    # The disk begins after 5 of the 10 MB: 1 s of link, then 5 MB are left.
    late = cluster(cache={"dirty": "5 MB"})

    assert seconds(writing(10 * MB, sync=True), late) == pytest.approx(1.5, rel=0.05)


def test_without_a_sync_nobody_waits_for_the_disk():
    for cache in ({}, {"dirty": "1 GB"}):
        slow = cluster(cache=cache, disk_rate="1 MB/s")

        assert seconds(writing(10 * MB, sync=False), slow) == pytest.approx(1.0, rel=0.05)


def test_a_deleted_file_takes_what_was_not_yet_written_with_it():
    # 10 MB of a file that is deleted, then 1 MB: a sync waits for 1 MB on a disk of 1 MB/s, not for 11 MB.
    def program(rank, ranks):
        yield op.write("scratch", offset=0, size=10 * MB)
        yield op.delete_file("scratch")
        yield op.write("data", offset=0, size=1 * MB)
        yield op.sync_file("data")

    machine = cluster(cache={"dirty": "1 GB"}, disk_rate="1 MB/s", server_link="1 GB/s")

    assert seconds(Workload.from_program(program, 1), machine) == pytest.approx(1.0, rel=0.05)


def test_reads_go_before_held_writes():
    def program(rank, ranks):
        yield op.write("data", offset=0, size=10 * MB)
        yield op.read("other", offset=0, size=1 * MB)

    machine = cluster(cache={"dirty": "1 GB"}, disk_rate="1 MB/s", server_link="1 GB/s")

    assert seconds(Workload.from_program(program, 1), machine) == pytest.approx(1.0, rel=0.05)


def test_a_window_of_one_strip_uses_one_server_at_a_time():
    # 4 strips of 1 MB on 4 servers with links of 10 MB/s: all at once 0.1 s, in turn 0.4 s.
    workload = writing(4 * MB, sync=False)

    assert seconds(workload, cluster(servers=4)) == pytest.approx(0.1, rel=0.05)
    assert seconds(workload, cluster(servers=4, write_window="1 MB")) == pytest.approx(0.4, rel=0.05)
    assert seconds(workload, cluster(servers=4, write_window="2 MB")) == pytest.approx(0.2, rel=0.05)
    assert seconds(workload, cluster(servers=4, write_window="1 GB")) == seconds(workload, cluster(servers=4))


def test_a_read_window_holds_for_reads_alone():
    def program(rank, ranks):
        yield op.read("data", offset=0, size=4 * MB)

    machine = {"servers": 4, "disk_rate": "1 GB/s", "io_request": "100 KB"}
    workload = Workload.from_program(program, 1)

    assert seconds(workload, cluster(**machine)) == pytest.approx(0.1, rel=0.1)
    assert seconds(workload, cluster(**machine, read_window="1 MB")) == pytest.approx(0.4, rel=0.1)
    assert seconds(workload, cluster(**machine, write_window="1 MB")) == seconds(workload, cluster(**machine))


def test_hashed_strips_load_servers_as_the_layout_of_the_same_name_does():
    machine = cluster(servers=4, distribution="hash")
    told = writing(8 * MB, sync=True).with_layouts({"data": str(HashStripe(4, MB, 0))})

    assert seconds(writing(8 * MB, sync=True), machine) == seconds(told, cluster(servers=4))


def test_other_draws_are_other_placements():
    times = {
        seconds(writing(8 * MB, sync=True), cluster(servers=4, distribution="hash", distribution_draw=draw))
        for draw in range(8)
    }

    assert len(times) > 1


@pytest.mark.parametrize(
    ("size", "stride", "two_phase"),
    [(MB, 0, False), (100_000, 200_000, True)],  # side by side, and one between the other
)
def test_automatic_collective_access_exchanges_only_what_interleaves(size, stride, two_phase):
    def program(rank, ranks):
        if stride:
            yield op.write_all("data", offset=rank * size, size=size, count=5, stride=stride)
        else:
            yield op.write_all("data", offset=rank * size, size=size)

    workload = Workload.from_program(program, 2)
    machine = {"ranks": 2, "servers": 2, "stripe_unit": "100 KB"}

    found = seconds(workload, cluster(**machine, collective="automatic"))

    method = "two-phase" if two_phase else "direct"
    assert found == seconds(workload, cluster(**machine, collective=method))


def test_the_clusters_rules_choose_algorithms_after_those_of_the_call():
    workload = Workload.from_program(lambda rank, ranks: iter([op.bcast(MB)]), 4)
    plain, ruled = cluster(ranks=4), cluster(ranks=4, collective_algorithms=["bcast=binomial-in-turn"])

    in_turn = predict(workload, plain, rung="fine", collectives=["bcast=binomial-in-turn"])
    at_once = predict(workload, plain, rung="fine", collectives=["bcast=binomial"])

    assert predict(workload, ruled, rung="fine").seconds.estimate == in_turn.seconds.estimate
    assert predict(workload, ruled, rung="fine", collectives=["bcast=binomial"]).seconds == at_once.seconds
    assert in_turn.seconds.estimate < at_once.seconds.estimate


def test_a_wrong_rule_of_the_cluster_is_refused_at_its_place():
    workload = Workload.from_program(lambda rank, ranks: iter([op.bcast(MB)]), 2)

    with pytest.raises(ClusterError, match=r"expected an algorithm among .* got 'slowly'") as refusal:
        play(workload, cluster(ranks=2, collective_algorithms=["bcast=slowly"]))
    assert refusal.value.at == "$.settings.collective_algorithms[0]"
