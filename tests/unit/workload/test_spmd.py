"""The SPMD form says the same as a generator program, rank by rank."""

import numpy as np
import pytest

from refusals import refusal_of_body, written
from retold import retold
from striate.units import MiB
from striate.workload import Spmd, Workload
from striate.workload.operations import (
    allreduce,
    alltoallv,
    barrier,
    compute,
    irecv,
    isend,
    open_file,
    recv,
    region_begin,
    region_end,
    send,
    sendrecv,
    wait,
    waitall,
    write,
    write_all,
)

RANKS = 6


def both_say_the_same(write_body, program, **options):
    spmd = written(write_body, RANKS, **options).applications[0]
    generated = Workload.from_program(program, RANKS, **options).applications[0]

    for rank in range(RANKS):
        assert retold(spmd, rank) == retold(generated, rank)


def test_operands_may_be_arrays_over_ranks():
    sizes = np.array([3, 1, 4, 1, 5, 9])

    def body_of(body):
        body.compute(sizes * 0.001)
        body.write("f", offset=body.rank * MiB, size=sizes)

    def program(rank, ranks):
        yield compute(float(sizes[rank] * 0.001))
        yield write("f", offset=rank * MiB, size=int(sizes[rank]))

    both_say_the_same(body_of, program)


def test_offsets_and_tags_may_move_with_nested_loops():
    def body_of(body):
        with body.repeat(3) as outer:
            body.open_file("f", create=True)
            with body.repeat(4) as inner:
                body.write("f", offset=(outer * 4 + inner) * 1000 + body.rank * 10, size=8)
                body.isend((body.rank + 1) % RANKS, 8, tag=2 * outer + inner)
                body.recv((body.rank - 1) % RANKS, 8, tag=inner + 2 * outer)
                body.waitall()

    def program(rank, ranks):
        for outer in range(3):
            yield open_file("f", create=True)
            for inner in range(4):
                yield write("f", offset=(outer * 4 + inner) * 1000 + rank * 10, size=8)
                yield isend((rank + 1) % RANKS, 8, tag=2 * outer + inner)
                yield recv((rank - 1) % RANKS, 8, tag=inner + 2 * outer)
                yield waitall()

    both_say_the_same(body_of, program)


def test_index_arithmetic_works_from_both_sides():
    def body_of(body):
        with body.repeat(3) as i, body.repeat(2) as j:
            body.write("f", offset=100 - i * 5 + j, size=1)
            body.write("f", offset=body.rank + (i - j) * 2 + 10, size=1)
            body.write("f", offset=-(i - 50) - j, size=1)

    def program(rank, ranks):
        for i in range(3):
            for j in range(2):
                yield write("f", offset=100 - i * 5 + j, size=1)
                yield write("f", offset=rank + (i - j) * 2 + 10, size=1)
                yield write("f", offset=-(i - 50) - j, size=1)

    both_say_the_same(body_of, program)


def test_only_some_ranks():
    def body_of(body):
        with body.only(body.rank > 0):
            body.send(body.rank - 1, 8)
            with body.only(body.rank % 2 == 0):
                body.compute("1 ms")
        with body.repeat(3), body.only(body.rank < RANKS - 1):
            body.compute("2 ms")
        with body.only(body.rank < RANKS - 1):
            body.recv(body.rank + 1, 8, tag=0)

    def program(rank, ranks):
        if rank > 0:
            yield send(rank - 1, 8)
            if rank % 2 == 0:
                yield compute("1 ms")
        for _ in range(3):
            if rank < ranks - 1:
                yield compute("2 ms")
        if rank < ranks - 1:
            yield recv(rank + 1, 8, tag=0)

    both_say_the_same(body_of, program)


def test_requests_regions_and_collectives():
    def body_of(body):
        with body.region("swap"), body.repeat(4):
            outgoing = body.isend((body.rank + 1) % RANKS, 8)
            incoming = body.irecv((body.rank - 1) % RANKS, 8)
            body.wait(incoming, outgoing)
            body.allreduce(8, comm="halves")
        body.alltoallv([1, 2, 3])
        body.barrier()

    def program(rank, ranks):
        yield region_begin("swap")
        for _ in range(4):
            outgoing, incoming = isend((rank + 1) % ranks, 8), irecv((rank - 1) % ranks, 8)
            yield from (outgoing, incoming, wait(incoming, outgoing), allreduce(8, comm="halves"))
        yield from (region_end("swap"), alltoallv([1, 2, 3]), barrier())

    both_say_the_same(body_of, program, communicators={"halves": [0, 0, 0, 1, 1, 1]})


def test_one_file_a_rank():
    def body_of(body):
        own = body.files("part-{}", per_rank=True)
        body.write(own, size=8)
        body.write_all("whole", extents=([0, 100], [8, 8]))

    def program(rank, ranks):
        yield write(f"part-{rank}", size=8)
        yield write_all("whole", extents=([0, 100], [8, 8]))

    both_say_the_same(body_of, program)


def test_a_million_ranks_cost_as_much_as_one():
    def body_of(body):
        with body.repeat(1_000_000) as step:
            body.compute("12 ms")
            body.sendrecv((body.rank + 1) % body.ranks, 64, source=(body.rank - 1) % body.ranks)
            body.write("f", offset=(step * body.ranks + body.rank) * MiB, size=MiB)

    programs = written(body_of, ranks=1_000_000).applications[0].programs

    assert programs.rows == 5
    assert len(programs.value) == 2_000_000  # the two peers, which wrap round, follow no line
    assert programs.nbytes < 22_000_000


@pytest.mark.parametrize(
    ("write_body", "message"),
    [
        (
            lambda body: body.write("f", offset=body.rank * 0.5, size=8),
            "expected 4 whole numbers, one per rank, as offset, got float64 of shape (4,) - at row 0",
        ),
        (
            lambda body: body.send(np.arange(3), 8),
            "expected 4 whole numbers, one per rank, as peer, got int64 of shape (3,) - at row 0",
        ),
        (
            lambda body: body.send(1.5, 8),
            "expected a whole number or an array as peer, got 1.5 - at row 0",
        ),
        (
            lambda body: body.barrier(comm="rows"),
            "expected one of the program's communicators (world), got 'rows' - at row 0",
        ),
        (
            lambda body: body.alltoallv([1] * 5),
            "expected at most 4 message sizes, one per rank, got 5 - at row 0",
        ),
        (
            lambda body: body.compute(np.full(4, np.nan)),
            "expected compute times from 0 s to 9.22e6 s, got a time outside this range",
        ),
        (
            lambda body: body.only([True]).__enter__(),
            "expected 4 booleans, one per rank, such as `body.rank > 0`, got [True] - at row 0",
        ),
        (
            lambda body: body.repeat(-1).__enter__(),
            "expected a whole number of repeats from 0 on, got -1 - at row 0",
        ),
        (
            lambda body: body.repeat(2**64).__enter__(),
            "expected a whole number of repeats from 0 on, got 18446744073709551616 - at row 0",
        ),
        (
            lambda body: body.repeat(2).__enter__() * 1.5,
            "a loop index can be multiplied by a whole number only, not by 1.5",
        ),
        (
            lambda body: [body.files("f"), body.files("f")],
            "expected every file name once, got 'f' twice - at row 0",
        ),
        (
            lambda body: body.repeat(2).__enter__(),
            "expected the end of every repeated block, found an open block",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(write_body, message):
    assert refusal_of_body(write_body) == message


def test_the_pass_of_an_ended_loop_cannot_be_used():
    def body_of(body):
        with body.repeat(3) as step:
            body.compute("1 ms")
        body.write("f", offset=step * 8, size=8)

    assert refusal_of_body(body_of) == (
        "the offset of an operation uses the iteration number of a loop that has ended - at row 3"
    )


def test_a_verb_that_is_none_is_an_attribute_error():
    with pytest.raises(
        AttributeError, match="a program has no operation 'writ'; the operations are accumulate, allgather, "
    ):
        Spmd(2).writ("f")


def test_a_sendrecv_in_a_chain_matches():
    def chain(body):
        with body.only(body.rank > 0):
            body.sendrecv(body.rank - 1, 64)
        with body.only(body.rank < body.ranks - 1):
            body.sendrecv(body.rank + 1, 64)

    def program(rank, ranks):
        if rank > 0:
            yield sendrecv(rank - 1, 64)
        if rank < ranks - 1:
            yield sendrecv(rank + 1, 64)

    written(chain, RANKS).check()
    both_say_the_same(chain, program)
