"""The rungs over work-flow graphs: against a slow twin, and what must always hold."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import WorkloadError
from striate.workload.flows import BlockFlows, FlowCosts, Graph, ListedFlows, Window

_PATH = Path(__file__).resolve().parents[2] / "parity" / "flow_twin.py"
_SPEC = importlib.util.spec_from_file_location("flow_twin", _PATH)
twin = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(twin)

RUNGS = ("resource", "macro-rr", "macro-queue", "micro")


@st.composite
def streams(draw, *, sends=True):
    processors = draw(st.integers(1, 4))
    per = draw(st.integers(1, 2))
    graph = st.builds(
        Graph,
        disk=st.integers(0, processors * per - 1),
        receivers=st.lists(st.integers(0, processors - 1), max_size=2 if sends else 0, unique=True).map(
            tuple
        ),
        local=st.booleans(),
        compute_picoseconds=st.integers(0, 40),
        blocks=st.sampled_from([0.5, 1.0, 2.0]),
    )
    groups = draw(st.lists(st.lists(graph, max_size=8), min_size=1, max_size=3))
    kept = [
        tuple(
            g for g in group if g.disk // per not in g.receivers
        )  # a block is not sent to its own processor
        for group in groups
    ]
    return ListedFlows("stream", processors, per, 1000, tuple(kept))


costs = st.builds(
    FlowCosts,
    read=st.integers(0, 60),
    communication=st.integers(0, 20),
    overlap=st.booleans(),
    links=st.booleans(),
)


@given(streams(), costs)
def test_the_core_agrees_with_the_slow_twin(flows, price):
    assert flows.run("macro-rr", price).ticks == twin.macro(flows, price, queue=False)
    assert flows.run("macro-queue", price).ticks == twin.macro(flows, price, queue=True)
    assert flows.run("micro", price).ticks == twin.micro(flows, price)


@given(streams(), costs)
def test_every_rung_books_the_same_work_and_none_beats_the_busiest_resource(flows, price):
    sums = flows.run("resource", price)
    for rung in RUNGS:
        result = flows.run(rung, price)

        assert result.disk_work.tolist() == sums.disk_work.tolist()
        assert result.processor_work.tolist() == sums.processor_work.tolist()
        assert result.floor == sums.floor
        assert result.ticks >= sums.floor if rung != "resource" else True
        assert price.links or result.ticks >= sums.ticks


@given(streams(sends=False), costs)
def test_with_one_disk_and_one_processor_the_dependency_keeping_rungs_agree_exactly(flows, price):
    alone = ListedFlows(
        "alone",
        1,
        1,
        1000,
        tuple(tuple(Graph(0, (), g.local, g.compute_picoseconds) for g in group) for group in flows.listed),
    )

    assert len({alone.run(rung, price).ticks for rung in RUNGS[1:]}) == 1


@given(st.integers(1, 50), st.integers(1, 100))
def test_reading_alone_is_the_same_on_every_rung(blocks, read):
    flows = ListedFlows("reads", 1, 1, 1000, ((Graph(0),) * blocks,))

    assert {flows.run(rung, FlowCosts(read, 5, False)).ticks for rung in RUNGS} == {blocks * read}


@given(streams(), costs)
def test_adding_work_never_shortens_the_resource_rung(flows, price):
    more = ListedFlows(
        "more", flows.processors, flows.disks_per_processor, 1000, (*flows.listed, (Graph(0),))
    )

    assert more.run("resource", price).ticks >= flows.run("resource", price).ticks


def test_a_window_deals_every_block_once():
    flows = BlockFlows("grid", 6, 2, 1000, (Window(7, 5, 3), Window(2, 2)), 10, mesh=(3, 2))

    result = flows.run("resource", FlowCosts(10, 1, True))

    assert result.graphs == flows.graphs == 7 * 5 * 3 + 4
    assert result.disk_reads.max() - result.disk_reads.min() <= 2
    assert (result.processor_work - result.communication_work).sum() == flows.graphs * 10


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"processors": 0}, "expected a whole number of processors, at least 1, got 0"),
        ({"mesh": (2, 2)}, "expected a mesh of 6 processors in all, got 2 x 2"),
        ({"windows": ()}, "one or more query windows"),
        ({"reach": 2.0}, "expected a share, that is a number from 0 to 1, got 2.0"),
    ],
)
def test_impossible_streams_are_refused(change, message):
    sound = {
        "processors": 6,
        "disks_per_processor": 2,
        "block_bytes": 1000,
        "windows": (Window(2, 2),),
        "compute_picoseconds": 1,
    }

    with pytest.raises(WorkloadError, match=message):
        BlockFlows("bad", **(sound | change))


def test_a_graph_on_a_missing_disk_is_refused():
    with pytest.raises(WorkloadError, match="expected a disk number below 2, the number of disks, got 4"):
        ListedFlows("bad", 2, 1, 1000, ((Graph(4),),))
