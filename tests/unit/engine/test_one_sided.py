"""One-sided communication by hand calculation: an access, what completes it, and who must wait."""

import numpy as np
import pytest

from hand_machine import CONTROL, STEP, TAG, ends, flight, machine
from machines import run_application
from striate.collectives.columns import CollectiveBook
from striate.errors import PredictionError, WorkloadError
from striate.ladder import predict
from striate.trace.kinds import KINDS, LEVELS
from striate.workload import Spmd, Workload
from striate.workload import operations as op

SIZE = 1000
DATA, WORD = flight(SIZE + CONTROL), flight(CONTROL)
MILLISECOND = 10**9


def only(wanted, *operations):
    """A program in which one rank does something."""

    def program(rank, ranks):
        if rank == wanted:
            yield from operations

    return program


@pytest.mark.parametrize("flows", [False, True])
def test_a_put_is_data_and_an_acknowledgement(flows):
    """Begun after a step, acknowledged, and noticed with a step; the target has nothing to do."""
    found = ends(only(0, op.put(1, SIZE), op.win_flush(1)), 2, flows=flows)

    assert found == [STEP + DATA + WORD + STEP, 0]


def test_a_local_flush_does_not_wait_for_the_target():
    found = ends(only(0, op.put(1, SIZE), op.win_flush_local(1), op.compute("1 ms"), op.win_flush()), 2)

    assert found == [pytest.approx(3 * STEP + MILLISECOND, abs=5000), 0]


def test_a_get_is_a_request_and_data():
    assert ends(only(0, op.get(1, SIZE), op.win_flush(1)), 2) == [STEP + WORD + DATA + STEP, 0]


def test_what_is_accumulated_takes_an_instruction_per_byte_at_the_target():
    combined = SIZE * 1000 + 1000  # picoseconds at 1 G/s, and the moment in which the end is noticed

    found = ends(only(0, op.accumulate(1, SIZE), op.win_flush(1)), 2)

    assert found == [STEP + DATA + combined + WORD + STEP, 0]


def test_what_is_accumulated_shares_the_cpu_of_oversubscribed_ranks():
    """Ranks 1 and 3 have one CPU: while rank 3 computes, combining for rank 1 takes twice as long and delays it."""
    cluster = machine(2)

    def program(rank, ranks):
        if rank == 0:
            yield op.accumulate(1, SIZE)
            yield op.win_flush(1)
        elif rank == 3:
            yield op.compute("10 ms")

    application = Workload.from_program(program, 4).applications[0]
    found = run_application(
        application, cluster, cluster.place(4), collectives=CollectiveBook.empty()
    ).rank_end.tolist()
    combined = SIZE * 1000  # picoseconds at 1 G/s

    assert cluster.place(4).node.tolist() == [0, 1, 0, 1]
    assert found[0] == pytest.approx(STEP + DATA + 2 * combined + 1000 + WORD + STEP, abs=2000)
    assert found[3] == pytest.approx(10 * MILLISECOND + combined, abs=2000)


def test_one_sided_calls_have_no_steps_inside_but_the_barrier_of_a_fence_has():
    def program(rank, ranks):
        yield op.put((rank + 1) % ranks, SIZE)
        yield op.win_fence()

    timeline = predict(
        Workload.from_program(program, 4), machine(4), rung="fine", timeline=True, timeline_steps=True
    ).timeline
    steps = timeline.column("level") == LEVELS.index("step")
    kind = np.array(KINDS)[timeline.column("kind")]
    barrier = timeline.column("start")[kind == "barrier"].min()

    assert sorted(set(kind[~steps]) - {"transfer"}) == ["barrier", "rma"]
    assert steps.sum() > 0
    assert timeline.column("start")[steps].min() >= barrier


def test_accesses_with_a_request_can_be_awaited():
    """What was put has left at once; what was asked for has come."""
    put, get = op.rput(1, SIZE), op.rget(1, SIZE)

    assert ends(only(0, get, op.wait(get), op.win_flush()), 2)[0] == STEP + WORD + DATA + STEP + STEP
    assert ends(only(0, put, op.wait(put), op.compute("1 ms"), op.win_flush()), 2)[0] == pytest.approx(
        MILLISECOND + 3 * STEP, abs=5000
    )


def test_a_fence_completes_the_accesses_of_all_and_lets_them_meet():
    def program(rank, ranks):
        if rank == 0:
            yield op.put(1, SIZE)
        yield op.win_fence()

    done = STEP + DATA + WORD + STEP

    # Rank 0 comes last to the barrier, a step later; rank 1 wakes up with a step.
    assert ends(program, 2) == [done + STEP, done + STEP + STEP]


def test_an_exclusive_lock_lets_one_in_after_the_other():
    def program(rank, ranks, *, exclusive=True):
        if rank > 0:
            yield op.compute(f"{rank} us")  # so that rank 1 asks first
            yield op.win_lock(0, exclusive=exclusive)
            yield op.compute("1 ms")
            yield op.win_unlock(0)

    def shared(rank, ranks):
        return program(rank, ranks, exclusive=False)

    granted = 1_000_000 + STEP + 2 * WORD + STEP
    given_back = granted + MILLISECOND + STEP + WORD
    behind = 48_000  # picoseconds: the grant leaves behind the acknowledgement, 48 bytes at 1 GB/s
    second = given_back + behind + WORD + STEP

    assert ends(program, 3) == [0, given_back + WORD + STEP, second + MILLISECOND + STEP + 2 * WORD + STEP]
    assert ends(shared, 3) == [0, given_back + WORD + STEP, given_back + WORD + STEP + 1_000_000]


def test_an_unlock_waits_for_what_was_put():
    done = STEP + 2 * WORD + STEP + STEP + DATA + WORD

    found = ends(only(0, op.win_lock(1), op.put(1, SIZE), op.win_unlock(1)), 2)

    assert found == [done + 2 * WORD + STEP, 0]


def test_post_start_complete_and_wait():
    def program(rank, ranks):
        if rank == 0:
            yield op.win_start([1])
            yield op.put(1, SIZE)
            yield op.win_complete([1])
        else:
            yield op.win_post([0])
            yield op.win_wait([0])

    started = STEP + flight(TAG) + STEP
    put = started + STEP + DATA + WORD + STEP
    told = put + STEP  # a short send is over when it has left

    assert ends(program, 2) == [told, told + flight(TAG) + STEP]


def test_epochs_of_two_ranks_in_a_loop_are_no_senseless_tags():
    """Their messages fold into one loop over both tags of the calls, which was refused."""

    def program(rank, ranks):
        for _ in range(5):
            yield op.win_post([1 - rank])
            yield op.win_start([1 - rank])
            yield op.put(1 - rank, SIZE)
            yield op.win_complete([1 - rank])
            yield op.win_wait([1 - rank])

    once = max(end.expected for end in ends(lambda rank, ranks: list(program(rank, ranks))[:5], 2))
    assert max(end.expected for end in ends(program, 2)) == pytest.approx(5 * once, rel=0.01)


def test_a_receive_of_any_tag_takes_no_message_of_an_epoch():
    def program(rank, ranks):
        if rank == 0:
            yield op.win_start([1])
            yield op.win_complete([1])
            yield op.send(1, 100, tag=5)
        else:
            received = op.irecv()
            yield received
            yield op.win_post([0])
            yield op.win_wait([0])
            yield op.wait(received)

    assert all(end > 0 for end in (one.expected for one in ends(program, 2)))


def test_the_spmd_form_says_the_same():
    def ring(rank, ranks):
        for _ in range(3):
            yield op.put((rank + 1) % ranks, SIZE)
            yield op.win_fence()

    body = Spmd(3)
    with body.repeat(3):
        body.put((body.rank + 1) % 3, SIZE)
        body.win_fence()

    assert ends(body.workload(), 3) == [one.expected for one in ends(ring, 3)]


@pytest.mark.parametrize(
    ("operations", "message"),
    [
        ([op.put(1, 10)], "a put at rank 1 is completed by no fence, flush or unlock"),
        ([op.win_lock(1)], "rank 1 is never unlocked"),
        ([op.win_unlock(1)], "unlock of rank 1, which is not locked"),
        ([op.win_lock(1), op.win_lock(1)], "rank 1 is locked already"),
        ([op.put(2, 10), op.win_fence()], "no rank 2"),
    ],
)
def test_what_no_library_could_run_is_refused(operations, message):
    flat = [one for each in operations for one in (each if isinstance(each, op.Several) else (each,))]

    with pytest.raises(WorkloadError, match=message):
        Workload.from_program(only(0, *flat), 2).check()


def test_ranks_that_lock_each_other_out_are_named():
    def program(rank, ranks):
        yield op.win_lock(rank)
        yield op.barrier()
        yield op.win_lock(1 - rank)
        yield op.win_unlock(1 - rank)
        yield op.win_unlock(rank)

    with pytest.raises(PredictionError, match=r"rank 0 at operation 2 \(lock\) waits for rank 1"):
        ends(program, 2)


def test_coarse_rungs_refuse_by_name_and_the_ladder_goes_on():
    workload = Workload.from_program(only(0, op.put(1, SIZE), op.win_flush()), 2)

    for rung in ("resource", "micro"):
        with pytest.raises(PredictionError, match="only the packet engine models one-sided communication"):
            predict(workload, machine(2), rung=rung)
    assert predict(workload, machine(2)).rung in ("fine", "flow")
