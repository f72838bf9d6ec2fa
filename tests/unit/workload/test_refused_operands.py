"""Operands that no MPI library could take are refused, naming rank and operation."""

import numpy as np
import pytest

from refusals import refusal_of, refusal_of_body
from striate.errors import WorkloadError
from striate.workload import Spmd, Workload
from striate.workload.operations import (
    alltoallv,
    barrier,
    bcast,
    compute,
    read,
    recv,
    send,
    sendrecv,
    write,
    write_all,
)


def by_rank(*operations):
    """A program in which rank r does the r-th of `operations`, after one compute."""
    return lambda rank, ranks: [compute("1 ms"), operations[rank]]


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (send(2, 8), "no rank 2 in communicator 'world' - at rank 1, operation 1 (send) (app)"),
        (send(-1, 8), "no rank -1 in communicator 'world' - at rank 1, operation 1 (send) (app)"),
        (recv(2, 8), "no rank 2 in communicator 'world' - at rank 1, operation 1 (recv) (app)"),
        (recv(-2, 8), "no rank -2 in communicator 'world' - at rank 1, operation 1 (recv) (app)"),
        (
            sendrecv(0, 8, source=5),
            "no rank 5 in communicator 'world' - at rank 1, operation 1 (sendrecv) (app)",
        ),
        (
            sendrecv(7, 8, source=0),
            "no rank 7 in communicator 'world' - at rank 1, operation 1 (sendrecv) (app)",
        ),
        (bcast(8, root=2), "no root 2 in communicator 'world' - at rank 1, operation 1 (bcast) (app)"),
        (bcast(8, root=-1), "no root -1 in communicator 'world' - at rank 1, operation 1 (bcast) (app)"),
        (send(0, -5), "expected bytes of at least 0, got -5 - at rank 1, operation 1 (send) (app)"),
        (bcast(-5), "expected bytes of at least 0, got -5 - at rank 1, operation 1 (bcast) (app)"),
        (
            compute(instructions=-5),
            "expected instructions of at least 0, got -5 - at rank 1, operation 1 (compute) (app)",
        ),
        (send(0, 8, tag=-1), "expected tag of at least 0, got -1 - at rank 1, operation 1 (send) (app)"),
        (recv(0, 8, tag=-2), "expected tag of at least -1, got -2 - at rank 1, operation 1 (recv) (app)"),
        (
            sendrecv(0, 8, source_tag=-2),
            "expected source_tag of at least -1, got -2 - at rank 1, operation 1 (sendrecv) (app)",
        ),
        (
            write("f", offset=-1, size=8),
            "expected offset of at least 0, got -1 - at rank 1, operation 1 (write) (app)",
        ),
        (
            write("f", size=8, count=-1),
            "expected count of at least 0, got -1 - at rank 1, operation 1 (write) (app)",
        ),
        (
            read("f", offset=100, size=8, count=3, stride=-51),  # 100 - 2 * 51 = -2
            "bytes before the start of the file, offset 100 - at rank 1, operation 1 (read) (app)",
        ),
        (
            write("f", offset=4, extents=([0, -5], [1, 1])),
            "bytes before the start of the file, offset 4 - at rank 1, operation 1 (write) (app)",
        ),
        (
            write("f", offset=2**62, size=2**62),
            "bytes past 2^63 - 1, offset 4611686018427387904 - at rank 1, operation 1 (write) (app)",
        ),
        (
            write("f", offset=2**62, size=1, count=3, stride=2**61),
            "bytes past 2^63 - 1, offset 4611686018427387904 - at rank 1, operation 1 (write) (app)",
        ),
        (
            write("f", size=2**40, count=2**40, stride=0),
            "more than 2^62 bytes in all passes together - at rank 1, operation 1 (write) (app)",
        ),
        (
            write("f", offset=2**63, size=1),
            "expected a whole number below 2^63 as offset of write, got 9223372036854775808 - "
            "at rank 1, operation 1 (write) (app)",
        ),
        (
            write("f", offset=2**62, extents=([2**62], [1])),
            "bytes past 2^63 - 1, offset 4611686018427387904 - at rank 1, operation 1 (write) (app)",
        ),
        (
            write("f", size=1.5),
            "expected a whole number below 2^63 as bytes of write, got 1.5 - "
            "at rank 1, operation 1 (write) (app)",
        ),
        (
            send("next", 8),
            "expected a whole number below 2^63 as peer of send, got 'next' - "
            "at rank 1, operation 1 (send) (app)",
        ),
        (
            barrier(comm="rows"),
            "expected one of the program's communicators (world), got 'rows' "
            "- at rank 1, operation 1 (barrier) (app)",
        ),
        (
            alltoallv([1, 2, 3]),
            "expected at most 2 message sizes, one per rank, got 3 - at rank 1, operation 1 (alltoallv) (app)",
        ),
    ],
)
def test_a_bad_operand_is_named_with_its_place(operation, message):
    assert refusal_of(by_rank(compute("1 ms"), operation)) == message


def test_the_operation_is_counted_with_all_passes_before_it():
    def program(rank, ranks):
        for _ in range(100):
            yield compute("1 ms")
            yield write("f", size=8)
        yield send(9, 8)

    assert refusal_of(program) == "no rank 9 in communicator 'world' - at rank 0, operation 200 (send) (app)"


def test_a_rank_outside_its_communicator_cannot_use_it():
    program = by_rank(compute("1 ms"), compute("1 ms"), barrier(comm="even"))

    assert refusal_of(program, 3, communicators={"even": [0, -1, -1]}) == (
        "the rank does not belong to communicator 'even' - at rank 2, operation 1 (barrier) (app)"
    )


def test_braces_in_a_name_are_only_a_name():
    program = by_rank(send(9, 8, comm="{peer}"), compute("1 ms"))

    assert refusal_of(program, communicators={"{peer}": [0, 0]}) == (
        "no rank 9 in communicator '{peer}' - at rank 0, operation 1 (send) (app)"
    )


@pytest.mark.parametrize(
    ("communicators", "message"),
    [
        (
            {"world": [0, 0]},
            "expected a communicator with another name than 'world', the communicator of all ranks",
        ),
        (
            {"rows": [0]},
            "expected 2 colours, one per rank, got an array of shape (1,) - at communicator 'rows'",
        ),
        (
            {"rows": "ab"},
            "expected one whole number per rank as colours of a communicator, got 'ab' - at rows",
        ),
    ],
)
def test_a_communicator_has_one_colour_a_rank(communicators, message):
    assert refusal_of(lambda rank, ranks: (), communicators=communicators) == message


@pytest.mark.parametrize(
    ("step", "offset", "message"),
    [
        (
            2**62,
            0,
            "bytes past 2^63 - 1, offset 0 to 87622034350120370176 - at rank 0, operation 0 (write_all) (app)",
        ),
        (-1, 10, "expected offset of at least 0, got -9 to 10 - at rank 0, operation 0 (write_all) (app)"),
        (2**70, 0, "expected offset to change by less than 2^63 per iteration of a loop - at row 1"),
    ],
)
def test_an_offset_may_not_leave_the_file_in_a_later_pass(step, offset, message):
    def write_moving(body):
        with body.repeat(20) as index:
            body.write_all("f", offset=index * step + offset + body.rank * body.rank, size=8)

    assert refusal_of_body(write_moving) == message


def test_more_passes_than_a_counter_holds_are_refused():
    def endless(body):
        with body.repeat(10**10), body.repeat(10**10):
            body.barrier()

    assert refusal_of_body(endless) == (
        "expected at most 2^62 passes through all loops together - at rank 0, operation 0 (barrier) (app)"
    )


def test_a_peer_may_not_leave_the_communicator_in_a_later_pass():
    def ring(body):
        with body.repeat(5) as index:
            body.send(index, 8)

    assert refusal_of_body(ring) == (
        "no rank 0 to 4 in communicator 'world' - at rank 0, operation 0 (send) (app)"
    )


@pytest.mark.parametrize("ranks", [0, -1])
def test_a_program_needs_a_rank(ranks):
    message = f"expected at least 1 rank, got {ranks}"

    with pytest.raises(WorkloadError) as of_program:
        Workload.from_program(lambda rank, ranks: (), ranks)
    with pytest.raises(WorkloadError) as of_body:
        Spmd(ranks)
    assert (str(of_program.value), str(of_body.value)) == (message, message)


@pytest.mark.parametrize(
    ("yielded", "message"),
    [
        (5, "expected an operation such as compute('1 ms'), got 5 as operation 1 - at rank 0 (app)"),
        (None, "expected an operation such as compute('1 ms'), got None as operation 1 - at rank 0 (app)"),
    ],
)
def test_what_is_not_an_operation_is_refused(yielded, message):
    assert refusal_of(lambda rank, ranks: [compute("1 ms"), yielded]) == message


def test_numpy_numbers_are_numbers():
    rank_zero = by_rank(send(np.int64(1), np.int32(8)), recv(np.int64(0), 8))

    Workload.from_program(rank_zero, 2).check()
    Workload.from_program(lambda r, n: [write_all("f", offset=np.uint8(200), size=1)], 2).check()
