"""Streams as programs of ranks: every block is read, sent and computed on, on the packet-level rung."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines import SWITCH, node, server
from striate.apps import titan
from striate.cluster.builders import star
from striate.ladder import predict
from striate.ladder.stream_subject import StreamSubject
from striate.rungs.answer import UnfitError
from striate.rungs.fine import play
from striate.rungs.stream_program import stream_machine, stream_workload
from striate.workload.flows import Graph, ListedFlows

MS = 10**9


RUNGS = ("resource", "macro-rr", "macro-queue", "micro", "fine")


def machine(nodes=3, rate="100 MB/s", **settings):
    disk = {"kind": "simple", "rate": rate}
    return star(node=node(nodes, cpus=4), switch=SWITCH, server=server(1, disk=disk), settings=settings)


def stream(*groups, processors=3, sequential=True):
    return ListedFlows("blocks", processors, 1, 1_000_000, tuple(groups), sequential=sequential)


def test_every_block_is_read_and_every_user_computes_on_it():
    flows = stream((Graph(0, (1, 2), True, 5 * MS), Graph(1, (), True, 5 * MS)), (Graph(2, (0,), False, MS),))
    subject = StreamSubject(flows, machine())

    run = play(stream_workload(flows, subject.costs), stream_machine(flows, subject.cluster))

    assert run.disk_bytes_read.tolist() == [1_000_000] * 3
    # 3 users of the first block, 1 of the second, 1 of the third
    assert run.node_busy.sum() == pytest.approx(4 * 5 * MS + MS, rel=1e-3)


def test_a_group_begins_when_the_one_before_it_has_ended():
    apart = stream((Graph(0, (), True, 50 * MS),), (Graph(1, (), True, 50 * MS),))
    beside = stream((Graph(0, (), True, 50 * MS), Graph(1, (), True, 50 * MS)))

    slow, quick = (predict(flows, machine(), rung="fine").seconds.estimate for flows in (apart, beside))

    assert slow == pytest.approx(2 * quick, rel=0.01)
    assert quick == pytest.approx(0.060, rel=0.05)  # read for 10 ms, compute for 50 ms


def ticks(flows, cluster, rung):
    """The rung's own picoseconds."""
    subject = StreamSubject(flows, cluster)
    if rung != "fine":
        return int(flows.run(rung, subject.costs).ticks)
    return int(play(stream_workload(flows, subject.costs), stream_machine(flows, cluster)).rank_end.max())


rates = st.integers(1, 5000).map(lambda tenths: f"{tenths / 10} MB/s")


@given(st.integers(1, 30), rates, st.booleans())
def test_all_rungs_agree_exactly_on_one_disk_that_is_read_alone(blocks, rate, overlap):
    cluster = machine(1, rate=rate, io_overlap=overlap)

    flows = stream((Graph(0),) * blocks, processors=1)

    times = {rung: ticks(flows, cluster, rung) for rung in RUNGS}
    assert set(times.values()) == {blocks * StreamSubject(flows, cluster).costs.read}


@given(
    st.lists(st.lists(st.integers(0, 30 * MS), min_size=1, max_size=8), min_size=1, max_size=3),
    rates,
    st.booleans(),
)
def test_all_rungs_that_keep_order_agree_exactly_on_one_disk_and_one_processor(works, rate, overlap):
    cluster = machine(1, rate=rate, io_overlap=overlap)
    groups = (tuple(Graph(0, (), True, work) for work in group) for group in works)

    flows = stream(*groups, processors=1)

    times = {rung: ticks(flows, cluster, rung) for rung in RUNGS}
    assert len({times[rung] for rung in RUNGS[1:]}) == 1
    assert times["resource"] <= times["fine"]  # a block is read before it is computed on


def test_the_finest_rung_of_a_stream_lies_inside_the_bounds_of_the_others():
    graphs = tuple(Graph(disk, ((disk + 1) % 3,), False, 2 * MS) for disk in range(3) for _ in range(10))
    flows = stream(graphs, graphs)

    forecast = predict(flows, machine(), within=1e-9)

    assert forecast.rung == "fine"
    fine = forecast.answers[-1].raw.estimate
    assert all(fine in answer.combined for answer in forecast.answers if answer.counted)
    assert forecast.proved.low <= fine <= forecast.proved.high


def test_a_stream_with_more_processors_than_nodes_needs_a_description_to_widen():
    assert predict(titan.flows(volume="10 MB"), machine(), rung="fine").rung == "fine"
    with pytest.raises(UnfitError, match="the stream has 12 processors"):
        predict(titan.flows(volume="10 MB"), replace(machine(), description=None), rung="fine")


def test_random_reads_seek_on_a_disk_that_does():
    disk = {
        "kind": "hard",
        "rate": "100 MB/s",
        "average_seek": "8 ms",
        "track_seek": "1 ms",
        "revolutions_per_minute": 7200,
        "near": "1 MB",
    }
    slow = star(node=node(2), switch=SWITCH, server=server(1, disk=disk))
    graphs = (Graph(0),) * 10

    times = [
        predict(stream(graphs, processors=1, sequential=kind), slow, rung="fine").seconds.estimate
        for kind in (True, False)
    ]

    assert times[1] - times[0] == pytest.approx(9 * (0.008 + 30 / 7200), rel=0.2)
