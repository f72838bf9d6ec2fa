"""A simulated run tells what ranks, servers, links and disks did when, as a trace like any other."""

import numpy as np
import pytest

from machines import SWITCH, node, server
from striate.apps import jacobi
from striate.cluster.builders import star
from striate.errors import PredictionError
from striate.formats.read import read_trace
from striate.ladder import predict
from striate.trace.kinds import KINDS
from striate.workload import Spmd, Workload
from striate.workload import operations as op

MB = 10**6


def machine(nodes=4, servers=2):
    return star(node=node(nodes), switch=SWITCH, server=[server(servers)])


def timeline(program, ranks, **more):
    load = program if isinstance(program, Workload) else Workload.from_program(program, ranks)
    return predict(load, machine(), timeline=True, **more).timeline


def test_operations_of_a_rank_follow_one_another_without_gaps():
    def program(rank, ranks):
        yield op.compute("2 ms")
        yield op.sendrecv(1 - rank, 100_000, tag=7)
        yield op.write("out", offset=rank * MB, size=MB)
        yield op.barrier()

    trace = timeline(program, 2).of_ranks()
    mine = trace.select(ranks=[0])
    start, end = mine.column("start"), mine.column("end")

    assert [KINDS[code] for code in mine.column("kind")] == ["compute", "sendrecv", "write", "barrier"]
    assert start[0] == 0
    assert end[0] == 2_000_000
    assert (start[1:] == end[:-1]).all()
    assert mine.column("bytes").tolist() == [0, 100_000, MB, 0]
    assert mine.column("peer").tolist()[1] == 1
    assert mine.column("tag").tolist()[1] == 7
    assert mine.file_names() == ["out"]


def test_the_run_lasts_as_long_as_the_forecast_says():
    forecast = predict(jacobi.workload(4, steps=4, every=2), machine(), timeline=True)

    assert forecast.timeline.seconds == pytest.approx(forecast.seconds.estimate, abs=1e-9)
    assert forecast.rung == "fine"


def test_what_a_loop_moves_is_told_as_it_was_in_each_pass():
    body = Spmd(2)
    with body.repeat(3) as step:
        body.write("out", offset=(step * 2 + body.rank) * MB, size=MB)

    trace = timeline(body.workload(), 2).of_ranks()

    assert trace.column("offset").tolist() == [0, 2 * MB, 4 * MB, MB, 3 * MB, 5 * MB]


def test_regions_enclose_what_they_name():
    body = Spmd(2)
    with body.region("solve"):
        body.compute("1 ms")
    with body.region("dump"):
        body.write("out", offset=body.rank * MB, size=MB)

    trace = timeline(body.workload(), 2)
    marks = trace.where(trace.of_kind("region")).select(ranks=[1])

    assert [trace.header.regions[number] for number in marks.column("region")] == ["solve", "dump"]
    assert marks.column("end")[0] == 1_000_000
    assert marks.column("end")[1] == trace.of_ranks().select(ranks=[1], kinds=["write"]).column("end")[0]


def test_servers_and_disks_move_the_bytes_that_ranks_asked_for():
    def program(rank, ranks):
        yield op.write("out", offset=rank * MB, size=MB)
        yield op.sync_file("out")
        yield op.barrier()
        yield op.read("out", offset=(1 - rank) * MB, size=MB)

    trace = timeline(program, 2)

    for level in ("server", "disk"):
        for kind in ("write", "read"):
            seen = trace.where(trace.at_level(level) & trace.of_kind(kind))
            assert int(seen.column("bytes").sum()) == 2 * MB, (level, kind)
    disks = trace.where(trace.at_level("disk"))
    assert {trace.header.resources[number] for number in disks.column("resource")} == {"disk 0.0", "disk 1.0"}


def test_a_disk_does_one_thing_at_a_time_and_seeks_before_it_moves():
    def program(rank, ranks):
        for block in range(5):
            yield op.write("out", offset=(block * ranks + rank) * 10 * MB, size=64 << 10)

    trace = timeline(program, 4)
    disks = trace.where(trace.at_level("disk"))

    assert (disks.of_kind("seek").sum()) > 0
    for number in np.unique(disks.column("resource")):
        mine = disks.where(disks.column("resource") == number)
        order = np.argsort(mine.column("start"), kind="stable")
        start, end = mine.column("start")[order], mine.column("end")[order]
        assert (start[1:] >= end[:-1]).all()


def test_messages_pass_every_link_of_their_way_in_order():
    def program(rank, ranks):
        if rank == 0:
            yield op.send(1, 3 * MB)
        else:
            yield op.recv(0, 3 * MB)

    trace = timeline(program, 2)
    network = trace.where(trace.at_level("network") & (trace.column("bytes") > MB))
    order = np.argsort(network.column("start"), kind="stable")
    names = [trace.header.resources[number] for number in network.column("resource")[order]]

    assert names[0] == "interface of rank 0"
    assert names[-1] == "interface of rank 1"
    assert any(" > " in name for name in names[1:-1])
    assert (np.diff(network.column("end")[order]) > 0).all()
    assert set(network.column("peer").tolist()) == {1}


@pytest.mark.parametrize("ranks", [2, 5])
def test_interfaces_carry_what_programs_and_files_move(ranks):
    def program(rank, ranks):
        yield op.sendrecv((rank + 1) % ranks, 700_000, source=(rank - 1) % ranks)
        yield op.write("out", offset=rank * MB, size=MB)

    trace = timeline(program, ranks)
    left = trace.where(trace.at_level("network"))
    names = np.array(trace.header.resources)[left.column("resource")]
    sending = (names == np.char.add("interface of rank ", left.column("rank").astype(str))) & (
        left.column("bytes") > 100_000
    )

    assert int(left.column("bytes")[sending & (left.column("peer") >= 0)].sum()) == ranks * (700_000 + 8)
    to_servers = [name for name in set(names) if name.startswith("interface of server")]
    there = np.isin(names, to_servers) & (left.column("bytes") > 1000)
    assert int(left.column("bytes")[there].sum()) == ranks * MB


def test_a_saved_timeline_reads_like_an_observed_trace(tmp_path):
    trace = timeline(jacobi.workload(4, steps=6, every=3), 4)
    trace.save(tmp_path / "run.parquet")
    again = read_trace(tmp_path / "run.parquet")

    assert again.is_simulated
    assert again.header == trace.header
    assert again.table.equals(trace.table)
    assert "simulated" in {flag.code for flag in again.header.flags}
    assert again.info().bytes_written == 2 * 4096 * 4096 * 8
    assert {level.level for level in again.info().levels} >= {"mpi-io", "server", "network", "disk"}


def test_a_simulated_run_can_be_replayed_and_asks_for_the_same():
    first = predict(jacobi.workload(4, steps=6, every=3), machine(), timeline=True)
    replayed = Workload.from_trace(first.timeline)
    replayed.check()
    second = predict(replayed, machine(), timeline=True)

    for kind in ("write", "sendrecv", "allreduce"):
        sums = [
            int(run.timeline.of_ranks().select(kinds=[kind]).column("bytes").sum()) for run in (first, second)
        ]
        assert sums[0] == sums[1] > 0
    assert second.seconds.estimate == pytest.approx(first.seconds.estimate, rel=1e-3)


def test_a_full_timeline_keeps_the_beginning_and_says_so():
    def program(rank, ranks):
        for _ in range(200):
            yield op.compute("1 us")
            yield op.barrier()

    whole, part = timeline(program, 2), timeline(program, 2, timeline_memory="8 KiB")

    assert 0 < len(part) < len(whole)
    assert "truncated" in {flag.code for flag in part.header.flags}
    assert "truncated" not in {flag.code for flag in whole.header.flags}


def test_asking_for_a_timeline_changes_no_time():
    def program(rank, ranks):
        for step in range(3):
            yield op.alltoall(200_000 + step)
            yield op.write_all("out", offset=(step * ranks + rank) * MB, size=MB)

    load = Workload.from_program(program, 4)
    plain, told = (predict(load, machine(), rung="fine", timeline=told) for told in (False, True))

    assert plain.timeline is None
    assert plain.seconds == told.seconds


def test_the_json_of_a_forecast_leaves_its_timeline_out():
    def program(rank, ranks):
        yield op.compute("1 ms")

    forecast = predict(Workload.from_program(program, 2), machine(), timeline=True)

    assert "timeline" not in forecast.to_json()
    assert type(forecast).from_json(forecast.to_json()) == forecast


def test_other_rungs_have_no_timeline():
    def program(rank, ranks):
        yield op.compute("1 ms")

    with pytest.raises(PredictionError, match="'fine' for a timeline"):
        predict(Workload.from_program(program, 2), machine(), rung="resource", timeline=True)


def test_disks_of_a_machine_are_named_by_server():
    body = Spmd(4)
    body.write("out", offset=body.rank * MB, size=MB)

    resources = timeline(body.workload(), 4).header.resources

    assert {"server 0", "server 1", "disk 0.0", "disk 1.0"} <= set(resources)


def test_a_receive_from_anyone_tells_from_whom_it_was():
    def program(rank, ranks):
        if rank:
            yield op.compute(f"{4 - rank} ms")
            yield op.send(0, 100, tag=rank, comm="turned")
            return
        later = op.irecv(comm="turned")
        yield later
        yield op.recv(comm="turned")
        yield op.wait(later)
        yield op.compute("10 ms")
        here = op.irecv(comm="turned")
        yield here
        yield op.wait(here)

    load = Workload.from_program(program, 4, communicators={"turned": [0, 0, 0, 0]})
    trace = timeline(load, 4)
    received = trace.select(ranks=[0], kinds=["recv"])

    # Rank 3 sends first and finds the first receive, then 2, then 1, whose message waits for its receive.
    assert received.column("peer").tolist() == [3, 2, 1]
    assert received.column("tag").tolist() == [3, 2, 1]
    predict(Workload.from_trace(trace), machine(), rung="fine")
