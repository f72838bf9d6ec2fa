"""Streams that write: sums, proofs and the packet-level rung; other rungs refuse them by name."""

import random

import pytest

from machines import SWITCH, node, server
from striate.cluster.builders import star
from striate.errors import WorkloadError
from striate.ladder import predict
from striate.ladder.stream_subject import StreamSubject
from striate.rungs.answer import UnfitError
from striate.rungs.fine import play
from striate.rungs.stream_program import stream_machine, stream_workload
from striate.workload.flow_table import read_graphs
from striate.workload.flows import Graph, ListedFlows

MS = 10**9
FLASH = {
    "kind": "flash",
    "read_rate": "3 GB/s",
    "write_rate": "500 MB/s",
    "read_latency": "80 us",
    "write_latency": "20 us",
    "channels": 4,
}


def machine(nodes=3, disk=None, **settings):
    disk = disk or {"kind": "simple", "rate": "100 MB/s"}
    return star(node=node(nodes, cpus=4), switch=SWITCH, server=server(1, disk=disk), settings=settings)


def stream(*groups, processors=3):
    return ListedFlows("blocks", processors, 1, 1_000_000, tuple(groups))


def written(disk, *makers, compute=0, **more):
    return Graph(disk, makers, compute_picoseconds=compute, write=True, **more)


def test_every_block_is_made_sent_and_written():
    flows = stream(
        (written(0, 1, 2, compute=5 * MS), written(1, compute=5 * MS)), (Graph(2, (0,), False, MS),)
    )
    subject = StreamSubject(flows, machine())

    run = play(stream_workload(flows, subject.costs), stream_machine(flows, subject.cluster))

    assert run.disk_bytes_written.tolist() == [1_000_000, 1_000_000, 0]
    assert run.disk_bytes_read.tolist() == [0, 0, 1_000_000]
    assert run.node_busy.sum() == pytest.approx(4 * 5 * MS + MS, rel=1e-3)


def test_a_write_costs_what_the_disk_writes_at():
    flows = stream((written(0),), processors=1)

    found = predict(flows, machine(1, disk=FLASH), rung="fine", exact=True)

    assert found.seconds.estimate == pytest.approx(1_000_000 / 500e6, rel=0.2)  # reads are six times faster


def test_rungs_with_one_clock_per_resource_refuse_and_the_ladder_goes_on_to_fine():
    flows = stream((written(0, 1), written(1, 2)))

    with pytest.raises(UnfitError, match="resource and fine model a stream of work-flow graphs that writes"):
        StreamSubject(flows, machine()).ask("micro")
    found = predict(flows, machine(), within=0.01)

    assert found.rung == "fine"
    assert found.contradictions == ()


def drawn(dice):
    processors = dice.choice((1, 2, 3, 5))
    groups = []
    for _ in range(dice.choice((1, 2))):
        write = dice.random() < 0.7
        graphs = []
        for _ in range(dice.randrange(1, 12)):
            disk = dice.randrange(processors)
            others = [one for one in range(processors) if one != disk]
            makers = tuple(dice.sample(others, dice.randrange(len(others) + 1)))
            local = not makers or dice.random() < 0.5
            compute = dice.choice((0, MS, 20 * MS))
            graphs.append(Graph(disk, makers, local, compute, dice.choice((0.5, 1, 3)), write))
        groups.append(tuple(graphs))
    return stream(*groups, processors=processors)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_proved_and_summed_holds_random_streams(seed):
    dice = random.Random(seed)
    disk = dice.choice((None, FLASH, {"kind": "simple", "rate": "40 MB/s", "access": "2 ms"}))
    settings = {"protocol": dice.choice(("interface", "processor")), "io_overlap": dice.random() < 0.5}
    flows, cluster = drawn(dice), machine(5, disk=disk, **settings)
    subject = StreamSubject(flows, cluster)

    played = subject.ask("fine").interval.estimate
    summed = subject.ask("resource").interval

    assert subject.proved().broken_by(played) == ""
    assert summed.low * (1 - 1e-9) <= played <= subject.proved().high


def test_more_disks_than_the_rungs_count_are_refused():
    with pytest.raises(WorkloadError, match="at most 16,777,215 disks in all"):
        ListedFlows("blocks", 2**63 - 1, 1, 64, ((Graph(0),),))


def test_the_table_has_a_column_for_it_and_a_group_does_one_of_both(tmp_path):
    table = tmp_path / "graphs.csv"
    table.write_text("group,disk,receivers,write\n0,0,1,true\n1,1,,false\n")
    found = read_graphs(table, processors=2, disks_per_processor=1, block_bytes=1000)
    assert [graph.write for group in found.listed for graph in group] == [True, False]

    table.write_text("disk,write\n0,true\n1,false\n")
    with pytest.raises(WorkloadError, match="that all read or all write, got both"):
        read_graphs(table, processors=2, disks_per_processor=1, block_bytes=1000)
    table.write_text("disk,write\n0,perhaps\n")
    message = "expected true or false in the column write, got 'perhaps' - at line 2, write"
    with pytest.raises(WorkloadError, match=message):
        read_graphs(table, processors=2, disks_per_processor=1, block_bytes=1000)
