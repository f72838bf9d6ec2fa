"""Opening, asking about and deleting files: what metadata servers make of it."""

import pytest

from machines import SWITCH, node, run_application
from striate.cluster.builders import star
from striate.collectives.columns import CollectiveBook
from striate.ladder import predict
from striate.rungs.resource import clocks_of
from striate.workload import Spmd, Workload
from striate.workload import operations as op

RAM = {"kind": "simple", "rate": "10 GB/s"}


def cluster(ranks=4, servers=1, settings=None, **metadata):
    server = {"name": "storage", "count": 2, "on": "apart", "like": "compute", "disk": RAM}
    names = {
        "name": "names",
        "count": servers,
        "on": "apart",
        "like": "compute",
        "open": "1 ms",
        "create": "2 ms",
    }
    return star(
        node=node(ranks),
        switch=SWITCH,
        server=[server],
        metadata=[names | metadata],
        settings=settings or {},
    )


def run(machine, workload):
    (application,) = workload.applications
    placement = machine.place(application.ranks)
    return run_application(application, machine, placement, collectives=CollectiveBook.empty())


def together(rank, ranks):
    yield op.open_file("shared", create=True)
    yield op.close_file("shared")


def one_each(rank, ranks):
    yield op.open_file(f"own {rank}", create=True)
    yield op.close_file(f"own {rank}")


def test_a_file_opened_together_is_asked_for_once():
    result = run(cluster(), Workload.from_program(together, 4))

    assert result.metadata_operations.tolist() == [1]
    assert 2e9 < result.rank_end.min() <= result.rank_end.max() < 2.5e9  # 2 ms and a few messages


def test_where_all_open_one_creates_and_the_others_ask_as_well():
    """2 ms for the first and 1 ms for each of three more, one after the other; opened again 4 x 1 ms."""

    def twice(rank, ranks):
        yield from together(rank, ranks)
        yield op.open_file("shared")

    once, again = (
        run(cluster(settings={"open_by": "all"}), Workload.from_program(program, 4))
        for program in (together, twice)
    )

    assert once.metadata_operations.tolist() == [4]
    assert 5e9 < once.rank_end.max() < 5.5e9
    assert again.metadata_operations.tolist() == [8]
    assert 9e9 < again.rank_end.max() < 10e9


def test_a_file_for_each_process_makes_a_queue():
    """Four creates of 2 ms one after the other: 8 ms; two at a time, or on two servers: 4 ms."""
    alone = run(cluster(), Workload.from_program(one_each, 4))
    two_at_once = run(cluster(concurrent_operations=2), Workload.from_program(one_each, 4))
    two_servers = run(cluster(servers=2), Workload.from_program(one_each, 4))

    assert alone.metadata_operations.tolist() == [4]
    assert 8e9 < alone.rank_end.max() < 8.5e9
    assert alone.metadata_longest_queue.tolist() == [3]
    assert alone.metadata_waited[0] == pytest.approx((2 + 4 + 6) * 1e9, rel=0.05)
    assert 4e9 < two_at_once.rank_end.max() < 4.5e9
    assert two_servers.metadata_operations.tolist() == [2, 2]
    assert 4e9 < two_servers.rank_end.max() < 4.5e9


def test_each_kind_of_call_has_its_own_time():
    def calls(rank, ranks):
        yield op.open_file("f")  # 1 ms
        yield op.stat_file("f")  # 3 ms
        yield op.close_file("f")  # 5 ms
        yield op.delete_file("f")  # 7 ms

    result = run(cluster(1, stat="3 ms", close="5 ms", delete="7 ms"), Workload.from_program(calls, 1))

    assert result.metadata_operations.tolist() == [4]
    assert result.metadata_busy.tolist() == [16 * 10**9]
    assert 16e9 < result.rank_end[0] < 16.5e9


def test_a_close_that_nobody_hears_costs_a_step():
    opened, closed = (run(cluster(1), Workload.from_program(program, 1)) for program in (opens, together))

    assert closed.rank_end[0] - opened.rank_end[0] < 10_000  # picoseconds


def opens(rank, ranks):
    yield op.open_file("shared", create=True)


def test_some_ranks_may_open_a_file_that_others_do_not():
    def program(rank, ranks):
        if rank == 0:
            yield op.open_file("log", create=True)
            yield op.write("log", size=100)
            yield op.sync_file("log")
            yield op.close_file("log")
        yield op.barrier()

    result = run(cluster(), Workload.from_program(program, 4))

    assert result.metadata_operations.tolist() == [1]
    assert result.disk_bytes_written.sum() == 100


@pytest.mark.parametrize(("program", "milliseconds"), [(together, 2), (one_each, 8)])
def test_the_first_rung_adds_up_the_same_calls(program, milliseconds):
    workload = Workload.from_program(program, 4)

    clocks = clocks_of(workload, cluster())
    coarse, fine = (predict(workload, cluster(), rung=rung).seconds.estimate for rung in ("resource", "fine"))

    assert clocks.metadata.tolist() == pytest.approx([milliseconds / 1e3])
    assert coarse == pytest.approx(milliseconds / 1e3)
    assert coarse <= fine <= coarse * 1.2


def test_a_million_opens_are_added_up_without_being_walked():
    body = Spmd(4)
    with body.repeat(1_000_000):
        body.open_file(body.files("f"))

    assert clocks_of(body.workload(), cluster()).metadata.tolist() == pytest.approx([1000.0])


def test_loops_over_files_go_to_the_servers_in_turn():
    def program(rank, ranks):
        for number in range(6):
            yield op.open_file(f"{rank} {number}")

    workload = Workload.from_program(program, 2)

    assert run(cluster(servers=3), workload).metadata_operations.tolist() == [4, 4, 4]
    assert clocks_of(workload, cluster(servers=3)).metadata.tolist() == pytest.approx([0.004] * 3)


def test_a_close_that_flushes_waits_for_the_disks():
    def program(rank, ranks):
        yield op.open_file("f", create=True)
        yield op.write("f", offset=rank * 1_000_000, size=1_000_000)
        yield op.close_file("f")

    def machine(**settings):
        slow = {"kind": "simple", "rate": "10 MB/s"}
        server = {"name": "storage", "count": 1, "on": "apart", "like": "compute", "disk": slow}
        return star(node=node(2), switch=SWITCH, server=[server], settings=settings)

    workload = Workload.from_program(program, 2)
    plain, flushed = (run(machine(flush_on_close=flush), workload) for flush in (False, True))

    assert plain.rank_end.max() < 0.1e12
    assert flushed.rank_end.min() >= 0.2e12  # 2 MB at 10 MB/s
    assert predict(workload, machine(flush_on_close=True), rung="resource").seconds.estimate >= 0.2


@pytest.mark.parametrize("own", [False, True])
def test_a_close_that_flushes_tells_the_metadata_server_afterwards(own):
    def program(rank, ranks):
        name = f"own {rank}" if own else "shared"
        yield op.open_file(name)
        yield op.write(name, size=1000)
        yield op.close_file(name)
        yield op.close_file(name)

    result = run(cluster(close="5 ms", settings={"flush_on_close": True}), Workload.from_program(program, 4))

    assert result.metadata_operations.tolist() == [12 if own else 3]
    assert result.rank_end.min() > (10e9 if own else 11e9)
