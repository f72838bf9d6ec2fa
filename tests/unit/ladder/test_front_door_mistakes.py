"""What a scientist gets wrong at the front door is said in words: what was found, what was wanted, where."""

import numpy as np
import pytest

import striate
from striate.errors import StriateError
from striate.workload.operations import bcast, compute, recv, send
from toy_traces import two_ranks


def workload(*operations, ranks=2):
    return striate.Workload.from_program(lambda rank, ranks: list(operations), ranks, name="mine")


def refusal(function, *arguments, **named):
    with pytest.raises(StriateError) as refused:
        function(*arguments, **named)
    return str(refused.value)


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        ("4", "expected a whole number of ranks, got '4'"),
        (1.5, "expected a whole number of ranks, got 1.5"),
        (True, "expected a whole number of ranks, got True"),
        (10**12, "expected fewer than 2^31 ranks, the limit of MPI, got 1000000000000"),
    ],
)
def test_ranks_that_cannot_be_counted_are_refused(ranks, message):
    assert refusal(workload, ranks=ranks) == message
    assert refusal(striate.Spmd, ranks=ranks) == message


def test_a_program_that_yields_nothing_is_refused():
    said = refusal(striate.Workload.from_program, lambda rank, ranks: None, 2, name="mine")
    assert said == (
        "expected program(rank, ranks) to yield operations, got the return value None - at rank 0 (mine)"
    )
    said = refusal(striate.Workload.from_program, [compute(1)], 2, name="mine")
    assert said.startswith("expected a function program(rank, ranks), got [Operation")


def test_a_mistake_inside_a_program_keeps_its_own_kind_and_tells_the_rank():
    def program(rank, ranks):
        yield compute(1 / (1 - rank))

    with pytest.raises(ZeroDivisionError) as mistake:
        striate.Workload.from_program(program, 3)

    assert mistake.value.__notes__ == ["in the program 'program', as rank 1 of 3"]


def test_numbers_of_numpy_are_times():
    assert compute(np.float32(0.5)).operands == compute(0.5).operands
    assert compute(np.int32(2)).operands == compute(2).operands


@pytest.mark.parametrize("wrong", ["mine", None, {}, 5])
def test_what_is_no_workload_is_refused(wrong):
    said = refusal(striate.predict, wrong, "laptop")
    assert said == f"expected a Workload, a Trace or a stream of work-flow graphs to predict, got {wrong!r}"


def test_a_function_is_told_how_it_becomes_a_workload():
    assert refusal(striate.predict, workload, "laptop").endswith(
        "; Workload.from_program(program, ranks=N) makes one"
    )


@pytest.mark.parametrize("wrong", [None, {}, 5])
def test_what_is_no_cluster_is_refused(wrong):
    said = refusal(striate.predict, workload(compute(1)), wrong)
    wanted = "a Cluster, the path of a cluster description or the name of a bundled one"
    assert said == f"expected {wanted}, got {wrong!r}"


def test_a_precision_may_be_text_and_is_no_percentage():
    mine = workload(compute(1))

    assert striate.predict(mine, "laptop", within="20%").within == 0.2
    for wrong in (20, "20", -1, "a fifth", float("nan")):
        said = refusal(striate.predict, mine, "laptop", within=wrong)
        assert said == f'expected a share such as "20%" or 0.2, above 0, got {wrong!r}'


def test_a_deadlock_names_who_waits_for_whom_without_asking_for_a_rung():
    def program(rank, ranks):
        yield compute("1 ms")
        yield recv(1 - rank, 8, tag=rank)
        yield send(1 - rank, 8, tag=1 - rank)

    said = refusal(striate.predict, striate.Workload.from_program(program, 2), "westmere")
    assert said == (
        "2 ranks wait for ever: rank 0 at operation 1 (recv) receives from rank 1 with tag 0; "
        "rank 1 at operation 1 (recv) receives from rank 0 with tag 1 - at program"
    )


def test_what_every_rung_refuses_alike_is_said_once():
    said = refusal(striate.predict, workload(bcast(8, algorithm="magic")), "westmere")

    assert said.count("got 'magic'") == 1
    assert said.endswith("for bcast, got 'magic' - at mine")


def test_together_takes_workloads_and_at_least_one():
    assert refusal(striate.Workload.together) == "expected workloads, got none"
    assert refusal(striate.Workload.together, "a") == "expected workloads, got 'a'"


def test_one_name_selects_as_a_list_of_one_does():
    trace = two_ranks()

    assert len(trace.select(kinds="write")) == len(trace.select(kinds=["write"])) > 0
    assert len(trace.select(files="data", ranks=0)) == len(trace.select(files=["data"], ranks=[0])) > 0
    assert len(trace.select(between=("0 ns", "15 ns"))) == len(trace.select(between=(0, 15e-9))) > 0
    assert "the earlier first" in refusal(trace.select, between=(5, 1))
    assert refusal(trace.select, files=["dat"]).endswith(
        "among the 2 files of this trace; did you mean data?"
    )


def test_what_cannot_be_shown_is_refused():
    assert refusal(striate.show, 5).endswith("a cluster or the path of a file with one, got 5")


@pytest.mark.parametrize("rung", [None, "micro", "fine"])
@pytest.mark.parametrize("size", ["8 B", "1 MB"])
def test_a_message_larger_than_its_receive_is_refused(rung, size):
    """MPI_ERR_TRUNCATE; a larger receive, and one of 0 bytes, take it."""

    def program(room):
        return lambda rank, ranks: [send(1, size, tag=3) if rank == 0 else recv(0, room)]

    for room in ("0 B", size, "2 MB"):
        striate.predict(striate.Workload.from_program(program(room), 2), "westmere", rung=rung)
    said = refusal(striate.predict, striate.Workload.from_program(program("7 B"), 2), "westmere", rung=rung)
    assert "from rank 0 to rank 1 with tag 3 meets a receive of at most 7 B" in said
