"""Extent locks: nodes that write to one object in turn wait for its lock to move."""

import pytest

from machines import SWITCH, node
from striate.cluster.builders import star
from striate.ladder import predict
from striate.rungs.answer import UnfitError
from striate.rungs.fine import play
from striate.workload import Workload
from striate.workload import operations as op

MB = 10**6


def cluster(nodes=2, servers=1, cpus=1, disk_rate="100 MB/s", cache=None, **settings):
    table = {
        "name": "ost",
        "count": servers,
        "on": "apart",
        "like": "compute",
        "cache": cache or {"policy": "none"},
        "disk": {"kind": "simple", "rate": disk_rate},
    }
    given = {"packet": "100 KB", "stripe_unit": "1 MB"} | settings
    return star(node=node(nodes, cpus=cpus), switch=SWITCH, server=[table], settings=given)


def seconds(workload, machine):
    return int(play(workload, machine).rank_end.max()) / 1e12


def in_turn(ranks, pieces, *, file="data"):
    """Rank r writes every `ranks`-th MB of one file, piece by piece."""

    def program(rank, ranks):
        for piece in range(pieces):
            yield op.write(file.format(rank), offset=(piece * ranks + rank) * MB, size=MB)

    return Workload.from_program(program, ranks)


def test_two_nodes_that_take_turns_pay_for_every_move():
    """20 writes of 1 MB at 100 MB/s: 0.2 s of disk, and 19 moves of 50 ms between them: 1.15 s in all."""
    workload = in_turn(2, 10)

    without, with_locks = (seconds(workload, cluster(lock_move=move)) for move in (0, "50 ms"))

    assert without == pytest.approx(0.2, rel=0.1)
    assert with_locks == pytest.approx(0.2 + 19 * 0.05, rel=0.1)


def test_a_node_of_its_own_keeps_its_lock():
    """Two ranks of one node share their client's lock, and a file per rank shares none."""
    same_node = cluster(1, cpus=2, lock_move="50 ms")
    without = cluster(1, cpus=2)
    apart = cluster(2, lock_move="50 ms")

    assert seconds(in_turn(2, 10), same_node) == pytest.approx(seconds(in_turn(2, 10), without), rel=0.01)
    assert seconds(in_turn(2, 10, file="data{}"), apart) < 0.25


def test_a_stripe_per_node_needs_no_move():
    """Two servers, strips of 1 MB dealt in turn: each node stays on its own server."""
    machine = cluster(2, servers=2, lock_move="50 ms")

    assert seconds(in_turn(2, 10), machine) < 0.15


def test_more_nodes_that_write_to_one_object_are_slower_with_locks_alone():
    """Aggregators on 1, 2, 4 nodes for one stripe: the lock moves between nodes; without it nobody waits."""

    def program(rank, ranks):
        yield op.write_all("data", offset=rank * 8 * MB, size=8 * MB)

    def time(aggregators, move):
        machine = cluster(4, disk_rate="10 GB/s", lock_move=move)
        method = f"two-phase:{aggregators}:1MB:cyclic"
        return seconds(Workload.from_program(program, 4, collective={"data": method}), machine)

    locked = [time(count, "20 ms") for count in (1, 2, 4)]

    assert 3 * locked[0] < min(locked[1:])
    assert time(4, 0) < 1.5 * time(1, 0)


def test_a_lock_that_moves_in_a_picosecond_changes_next_to_nothing():
    """The neighbour of no locks: asking costs a round trip, and writes to one object go one node at a time."""
    workload = in_turn(2, 10)

    assert seconds(workload, cluster(lock_move="1 ps")) == pytest.approx(
        seconds(workload, cluster()), rel=0.1
    )


@pytest.mark.parametrize("policy", ["none", "write-behind", "aggregation-reorder"])
def test_nothing_is_lost_under_locks(policy):
    machine = cluster(3, servers=2, cache={"policy": policy}, lock_move="1 ms")

    found = play(in_turn(3, 7), machine)

    assert found.disk_bytes_written.sum() == 21 * MB


def test_only_the_packet_engine_plays_locks():
    workload, machine = in_turn(2, 2), cluster(lock_move="1 ms")

    assert predict(workload, machine).rung == "fine"
    with pytest.raises(UnfitError, match="extent locks"):
        predict(workload, machine, rung="resource")
