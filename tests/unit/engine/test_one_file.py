"""What writing to one file costs beside its bytes: the inode's lock on a node, copies, the size of a sharded file."""

import pytest

from machines import SWITCH, node
from striate.cluster.builders import star
from striate.ladder.proofs import files_are_modelled
from striate.rungs.answer import UnfitError
from striate.rungs.fine import play
from striate.rungs.flow import predict_flow
from striate.rungs.resource import predict_resource
from striate.workload import Workload
from striate.workload import operations as op

MB = 10**6


def cluster(nodes=1, servers=1, cpus=2, **settings):
    """Servers with disks of 100 MB/s; a write is over when it is on disk."""
    table = {
        "name": "server",
        "count": servers,
        "on": "apart",
        "like": "compute",
        "cache": {"policy": "none"},
        "disk": {"kind": "simple", "rate": "100 MB/s"},
    }
    given = {"packet": "100 KB", "stripe_unit": "10 MB", "io_request": "1 MB"} | settings
    return star(node=node(nodes, cpus=cpus), switch=SWITCH, server=[table], settings=given)


def ends(workload, machine):
    return [int(end) / 1e12 for end in play(workload, machine).rank_end]


def writes(ranks, *, file="data", times=1):
    """Rank r writes the r-th 10 MB of a file, so many times over."""

    def program(rank, ranks):
        for _ in range(times):
            yield op.write(file.format(rank), offset=rank * 10 * MB, size=10 * MB)

    return Workload.from_program(program, ranks)


def test_ranks_of_one_node_write_one_file_in_turn():
    """Two servers: 0.1 s each at once; under the lock the second rank begins when the first has ended."""
    at_once = ends(writes(2), cluster(servers=2))
    in_turn = ends(writes(2), cluster(servers=2, inode_lock=True))

    assert max(at_once) == pytest.approx(0.1, rel=0.15)
    assert sorted(in_turn) == pytest.approx([0.1, 0.2], rel=0.15)


@pytest.mark.parametrize(
    ("workload", "machine"),
    [
        (writes(2, file="data{}"), {"nodes": 1}),
        (writes(2), {"nodes": 2, "cpus": 1}),
    ],
    ids=["a file per rank", "a rank per node"],
)
def test_other_files_and_other_nodes_do_not_wait(workload, machine):
    assert ends(workload, cluster(servers=2, inode_lock=True, **machine)) == ends(
        workload, cluster(servers=2, **machine)
    )


def test_reads_do_not_take_turns():
    def program(rank, ranks):
        yield op.read("data", offset=rank * 10 * MB, size=10 * MB)

    workload = Workload.from_program(program, 2)

    assert ends(workload, cluster(servers=2, inode_lock=True)) == ends(workload, cluster(servers=2))


@pytest.mark.parametrize(
    ("file", "cpus", "expected"),
    [
        ("data{}", 2, [0.2, 0.2]),
        ("data", 2, [0.2, 0.4]),
        ("data{}", 1, [0.4, 0.4]),
        ("data", 1, [0.2, 0.4]),
    ],
)
def test_a_write_is_a_copy_by_the_cpu_of_its_rank_under_the_lock_of_its_file(file, cpus, expected):
    """10 MB at 50 MB/s: 0.2 s of a CPU, longer than the disks take; two copies on one CPU share it."""
    machine = cluster(servers=2, cpus=cpus, inode_lock=True, write_copy="50 MB/s", read_copy="1 MB/s")

    assert sorted(ends(writes(2, file=file), machine)) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(("cpus", "seconds"), [(2, 0.2), (1, 0.4)])
def test_reads_are_copied_at_once_even_out_of_one_file(cpus, seconds):
    def program(rank, ranks):
        yield op.read("data", offset=rank * 10 * MB, size=10 * MB)

    machine = cluster(servers=2, cpus=cpus, inode_lock=True, read_copy="50 MB/s", write_copy="1 MB/s")
    workload = Workload.from_program(program, 2)

    assert ends(workload, machine) == pytest.approx([seconds] * 2, rel=0.01)


def test_a_copy_that_is_faster_than_the_disks_costs_nothing():
    plain, copied = (
        ends(writes(2), cluster(servers=2, **settings)) for settings in ({}, {"write_copy": "200 MB/s"})
    )

    assert copied == pytest.approx(plain, rel=1e-6)


def test_copies_are_left_to_the_engines_that_play_them():
    """`flow` plays them as `fine` does; sums per resource refuse the machine by the name of the part."""
    machine = cluster(servers=2, write_copy="50 MB/s")
    coarse = predict_flow(writes(2), machine).interval.estimate

    assert coarse == pytest.approx(max(ends(writes(2), machine)), rel=0.05)
    with pytest.raises(UnfitError, match="copies to and from page caches"):
        predict_resource(writes(2), machine)
    assert not files_are_modelled(writes(2), machine)


@pytest.mark.parametrize("window", ["0 B", "2 MB"])
def test_new_bytes_are_counted_and_old_ones_are_not(window):
    """10 requests of 1 MB, 50 ms each; the last window's are waited for, and a second write counts none."""
    plain, counted = (
        [max(ends(writes(1, times=n), cluster(write_window=window, size_update=update))) for n in (1, 2)]
        for update in (0, "50 ms")
    )

    assert counted[0] - plain[0] == pytest.approx(0.5, rel=0.2)
    assert counted[1] - counted[0] == pytest.approx(plain[1] - plain[0], rel=1e-6)


def test_counts_queue_where_the_file_begins():
    """20 counts of 50 ms one after the other; two files, of which one begins on each server, count side by side.

    Strips of 10 MB: the two parts of one file lie on two servers, those of two files both on the first.
    """
    machine = cluster(2, servers=2, cpus=1, size_update="50 ms")

    assert max(ends(writes(2), machine)) == pytest.approx(0.1 + 20 * 0.05, rel=0.1)
    assert max(ends(writes(2, file="data{}"), machine)) == pytest.approx(0.2 + 10 * 0.05, rel=0.1)


# Both writes that follow the first one find its thread, which waits 3 ms for a CPU; one after a pause of two seconds
# waits for another.
@pytest.mark.parametrize(("pause", "threads"), [("10 ms", 1), ("2 s", 2)])
def test_the_first_non_blocking_write_waits_for_a_thread(pause, threads):
    def program(rank, ranks):
        for _ in range(2):
            begun = [op.write("data", offset=place, size=4096, blocking=False) for place in (0, 4096)]
            yield from begun
            yield op.wait(*begun)
            yield op.compute(pause)

    free, threaded = (
        max(ends(Workload.from_program(program, 1), cluster(**more))) for more in ({}, {"io_thread": "3 ms"})
    )

    assert threaded - free == pytest.approx(threads * 3e-3, rel=1e-3)


def test_non_blocking_writes_with_gaps_need_no_thread():
    """ROMIO makes them by blocking calls."""

    def program(rank, ranks):
        begun = op.write("data", offset=0, size=4096, count=3, stride=8192, blocking=False)
        yield begun
        yield op.wait(begun)

    free, threaded = (
        max(ends(Workload.from_program(program, 1), cluster(**more))) for more in ({}, {"io_thread": "3 ms"})
    )

    assert threaded == free
