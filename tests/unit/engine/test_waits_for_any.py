"""Waits for any of several operations, ready sends, neighbourhoods, exscan, new communicators: by hand calculation."""

import numpy as np
import pytest

from hand_machine import STEP, TAG, ends, flight, machine, played
from striate.collectives.book import HEADER_BYTES, book_of
from striate.errors import PredictionError, WorkloadError
from striate.ladder import predict
from striate.workload import Spmd, Workload
from striate.workload import operations as op
from striate.workload.kinds import Kind
from striate.workload.transforms.rewrite import rewritten
from striate.workload.transforms.unfold import unfold

SIZE = 1000
MESSAGE = flight(SIZE + TAG)
MILLISECOND = 10**9


def listening(take, *, times=2, between="10 us"):
    """Ranks 1 and 2 send after 2 ms and 1 ms; rank 0 computes after each that it takes."""

    def program(rank, ranks):
        if rank > 0:
            yield op.compute(f"{3 - rank} ms")
            yield op.send(0, SIZE)
            return
        begun = [op.irecv(1, SIZE), op.irecv(2, SIZE)]
        yield from begun
        for _ in range(times):
            yield take(begun)
            yield op.compute(between)
        yield op.waitall(begun)

    return program


@pytest.mark.parametrize("flows", [False, True])
@pytest.mark.parametrize("take", [op.waitany, op.waitsome])
def test_a_wait_for_any_goes_on_with_the_first_that_comes(take, flows):
    """Rank 2's message comes at 1 ms, is worked on, and rank 1's is waited for until 2 ms."""
    second = 2 * MILLISECOND + STEP + MESSAGE + STEP + 10_000_000

    assert ends(listening(take), 3, flows=flows)[0] == second


def test_work_between_hides_behind_the_second_message():
    """Half a millisecond after each: all of the first is hidden; a wait for all would hide none."""
    second = 2 * MILLISECOND + STEP + MESSAGE + STEP + 500_000_000

    def all_first(rank, ranks):
        steps = list(listening(op.waitany, between="500 us")(rank, ranks))
        waits = [step for step in steps if step.kind is Kind.WAITANY]
        if not waits:
            return iter(steps)
        return iter([*waits[0].awaited, op.waitall(), op.compute("500 us"), op.compute("500 us")])

    assert ends(listening(op.waitany, between="500 us"), 3)[0] == second
    assert ends(all_first, 3)[0] == second + 500_000_000


def test_one_call_takes_one_and_some_takes_all_that_are_complete():
    def program(take):
        def late(rank, ranks):
            if rank > 0:
                yield op.send(0, SIZE)
                return
            begun = [op.irecv(1, SIZE), op.irecv(2, SIZE)]
            yield from begun
            yield op.compute("1 ms")
            yield take(begun)
            yield op.waitall(begun)

        return late

    for take in (op.waitany, op.waitsome, op.testany, op.testsome):
        # Both are there: the call is a step, and so is the wait for each of them.
        assert ends(program(take), 3)[0] == 2 * STEP + MILLISECOND + 3 * STEP


def test_a_test_takes_nothing_that_is_not_there():
    for take in (op.testany, op.testsome):
        found = ends(listening(take, times=1), 3)[0]

        assert found == 2 * MILLISECOND + STEP + MESSAGE + STEP + (STEP if found.expected else 0)


def test_after_as_many_waits_as_operations_none_is_under_way():
    """So the slots are free again, and a loop stays a loop."""

    def program(rank, ranks):
        for _ in range(100):
            if rank == 0:
                begun = [op.irecv(other, SIZE) for other in (1, 2)]
                yield from begun
                yield op.waitany(begun)
                yield op.waitany(begun)
            else:
                yield op.send(0, SIZE)

    (application,) = Workload.from_program(program, 3).applications

    assert application.programs.rows <= 20
    assert {step.operands["request"] for step in unfold(application, 0) if step.kind is Kind.RECV} == {0, 1}
    assert all(one.expected > 0 for one in ends(program, 3))


def test_the_spmd_form_waits_for_any():
    body = Spmd(3)
    with body.only(body.rank > 0):
        body.compute((3 - body.rank) * 1e-3)
        body.send(0, SIZE)
    with body.only(body.rank == 0):
        begun = [body.irecv(1, SIZE), body.irecv(2, SIZE)]
        for _ in range(2):
            body.waitany(begun)
            body.compute("10 us")

    assert ends(body.workload(), 3) == [one.expected for one in ends(listening(op.waitany), 3)]


def test_rewriting_and_storing_keep_a_wait_for_any(tmp_path):
    workload = Workload.from_program(listening(op.waitany), 3)
    again = rewritten(workload, lambda rank, steps: steps)
    workload.save(tmp_path / "stored.parquet")
    stored = Workload.load(tmp_path / "stored.parquet")

    expected = [one.expected for one in ends(workload, 3)]
    assert ends(again, 3) == expected
    assert ends(stored, 3) == expected


def test_coarse_rungs_refuse_by_name():
    workload = Workload.from_program(listening(op.waitany), 3)

    with pytest.raises(PredictionError, match="only the packet engine models waits for any of several"):
        predict(workload, machine(3), rung="micro")
    assert predict(workload, machine(3), rung="resource").proved is None


def test_what_was_not_begun_cannot_be_awaited():
    def program(rank, ranks):
        yield op.waitany([op.irecv(0, 10)])

    with pytest.raises(WorkloadError, match="expected operations in flight"):
        Workload.from_program(program, 1)


def test_a_ready_send_is_a_send_and_a_synchronous_one_waits():
    def program(verb):
        def late(rank, ranks):
            if rank == 0:
                yield verb(1, SIZE)
            else:
                yield op.compute("1 ms")
                yield op.recv(0, SIZE)

        return late

    asked, answered = flight(8), flight(100)  # a question, and its answer when the receive is there

    assert ends(program(op.rsend), 2) == [one.expected for one in ends(program(op.send), 2)]
    assert ends(program(op.rsend), 2)[0] == STEP
    assert asked < MILLISECOND
    # Matched when the receive is posted; the answer takes a step to be heard, and the data has left with one more.
    assert ends(program(op.ssend), 2)[0] == MILLISECOND + STEP + answered + STEP + STEP


def test_neighbours_exchange_at_once():
    """Two ranks in a line: each begins a receive and a send, and waits for both, the send being over already."""

    def program(rank, ranks):
        yield op.neighbor_alltoall(SIZE, op.cartesian_neighbors(rank, [2]))

    assert ends(program, 2) == [2 * STEP + MESSAGE + STEP + STEP] * 2


def test_a_neighbourhood_is_its_messages():
    def program(rank, ranks):
        for _ in range(5):
            yield op.neighbor_alltoallv(
                [100, 200, 300, 400], op.cartesian_neighbors(rank, [2, 3], periodic=True)
            )

    def spelt_out(rank, ranks):
        for _ in range(5):
            peers = op.cartesian_neighbors(rank, [2, 3], periodic=True)
            begun = [op.irecv(peer, tag=9) for peer in peers]
            begun += [
                op.isend(peer, size, tag=9) for peer, size in zip(peers, (100, 200, 300, 400), strict=True)
            ]
            yield from begun
            yield op.wait(*begun)

    assert ends(program, 6) == [one.expected for one in ends(spelt_out, 6)]


def test_the_spmd_form_of_a_grid_has_a_program_for_each_kind_of_border():
    def program(rank, ranks):
        for _ in range(4):
            later = op.neighbor_allgather(SIZE, op.cartesian_neighbors(rank, [3, 3]), blocking=False)
            yield later
            yield op.compute("1 us")
            yield op.wait(later)

    body = Spmd(9)
    with body.repeat(4):
        later = body.neighbor_allgather(SIZE, op.cartesian_neighbors(body.rank, [3, 3]), blocking=False)
        body.compute("1 us")
        body.wait(later)
    workload = body.workload()

    assert workload.applications[0].programs.count == 9
    assert ends(workload, 9) == [one.expected for one in ends(program, 9)]


def test_neighbours_in_a_grid():
    assert op.cartesian_neighbors(0, [2, 3]) == [-1, 3, -1, 1]
    assert op.cartesian_neighbors(5, [2, 3], periodic=[True, False]) == [2, 2, 4, -1]
    np.testing.assert_array_equal(op.cartesian_neighbors(np.arange(3), [3])[0], [-1, 0, 1])


def book(program, ranks):
    (application,) = Workload.from_program(program, ranks).applications
    return book_of(application)


def test_an_exclusive_scan_passes_on_what_lies_before():
    """Linear: rank 1 combines 1,000 B at 1 G/s before it passes them on; the last only receives."""

    def program(rank, ranks):
        yield op.exscan(SIZE, algorithm="linear")

    passed = flight(SIZE + HEADER_BYTES)
    combined = SIZE * 1000 + 1000

    assert ends(program, 3, book=book(program, 3))[2] == STEP + passed + combined + passed + STEP


def test_making_a_communicator_is_a_collective():
    def program(rank, ranks):
        yield op.comm_split()
        yield op.comm_dup()

    def spelt_out(rank, ranks):
        yield op.allgather(8)
        yield op.allreduce(256)
        yield op.allreduce(256)

    made = ends(program, 4, book=book(program, 4))

    assert made == [one.expected for one in ends(spelt_out, 4, book=book(spelt_out, 4))]
    assert all(one.expected > 3 * flight(8) for one in made)


def test_the_timeline_names_what_a_wait_for_any_took():
    run = played(listening(op.waitany), 3, timeline_bytes=1 << 20)

    assert run.messages == 2
