"""Every request is awaited exactly once, and every region that begins ends."""

import pytest

from refusals import accepted, refusal_of, refusal_of_body, written
from striate.errors import WorkloadError
from striate.workload import Spmd
from striate.workload.operations import (
    barrier,
    compute,
    irecv,
    isend,
    recv,
    region_begin,
    region_end,
    send,
    wait,
    waitall,
    write,
)


def test_waiting_twice_is_refused():
    def program(rank, ranks):
        outgoing = isend(1 - rank, 8)
        yield from (outgoing, recv(1 - rank, 8), wait(outgoing), wait(outgoing))

    assert refusal_of(program) == (
        "expected a wait for an operation in flight, got a wait for the operation send, which was not begun, "
        "or was waited for before - at rank 0, operation 3 (wait) (app)"
    )


def test_waiting_for_a_blocking_call_is_refused():
    def program(rank, ranks):
        outgoing = send(1 - rank, 8)
        yield from (outgoing, wait(outgoing))

    assert refusal_of(program) == (
        "expected a wait for an operation in flight, got a wait for the operation send, which was not begun, "
        "or was waited for before - at rank 0, operation 1 (wait) (app)"
    )


def test_a_request_that_is_never_awaited_is_refused():
    program = lambda rank, ranks: [compute("1 ms"), isend(1 - rank, 8), recv(1 - rank, 8)]  # noqa: E731

    assert refusal_of(program) == "request 0 is never awaited - at rank 0, operation 1 (send) (app)"


def test_one_rank_that_forgets_to_wait_is_found_among_those_that_block():
    """Rank 0 sends and rank 1 begins to send: the same text but for the request."""

    def program(rank, ranks):
        yield (isend if rank else send)(1 - rank, 8)
        yield recv(1 - rank, 8)

    assert refusal_of(program) == "request 0 is never awaited - at rank 1, operation 0 (send) (app)"


def test_ranks_may_wait_in_different_orders():
    def program(rank, ranks):
        first, second = isend(1 - rank, 8), irecv(1 - rank, 8)
        yield from (first, second)
        yield wait(*((first, second) if rank else (second, first)))

    accepted(program)


def test_the_same_operation_begun_twice_is_refused():
    def program(rank, ranks):
        outgoing = isend(rank, 8)
        yield from (outgoing, outgoing, waitall())

    assert refusal_of(program) == (
        "the same send was begun twice without a wait in between - at rank 0, operation 1 (send) (app)"
    )


def test_an_operation_may_be_begun_again_after_a_wait():
    def program(rank, ranks):
        outgoing = isend(rank, 8)
        for _ in range(5):
            yield from (outgoing, recv(rank, 8), wait(outgoing))

    accepted(program)


def test_a_loop_that_leaves_a_request_over_is_refused():
    def write_body(body):
        with body.repeat(3):
            body.isend(body.rank, 8)
            body.recv(body.rank, 8)

    assert refusal_of_body(write_body) == (
        "request 0 begins again before it was awaited - at rank 0, operation 0 (send) (app)"
    )


def test_a_request_may_be_awaited_in_the_next_pass():
    def pipelined(body):
        earlier = body.write("f", size=8, blocking=False)
        with body.repeat(10):
            body.wait(earlier)
            earlier = body.write("f", size=8, blocking=False)
        body.wait(earlier)

    written(pipelined).check()


def test_spmd_waits_are_checked_as_they_are_written():
    body = Spmd(2)
    outgoing = body.isend(1 - body.rank, 8)
    body.wait(outgoing)

    with pytest.raises(WorkloadError) as refusal:
        body.wait(outgoing)
    assert str(refusal.value) == (
        "expected a wait for an operation in flight, got a wait for the operation send, which was not begun, "
        "or was waited for before - at row 2"
    )


def test_collectives_and_files_have_requests_too():
    program = lambda rank, ranks: [barrier(blocking=False), write("f", size=8, blocking=False)]  # noqa: E731

    assert refusal_of(program) == "request 0 is never awaited - at rank 0, operation 0 (barrier) (app)"
    accepted(lambda rank, ranks: [*program(rank, ranks), waitall()])


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        (
            [region_begin("a")],
            "region 'a' never ends - at rank 0, operation 0 (region_begin) (app)",
        ),
        (
            [region_end("a")],
            "region 'a' ends, but did not begin last - at rank 0, operation 0 (region_end) (app)",
        ),
        (
            [region_begin("a"), region_begin("b"), region_end("a"), region_end("b")],
            "region 'a' ends, but did not begin last - at rank 0, operation 2 (region_end) (app)",
        ),
        (
            [*[region_begin("{a}")] * 5, region_end("{a}")],
            "region '{a}' never ends - at rank 0, operation 0 (region_begin) (app)",
        ),
    ],
)
def test_regions_nest(marks, message):
    assert refusal_of(lambda rank, ranks: marks) == message


def test_the_rank_whose_regions_cross_is_found():
    def program(rank, ranks):
        yield from (region_begin("a"), region_begin("b"))
        yield from (region_end(name) for name in ("ab" if rank == 2 else "ba"))

    assert refusal_of(program, 3) == (
        "region 'a' ends, but did not begin last - at rank 2, operation 2 (region_end) (app)"
    )


def test_good_regions_pass():
    marks = [region_begin("a"), region_begin("a"), compute("1 ms"), region_end("a"), region_end("a")]

    accepted(lambda rank, ranks: marks * 100)
