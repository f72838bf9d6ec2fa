"""Loops stay loops: a long program costs as much as its folded form."""

import time

import pytest

from striate.units import MiB
from striate.workload import Workload
from striate.workload.kinds import Kind
from striate.workload.operations import (
    allreduce,
    alltoallv,
    barrier,
    compute,
    isend,
    recv,
    sendrecv,
    wait,
    write,
    write_all,
)
from striate.workload.transforms.unfold import unfold


def programs_of(program, ranks=2):
    return Workload.from_program(program, ranks).applications[0].programs


def kinds_of(programs):
    return [Kind(int(kind)).label for kind in programs.kind]


def test_a_hundred_thousand_passes_are_one_loop():
    def program(rank, ranks):
        for step in range(100_000):
            yield compute("12 ms")
            yield write("out", offset=(step * ranks + rank) * MiB, size=MiB)

    programs = programs_of(program, ranks=1)

    assert kinds_of(programs) == ["loop", "compute", "write", "end"]
    assert programs.constant[programs.operand(0, "count")] == 100_000
    assert programs.strides(programs.operand(2, "offset")).tolist() == [MiB]
    assert programs.nbytes < 2000


@pytest.mark.parametrize(
    "call",
    [lambda: allreduce(8), lambda: barrier(), lambda: alltoallv([1, 2]), lambda: compute("1 ms")],
    ids=["allreduce", "barrier", "alltoallv", "compute"],
)
def test_any_repeated_call_is_a_loop_of_one(call):
    programs = programs_of(lambda rank, ranks: (call() for _ in range(20_000)))

    assert programs.rows == 3


def test_requests_use_the_same_slots_every_pass():
    def program(rank, ranks):
        for step in range(1000):
            outgoing = isend(1 - rank, 8, tag=step)
            yield outgoing
            yield recv(1 - rank, 8, tag=step)
            yield wait(outgoing)

    assert kinds_of(programs_of(program)) == ["loop", "send", "recv", "wait", "end"]


def test_loops_nest():
    def program(rank, ranks):
        for outer in range(50):
            for inner in range(40):
                yield compute("1 ms")
                yield write("out", offset=outer * 1000 + inner * 8, size=8)
            yield allreduce(8)

    programs = programs_of(program)

    assert kinds_of(programs) == ["loop", "loop", "compute", "write", "end", "allreduce", "end"]
    assert programs.strides(programs.operand(3, "offset")).tolist() == [1000, 8]


def test_ranks_of_one_shape_share_a_program():
    """The first and the last rank of a chain have one neighbour, those between them two."""

    def chain(rank, ranks):
        for _ in range(10):
            yield compute("1 ms")
            if rank > 0:
                yield sendrecv(rank - 1, 64)
            if rank < ranks - 1:
                yield sendrecv(rank + 1, 64)

    programs = programs_of(chain, ranks=64)

    assert programs.count == 2
    assert programs.program_of_rank.tolist() == [0] + [1] * 62 + [0]


def test_values_that_follow_a_line_become_a_slope():
    programs = programs_of(lambda rank, ranks: [write("f", offset=7 + rank * MiB, size=8)], ranks=100)
    offset = programs.operand(0, "offset")

    assert (programs.constant[offset], programs.per_rank[offset], len(programs.value)) == (7, MiB, 0)


def test_values_that_follow_no_line_become_a_table():
    sizes = [3, 1, 4, 1, 5, 9, 2, 6]
    programs = programs_of(lambda rank, ranks: [write_all("f", offset=0, size=sizes[rank])], ranks=8)

    assert programs.count == 1
    assert [programs.base(programs.operand(0, "bytes"), rank) for rank in range(8)] == sizes
    assert len(programs.value) == 8


def test_a_program_of_no_operations_is_a_program():
    workload = Workload.from_program(lambda rank, ranks: (), 3)
    workload.check()

    assert workload.applications[0].programs.rows == 0
    assert list(unfold(workload.applications[0], 2)) == []


def test_folding_takes_linear_time():
    """Twice the length, twice the time: the fold must not look back further than its longest body."""

    def seconds(length):
        start = time.process_time()
        programs_of(lambda rank, ranks: (write("f", offset=i * i, size=8) for i in range(length)), ranks=1)
        return time.process_time() - start

    short, long = min(seconds(1000) for _ in range(3)), min(seconds(4000) for _ in range(3))

    assert long < 12 * short
