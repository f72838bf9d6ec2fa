"""All ranks of a communicator call the same collectives in the same order."""

from hypothesis import given
from hypothesis import strategies as st

from refusals import accepted, refusal_of, refusal_of_body, written
from striate.errors import WorkloadError
from striate.workload import Workload
from striate.workload.operations import allreduce, barrier, bcast, compute, gatherv, reduce, write_all


def test_another_collective_is_named_with_both_ranks():
    program = lambda rank, ranks: [compute("1 ms"), barrier() if rank == 1 else allreduce(8)]  # noqa: E731

    assert refusal_of(program, 3) == (
        "on communicator 'world' calls barrier, but rank 0 calls allreduce with bytes 8 (operation 1) - "
        "at rank 1, operation 1 (barrier) (app)"
    )


def test_another_root_is_named():
    program = lambda rank, ranks: [reduce(8, root=rank // 2)]  # noqa: E731

    assert refusal_of(program, 3) == (
        "on communicator 'world' calls reduce with bytes 8, root 1, but rank 0 calls reduce with "
        "bytes 8, root 0 (operation 0) - at rank 2, operation 0 (reduce) (app)"
    )


def test_another_size_is_named_where_sizes_must_agree():
    program = lambda rank, ranks: [bcast(8 + rank)]  # noqa: E731

    assert refusal_of(program) == (
        "on communicator 'world' calls bcast with bytes 9, root 0, but rank 0 calls bcast with "
        "bytes 8, root 0 (operation 0) - at rank 1, operation 0 (bcast) (app)"
    )


def test_sizes_may_differ_where_mpi_lets_them():
    accepted(lambda rank, ranks: [gatherv(8 + rank), write_all("f", offset=rank, size=rank)], 4)


def test_a_rank_that_ends_early_is_named():
    program = lambda rank, ranks: [barrier()] * (3 - rank)  # noqa: E731

    assert refusal_of(program) == (
        "on communicator 'world' ends, but rank 0 calls barrier (operation 2) - "
        "at rank 1, operation 2 (end) (app)"
    )


def test_the_pass_in_which_ranks_part_is_named():
    def program(rank, ranks):
        for step in range(1000):
            yield compute("1 ms")
            yield barrier() if (rank, step) == (1, 700) else allreduce(8)

    assert refusal_of(program) == (
        "on communicator 'world' calls barrier, but rank 0 calls allreduce with bytes 8 (operation 1401) - "
        "at rank 1, operation 1401 (barrier) (app)"
    )


def test_groups_of_one_communicator_need_not_agree():
    rows = {"rows": [0, 0, 1, 1]}

    accepted(lambda rank, ranks: [bcast(8 + rank // 2, comm="rows")] * (1 + rank // 2), 4, communicators=rows)


def test_ranks_of_one_group_must_agree():
    program = lambda rank, ranks: [bcast(8, root=rank // 3, comm="rows")]  # noqa: E731

    assert refusal_of(program, 4, communicators={"rows": [0, 0, 1, 1]}) == (
        "on communicator 'rows' calls bcast with bytes 8, root 1, but rank 2 calls bcast with "
        "bytes 8, root 0 (operation 0) - at rank 3, operation 0 (bcast) (app)"
    )


def test_communicators_may_be_used_in_any_order_against_each_other():
    twins = {"one": [0, 0], "two": [0, 0]}
    calls = [allreduce(8, comm="one"), barrier(comm="two")]

    accepted(lambda rank, ranks: calls[:: 1 - 2 * rank], communicators=twins)


def test_the_same_calls_in_other_loops_agree():
    def body_of(body):
        with body.only(body.rank == 1), body.repeat(6):
            body.bcast(8, root=0)
        with body.only(body.rank != 1), body.repeat(2), body.repeat(3):
            body.bcast(8, root=0)

    written(body_of).check()


def test_a_moving_root_is_followed_pass_by_pass():
    def moving(body):
        with body.only(body.rank == 1), body.repeat(2) as step:
            body.bcast(8, root=step)
        with body.only(body.rank != 1):
            body.bcast(8, root=0)
            body.bcast(8, root=1)

    def parted(body):
        moving(body)
        with body.only(body.rank == 2):
            body.barrier()

    written(moving).check()
    assert refusal_of_body(parted) == (
        "on communicator 'world' calls barrier, but rank 0 ends (operation 2) - "
        "at rank 2, operation 2 (barrier) (app)"
    )


def test_roots_that_move_with_different_loops_part():
    def write(body):
        with body.only(body.rank == 1), body.repeat(2) as outer, body.repeat(2):
            body.bcast(8, root=outer)
        with body.only(body.rank != 1), body.repeat(2), body.repeat(2) as inner:
            body.bcast(8, root=inner)

    assert refusal_of_body(write) == (
        "on communicator 'world' calls bcast with bytes 8, root 0, but rank 0 calls bcast with "
        "bytes 8, root 1 (operation 1) - at rank 1, operation 1 (bcast) (app)"
    )


calls = st.sampled_from([("barrier",), ("bcast", 0), ("bcast", 1), ("allreduce", 8), ("allreduce", 9)])
sequences = st.lists(calls, max_size=12)


def operation(call):
    return {"barrier": barrier, "bcast": lambda root: bcast(8, root=root), "allreduce": allreduce}[call[0]](
        *call[1:]
    )


@given(sequences, sequences, st.booleans())
def test_two_ranks_pass_exactly_when_their_calls_are_equal(one, other, same):
    """The twin of the hash: the lists themselves."""
    lists = [one, list(one) if same else other]

    def program(rank, ranks):
        for call in lists[rank]:
            yield operation(call)
            if rank:
                yield compute("1 ms")  # so that the ranks fold differently

    try:
        Workload.from_program(program, 2).check()
    except WorkloadError:
        assert lists[0] != lists[1]
    else:
        assert lists[0] == lists[1]
