"""Steps inside collective calls, on demand: who exchanges what with whom, and nothing else of the trace changes."""

import numpy as np
import pytest

from hand_machine import STEP, flight
from hand_machine import machine as hand_machine
from machines import SWITCH, node, server
from striate.advice import advise
from striate.apps import jacobi
from striate.cluster.builders import star
from striate.errors import PredictionError
from striate.evaluate.compare import compare
from striate.formats.read import read_trace
from striate.ladder import predict
from striate.pages.run import Run
from striate.pages.timeline.bars import LAYERS, bars_of
from striate.pages.views import load
from striate.pages.where import where_time_went
from striate.trace.kinds import KINDS
from striate.workload import Spmd, Workload
from striate.workload import operations as op

MB = 10**6


def machine(nodes=4, servers=2):
    return star(node=node(nodes), switch=SWITCH, server=[server(servers)])


def played(body, cluster, **more):
    return predict(body, cluster, timeline=True, timeline_steps=True, **more).timeline


def steps_of(trace, rank):
    """(kind, peer, source, bytes, received) of a rank's steps in order."""
    mine = trace.where(trace.at_level("step") & (trace.column("rank") == rank))
    order = np.argsort(mine.column("start"), kind="stable")
    columns = [mine.column(name)[order].tolist() for name in ("peer", "source", "bytes", "received")]
    return list(zip([KINDS[code] for code in mine.column("kind")[order]], *columns, strict=True))


def test_a_ring_sends_right_and_receives_from_the_left_in_every_step():
    body = Spmd(4)
    body.allgather(1000, algorithm="ring")
    trace = played(body.workload(), machine())

    for rank in range(4):
        found = steps_of(trace, rank)
        assert [step[:3] for step in found] == [("sendrecv", (rank + 1) % 4, (rank - 1) % 4)] * 3
        assert len({(sent, received) for _, _, _, sent, received in found}) == 1
        assert found[0][3] == found[0][4] >= 1000


def test_the_steps_of_a_binomial_broadcast_by_hand():
    body = Spmd(4)
    body.bcast(1000, algorithm="binomial")
    trace = played(body.workload(), hand_machine(4))

    (first,) = steps_of(trace, 0)
    assert first[:2] == ("send", -1)  # both at once, to ranks 2 and 1
    assert [step[:2] for step in steps_of(trace, 1)] == [("recv", 0)]
    assert [step[:2] for step in steps_of(trace, 2)] == [("recv", 0), ("send", 3)]
    assert [step[:2] for step in steps_of(trace, 3)] == [("recv", 2)]
    mine = trace.where(trace.at_level("step") & (trace.column("rank") == 2))
    payload = int(mine.column("bytes")[0])
    assert first[3] == 2 * payload
    # Rank 2 posts its receive after one step of its CPU, and has the message a flight after rank 0 sent it.
    assert mine.column("start")[0] * 1000 == pytest.approx(STEP, abs=1500)
    assert (mine.column("end")[0] - mine.column("start")[0]) * 1000 == pytest.approx(
        flight(payload), abs=2500
    )


def test_a_reduction_computes_between_its_exchanges():
    body = Spmd(2)
    body.allreduce(80_000, algorithm="recursive-doubling")
    trace = played(body.workload(), machine(2))

    assert [step[0] for step in steps_of(trace, 0)] == ["sendrecv", "compute"]


def test_steps_lie_inside_the_call_they_belong_to():
    body = Spmd(4)
    for _ in range(3):
        body.compute("1 ms")
        body.alltoall(10_000)
        body.barrier()
    trace = played(body.workload(), machine())
    for rank in range(4):
        mine = trace.where(trace.column("rank") == rank)
        calls = mine.where(mine.of_kind("alltoall", "barrier") & mine.at_level("mpi"))
        steps = mine.where(mine.at_level("step"))
        of = np.searchsorted(calls.column("start"), steps.column("start"), side="right") - 1
        assert (steps.column("end") <= calls.column("end")[of]).all()
        assert set(of.tolist()) == set(range(len(calls)))
        assert (steps.column("communicator") == 0).all()


def test_rounds_of_collective_io_exchange_and_then_access():
    body = Spmd(4)
    body.write_all("out", offset=body.rank * MB, size=MB)
    program = body.workload().with_collective({"out": "two-phase:2:500000"})
    trace = played(program, machine())
    steps = trace.where(trace.at_level("step"))
    written = steps.where(steps.of_kind("write"))

    assert int(written.column("bytes").sum()) == 4 * MB
    assert set(written.column("rank").tolist()) == {0, 2}
    assert (written.column("file") == 0).all()
    assert len(written) >= 4 * MB // 500_000
    assert int(written.column("bytes").max()) <= 500_000
    sent = steps.where(steps.of_kind("send", "sendrecv"))
    assert 0 < int(sent.column("bytes").sum()) - 2 * MB < 64 << 10  # two of four keep all but one stripe


def test_a_nonblocking_call_has_its_steps_too():
    def program(rank, ranks):
        request = op.allreduce(1000, blocking=False)
        yield request
        yield op.compute("1 ms")
        yield op.wait(request)

    trace = played(Workload.from_program(program, 4), machine())

    assert (trace.at_level("step").sum()) >= 4


def test_everything_but_the_steps_is_as_without_them(tmp_path):
    program, cluster = jacobi.workload(4, steps=4, every=2), machine()
    plain = predict(program, cluster, timeline=True, exact=True)
    inside = predict(program, cluster, timeline=True, timeline_steps=True, exact=True)
    trace = inside.timeline
    trace.save(tmp_path / "run.parquet")

    assert "step" in trace.header.levels
    assert "step" not in plain.timeline.header.levels
    assert trace.at_level("step").any()
    assert inside.seconds == plain.seconds
    assert trace.where(~trace.at_level("step")).table.equals(plain.timeline.table)
    assert read_trace(tmp_path / "run.parquet").table.equals(trace.table)
    for told in (
        lambda one: one.info().operations,
        lambda one: one.per_rank(),
        lambda one: one.per_file(),
        lambda one: one.per_phase(),
        lambda one: where_time_went(one.of_ranks()),
        lambda one: str(compare(plain, plain.timeline, timeline=one)),
        lambda one: str(advise(one, cluster)),
        lambda one: predict(Workload.from_trace(one), cluster, rung="fine", exact=True).seconds,
    ):
        assert told(trace) == told(plain.timeline)


def test_the_page_has_a_line_of_steps_below_the_calls_of_each_rank():
    body = Spmd(4)
    body.allgather(1000, algorithm="ring")
    body.write("out", offset=body.rank * MB, size=MB)
    run = Run("steps", trace=played(body.workload(), machine()))
    bars, data = bars_of(run), load.view([run])
    inside = bars.layer_of_lane == LAYERS.index("steps of collective calls")

    assert [bars.rows[row].split(" on ")[0] for row in bars.row_of_lane[inside]] == [
        f"rank {rank}" for rank in range(4)
    ]
    assert np.bincount(bars.lane, minlength=len(inside))[inside].tolist() == [3] * 4
    assert data.data["parts"][0]["occupancy"]["dirty"]["most"] > 0
    assert data.columns["dirty0"].max() > 0


def test_steps_without_a_timeline_are_refused():
    with pytest.raises(PredictionError, match="got `timeline_steps` alone"):
        predict(jacobi.workload(2, steps=1, every=1), machine(), timeline_steps=True)
