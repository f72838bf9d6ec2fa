"""Programs of ranks on the packet engine: matching, waiting, sharing, and what is said when nothing moves."""

import numpy as np
import pytest

from machines import SWITCH, node, run_application
from striate.cluster.builders import star
from striate.collectives.book import book_of
from striate.collectives.columns import CollectiveBook
from striate.errors import PredictionError, WorkloadError
from striate.workload import Workload
from striate.workload import operations as op
from striate.workload.kinds import Kind

STEP = 3000 + 1000  # picoseconds: 3 instructions at 1 G/s, and the nanosecond in which an end is noticed


def run(program, ranks, *, nodes=4, cpus=2, book=None, warp=True, flows=False, checked=True, **more):
    cluster = star(node=node(nodes, cpus=cpus), switch=SWITCH)
    workload = Workload.from_program(program, ranks=ranks, **more)
    if checked:
        workload.check()
    return run_application(
        workload.applications[0],
        cluster,
        cluster.place(ranks),
        collectives=book or CollectiveBook.empty(),
        warp=warp,
        flows=flows,
    )


def test_a_computation_takes_the_time_it_names():
    def program(rank, ranks):
        yield op.compute("12 ms")

    assert run(program, 1).rank_end.tolist() == [12 * 10**9]


def test_more_ranks_than_cpus_share_them_equally():
    def program(rank, ranks):
        yield op.compute(instructions=1_000_000)

    # Three jobs of 1 ms on the two CPUs of one node: 1.5 ms each.
    assert run(program, 3, nodes=1).rank_end.tolist() == [1_500_000_000 + 1000] * 3


def test_a_loop_is_played_as_often_as_it_says():
    def program(rank, ranks):
        for _ in range(7):
            yield op.compute("1 ms")

    assert run(program, 2).rank_end.tolist() == [7 * 10**9] * 2


def test_any_source_takes_whoever_comes_first():
    def program(rank, ranks):
        if rank == 0:
            yield op.recv(op.ANY, 100)
            yield op.compute("1 s")
            yield op.recv(op.ANY, 100)
        else:
            yield op.compute(f"{rank} ms")
            yield op.send(0, 100)

    ends = run(program, 3).rank_end

    assert ends[0] == pytest.approx(1.001e12, rel=1e-4)
    assert ends[2] == pytest.approx(2e9, rel=1e-4)


def test_a_long_send_waits_for_its_receive_and_a_short_one_does_not():
    def program(rank, ranks, size):
        if rank == 0:
            yield op.send(1, size)
        else:
            yield op.compute("1 s")
            yield op.recv(0, size)

    short = run(lambda rank, ranks: program(rank, ranks, 1000), 2).rank_end
    long = run(lambda rank, ranks: program(rank, ranks, 200_000), 2).rank_end

    assert short[0] < 1e9
    assert long[0] > 1e12


def test_non_blocking_messages_overlap_with_computation():
    def program(rank, ranks):
        handle = op.isend(1, 10_000_000) if rank == 0 else op.irecv(0, 10_000_000)
        yield handle
        yield op.compute("1 s")
        yield op.wait(handle)

    ends = run(program, 2).rank_end

    assert ends.max() == pytest.approx(1e12, rel=1e-3)  # 10 ms of transfer hidden behind a second


def test_a_barrier_without_a_schedule_lets_all_go_when_the_last_has_come():
    def program(rank, ranks):
        yield op.compute(f"{rank + 1} ms")
        yield op.barrier()

    ends = run(program, 4).rank_end

    # The last one does not wait; the others wake up with a step.
    assert ends.tolist() == [4 * 10**9 + 2 * STEP] * 3 + [4 * 10**9 + STEP]


def test_sub_communicators_meet_apart_from_each_other():
    def program(rank, ranks):
        yield op.compute(f"{rank + 1} ms")
        yield op.barrier(comm="pair")

    ends = run(program, 4, communicators={"pair": [0, 0, 1, 1]}).rank_end

    assert (ends // 10**9).tolist() == [2, 2, 4, 4]


def ring_shift(members: int, size: int) -> CollectiveBook:
    """A schedule for `bcast`: everybody sends right and hears from the left, twice. Not a broadcast, but a pattern."""
    actions = []
    for member in range(members):
        for _ in range(2):
            actions += [(0, (member + 1) % members, size), (1, (member - 1) % members, 0), (2, -1, 0)]
    action, peer, amount = (np.array(column) for column in zip(*actions, strict=True))
    return CollectiveBook(
        kind=np.array([Kind.BCAST], np.uint8),
        members=np.array([members]),
        root=np.array([0]),
        bytes=np.array([size]),
        first_member=np.array([0]),
        first_action=6 * np.arange(members + 1),
        action=action.astype(np.uint8),
        peer=peer.astype(np.int32),
        amount=amount.astype(np.int64),
    )


def test_a_collective_plays_the_schedule_it_is_given():
    def program(rank, ranks):
        yield op.bcast(50_000)

    one, two = (run(program, 4, book=ring_shift(4, 50_000), warp=warp) for warp in (False, True))

    assert one.messages == 8
    assert one.rank_end.tolist() == two.rank_end.tolist()
    assert one.rank_end.min() > 2 * 2 * 50_000_000  # two rounds, each over two cables of 1 GB/s


def test_a_collective_without_a_schedule_is_refused():
    def program(rank, ranks):
        yield op.bcast(50_000)

    with pytest.raises(PredictionError, match="no schedule for a call of 50000 bytes among 4 ranks"):
        run(program, 4)


def test_a_deadlock_names_who_waits_for_whom():
    def program(rank, ranks):
        yield op.recv(1 - rank, 100, tag=5 + rank)
        yield op.send(1 - rank, 100, tag=6 - rank)

    with pytest.raises(
        PredictionError, match=r"rank 0 at operation 0 \(recv\) receives from rank 1 with tag 5"
    ) as caught:
        run(program, 2, checked=False)
    assert "receives from rank 0 with tag 6" in str(caught.value)


def test_a_message_that_nobody_receives_is_an_error():
    def program(rank, ranks):
        if rank == 0:
            yield op.send(1, 100, tag=3)
        else:
            yield op.compute("1 ms")

    with pytest.raises(PredictionError, match="rank 0 sends to rank 1 with tag 3"):
        run(program, 2, checked=False)


def test_the_same_input_gives_the_same_bytes():
    def program(rank, ranks):
        for step in range(5):
            yield op.sendrecv((rank + 1) % ranks, 300_000 + step, source=(rank - 1) % ranks)
            yield op.compute("10 us")

    first, second = run(program, 6, cpus=1), run(program, 6, cpus=1, warp=False)

    assert first.rank_end.tobytes() == second.rank_end.tobytes()
    assert first.station_busy.tobytes() == second.station_busy.tobytes()


def test_fluids_and_packets_nearly_agree_where_messages_are_long():
    def program(rank, ranks):
        yield op.sendrecv((rank + 1) % ranks, 50_000_000, source=(rank - 1) % ranks)

    packets, fluid = (run(program, 4, flows=flows).rank_end.max() for flows in (False, True))

    assert fluid == pytest.approx(packets, rel=2e-2)


def test_a_deadlock_in_a_collective_names_the_call_and_who_is_missing():
    def program(rank, ranks):
        yield op.compute("1 ms")
        if rank:
            yield op.gatherv(10 * rank)
        else:
            yield op.recv(1, 10, tag=9)

    with pytest.raises(PredictionError, match="the same number of collective calls"):
        run(program, 3, checked=False, book=booked(program, 3))

    def crossed(rank, ranks):
        yield op.allgatherv(10 * rank, comm="a" if rank else "b")
        yield op.allgatherv(10 * rank, comm="b" if rank else "a")

    families = {"a": [0, 0, 0], "b": [0, 0, 0]}
    with pytest.raises(PredictionError) as caught:
        run(crossed, 3, checked=False, book=booked(crossed, 3, families), communicators=families)
    assert "rank 1 at operation 0 (allgatherv) waits for rank 0" in str(caught.value)
    assert "rank 0 at operation 0 (allgatherv) waits for rank" in str(caught.value)


def booked(program, ranks, communicators=None):
    return book_of(Workload.from_program(program, ranks, communicators=communicators).applications[0])


def test_a_meeting_names_those_who_have_not_come():
    def program(rank, ranks):
        if rank == 2:
            yield op.recv(0, 10, tag=1)
        yield op.barrier()

    with pytest.raises(PredictionError) as caught:
        run(program, 3, checked=False)
    assert "rank 0 at operation 0 (barrier), rank 1 at operation 0 (barrier)" in str(caught.value)
    assert "wait in a collective for rank 2" in str(caught.value)
    assert "rank 2 at operation 0 (recv) receives from rank 0 with tag 1" in str(caught.value)


def test_a_test_costs_its_step_and_does_not_wait():
    def program(rank, ranks):
        if rank == 0:
            yield op.compute("1 ms")
            yield op.send(1, 100)
            return
        request = op.irecv(0, 100)
        yield request
        yield op.test(request)
        yield op.test(request)
        yield op.wait(request)

    def without(rank, ranks):
        return (operation for operation in program(rank, ranks) if operation.kind is not Kind.TEST)

    asked, waited = run(program, 2), run(without, 2)

    assert asked.rank_end.tolist() == waited.rank_end.tolist()  # what it asks meanwhile costs it no time

    def late(rank, ranks):
        request = op.isend(1 - rank, 100) if rank == 0 else op.irecv(0, 100)
        yield request
        yield op.compute("1 ms")
        yield op.test(request)
        yield op.wait(request)

    def later(rank, ranks):
        return (operation for operation in late(rank, ranks) if operation.kind is not Kind.TEST)

    assert (run(late, 2).rank_end - run(later, 2).rank_end).tolist() == [STEP, STEP]


def test_a_test_of_what_is_not_under_way_is_refused():
    def program(rank, ranks):
        request = op.irecv(1 - rank, 100)
        yield op.isend(1 - rank, 100)
        yield op.test(request)

    with pytest.raises(WorkloadError, match="test of the operation recv, which was not begun"):
        Workload.from_program(program, 2)
