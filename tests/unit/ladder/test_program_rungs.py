"""The rungs over programs of ranks: what they must agree on, and what the finest one must lie between."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from striate.errors import PredictionError, WorkloadError
from striate.ladder import predict
from striate.ladder.predict import subject_of
from striate.rungs.answer import UnfitError
from striate.rungs.fine import play
from striate.rungs.program_flows import run_program_flows
from striate.workload import Workload
from striate.workload import operations as op
from toys import toy

ORDERS = ("path", "macro-rr", "macro-queue", "micro")
DEPENDENT = ("macro-rr", "macro-queue", "micro")


def workload(program, ranks):
    return Workload.from_program(program, ranks)


@st.composite
def programs(draw):
    """A few ranks that compute, exchange with their neighbours, meet and touch files."""
    ranks = draw(st.integers(1, 4))
    step = st.sampled_from(["compute", "ring", "swap", "meet", "agree", "write", "read", "together"])
    steps = draw(st.lists(st.tuples(step, st.integers(1, 200_000)), min_size=1, max_size=6))

    def program(rank, count):
        for number, (what, amount) in enumerate(steps):
            if what == "compute":
                yield op.compute(amount * (1 + rank) * 1e-8)
            elif what == "ring" and count > 1:
                yield op.sendrecv((rank + 1) % count, amount, source=(rank - 1) % count, tag=number)
            elif what == "swap" and count > 1:
                sent = op.isend(rank ^ 1, amount, tag=number) if rank ^ 1 < count else None
                if sent:
                    yield sent
                    yield op.recv(rank ^ 1, amount, tag=number)
                    yield op.wait(sent)
            elif what == "meet":
                yield op.barrier()
            elif what == "agree":
                yield op.allreduce(amount)
            elif what in ("write", "read"):
                access = op.write if what == "write" else op.read
                yield access(f"own{rank}", offset=number * 200_000, size=amount)
            elif what == "together":
                yield op.write_all("all", offset=(number * count + rank) * 200_000, size=amount)

    return workload(program, ranks)


machines = st.builds(
    toy,
    nodes=st.integers(2, 3),
    cpus=st.just(4),
    servers=st.integers(1, 2),
    disk=st.sampled_from([{"kind": "simple", "rate": "50 MB/s", "access": "1 ms"}]),
    cache=st.sampled_from(["none", "write-behind"]),
    stripe_unit=st.sampled_from([10_000, 100_000]),
    packet=st.sampled_from([10_000, 100_000]),
)


@settings(max_examples=40)
@given(programs(), machines)
def test_the_finest_rung_lies_between_what_is_proved(program, machine):
    subject = subject_of(program, machine)
    proved = subject.proved()

    seconds = subject.ask("fine").interval.estimate

    assert proved.broken_by(seconds) == ""


@settings(max_examples=40)
@given(programs(), machines)
def test_no_rung_is_faster_than_the_path_by_more_than_its_cutting_of_data(program, machine):
    path = run_program_flows(program, machine, "path")
    for order in DEPENDENT:
        found = run_program_flows(program, machine, order)

        assert found.ticks >= path.ticks * 0.999  # micro sends a write in up to four parts
        assert found.messages == path.messages
        assert found.graphs == path.graphs
        assert found.compute_work.tolist() == path.compute_work.tolist()
        assert found.written.tolist() == path.written.tolist()


@settings(max_examples=40)
@given(programs(), machines, st.floats(0.01, 1.0))
def test_estimates_lie_inside_their_bounds_and_combined_bounds_are_nested(program, machine, within):
    forecast = predict(program, machine, within=within)

    counted = [answer for answer in forecast.answers if answer.counted and answer.rung != "fine"]
    for answer in counted:
        assert answer.raw.low <= answer.raw.estimate <= answer.raw.high
        assert answer.combined.low <= answer.combined.estimate <= answer.combined.high
    for coarse, fine in itertools.pairwise(counted):
        if not fine.notes:
            assert coarse.combined.low <= fine.combined.low
            assert fine.combined.high <= coarse.combined.high


@given(st.lists(st.integers(1000, 10**9), min_size=1, max_size=5), st.integers(1, 4))
def test_without_communication_and_disks_all_rungs_agree_exactly(work, ranks):
    program = workload(lambda rank, count: (op.compute(ticks / 1e12) for ticks in work), ranks)
    machine = toy(nodes=2, cpus=4)

    times = {order: int(run_program_flows(program, machine, order).ticks) for order in ORDERS}
    times["resource"] = round(subject_of(program, machine).ask("resource").interval.estimate * 1e12)
    times["fine"] = int(play(program, machine).rank_end.max())

    assert set(times.values()) == {sum(work)}


@given(programs(), st.integers(1, 10**6))
def test_adding_work_never_shortens_the_resource_rung(program, more):
    machine = toy(nodes=2, cpus=4)
    longer = Workload.together(program, workload(lambda rank, count: [op.compute(more * 1e-9)], 1))

    assert (
        subject_of(longer, machine).ask("resource").interval.estimate
        >= subject_of(program, machine).ask("resource").interval.estimate
    )


def test_a_message_is_timed_as_the_packets_are():
    # 1 MB in packets of 100 kB over a 100 MB/s uplink: 10 ms and the first packet's way to and from it
    def program(rank, ranks):
        yield op.send(1, "1 MB") if rank == 0 else op.recv(0, "1 MB")

    machine = toy(nodes=2, packet="100 kB", eager="2 MB")

    coarse = run_program_flows(workload(program, 2), machine, "micro").ticks
    fine = play(workload(program, 2), machine).rank_end.max()
    assert coarse == pytest.approx(fine, rel=0.05)


def test_two_messages_share_a_link_and_take_twice_as_long():
    def program(rank, ranks):
        if rank == 0:
            yield op.recv(1, "1 MB")
            yield op.recv(2, "1 MB")
        else:
            yield op.send(0, "1 MB")

    machine = toy(nodes=3, cpus=1, eager="2 MB")

    path, micro = (
        run_program_flows(workload(program, 3), machine, order).ticks for order in ("path", "micro")
    )
    assert micro == pytest.approx(2 * path, rel=0.3)
    assert micro == pytest.approx(play(workload(program, 3), machine).rank_end.max(), rel=0.02)


def test_ranks_that_outnumber_cpus_share_them():
    program = workload(lambda rank, ranks: [op.compute("1 s")], 4)

    found = run_program_flows(program, toy(nodes=1, cpus=2), "micro")

    assert found.ticks == 2 * 10**12


def test_ranks_that_wait_for_each_other_are_named():
    def program(rank, ranks):
        yield op.recv(1 - rank, 8)
        yield op.send(1 - rank, 8)

    with pytest.raises(PredictionError, match=r"2 ranks wait for ever: rank 0 at operation 0 \(recv\)"):
        run_program_flows(workload(program, 2), toy(), "micro")


def test_what_these_rungs_do_not_take_is_left_to_the_finest():
    def program(rank, ranks):
        yield op.compute("1 ms")
        started = op.barrier(blocking=False)
        yield started
        yield op.wait(started)

    found = workload(program, 2)
    with pytest.raises(UnfitError, match="non-blocking collective"):
        run_program_flows(found, toy(), "micro")
    forecast = predict(found, toy(), within=1e-9)
    assert forecast.rung == "fine"
    (note,) = (note for note in forecast.notes if "non-blocking collective" in note)
    assert note.startswith("not answered by macro-rr, macro-queue, micro: ")


def test_a_program_of_one_rank_is_settled_by_proof():
    forecast = predict(workload(lambda rank, ranks: [op.compute("1 s")], 1), toy(), within=0.01)

    assert forecast.stopped == "the proved bounds are within 1%"
    assert forecast.proved.low <= 1.0 <= forecast.proved.high
    assert forecast.rung == "resource"


def test_a_cyclic_program_is_also_asked_of_the_queueing_model():
    def program(rank, ranks):
        for step in range(10):
            yield op.compute("50 ms")
            yield op.write("shared", offset=(step * ranks + rank) * 1000, size=1000)

    forecast = predict(workload(program, 4), toy(nodes=4, stripe_unit=1000), within=1e-9)

    (model,) = [answer for answer in forecast.answers if answer.rung == "queueing"]
    assert not model.counted
    assert forecast.rung == "fine"


def test_the_expected_cost_of_every_rung_is_told():
    forecast = predict(workload(lambda rank, ranks: [op.barrier()], 4), toy(), within=1e-9)

    assert all(
        np.isfinite(answer.expected_seconds) and answer.expected_seconds > 0 for answer in forecast.answers
    )


def test_an_impossible_program_is_refused_before_any_rung():
    with pytest.raises(WorkloadError):
        predict(workload(lambda rank, ranks: [op.send(0, 8)], 2), toy())
