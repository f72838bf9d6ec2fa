"""What must hold of the first rung for every program: order of the ends, monotony, symmetry, exact cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.rungs.resource import clocks_of, predict_resource
from striate.workload import Spmd, Workload
from striate.workload.operations import (
    allreduce,
    barrier,
    compute,
    read,
    sendrecv,
    sync_file,
    write,
    write_all,
)
from toys import HARD, SIMPLE, toy, toys

verbs = st.sampled_from(
    [
        lambda rank, n: compute("3 ms"),
        lambda rank, n: compute("1 us", instructions=5000 * (rank + 1)),
        lambda rank, n: write("f", offset=rank * 100, size=77),
        lambda rank, n: read("g", offset=rank, size=40, count=3, stride=50),
        lambda rank, n: write_all("g", offset=rank * 64, size=64),
        lambda rank, n: sendrecv((rank + 1) % n, 1000, source=(rank - 1) % n),
        lambda rank, n: allreduce(5000),
        lambda rank, n: barrier(),
        lambda rank, n: sync_file("f"),
    ]
)
programs = st.lists(verbs, min_size=1, max_size=6)


def workload_of(calls, ranks, times=1):
    return Workload.from_program(lambda rank, n: [call(rank, n) for call in calls] * times, ranks)


@given(programs, toys, st.integers(1, 6))
def test_the_estimate_lies_between_the_ends(calls, cluster, ranks):
    found = predict_resource(workload_of(calls, ranks), cluster).interval

    assert 0 <= found.low <= found.estimate <= found.high


@given(programs, programs, toys, st.integers(1, 6))
def test_more_work_never_takes_less_time(calls, more, cluster, ranks):
    some = predict_resource(workload_of(calls, ranks), cluster).interval
    added = predict_resource(workload_of(calls + more, ranks), cluster).interval

    assert some.low <= added.low * (1 + 1e-12)
    assert some.estimate <= added.estimate * (1 + 1e-12)
    assert some.high <= added.high * (1 + 1e-12)


@given(programs, st.integers(1, 6), st.integers(2, 9))
def test_n_passes_are_n_times_the_work(calls, ranks, times):
    once = clocks_of(workload_of(calls, ranks), toy())
    often = clocks_of(workload_of(calls, ranks, times), toy())

    for name in ("processor", "processor_error", "server", "disk", "disk_error"):
        np.testing.assert_allclose(getattr(often, name), times * getattr(once, name), rtol=1e-12)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=8), toys)
def test_one_rank_that_only_computes_is_exact(times, cluster):
    """No resource but one CPU: low, estimate and high are the sum of its times."""
    workload = Workload.from_program(lambda rank, n: [compute(t * 1e-9) for t in times], 1)
    found = predict_resource(workload, cluster).interval

    assert found.low == found.estimate == found.high == pytest.approx(sum(times) * 1e-9, rel=1e-12)


@given(st.integers(1, 6), st.integers(0, 500), st.integers(1, 4))
def test_without_communication_a_processor_waits_for_one_disk_only(ranks, size, servers):
    """Section 5.1, w/o comm.: max over p, d of (T^p + E_overlap + T^d + E^d), the server's protocol with its disk."""
    cluster = toy(servers=servers, io_cpu="5 us", io_variation="7 us", disk=HARD)
    workload = Workload.from_program(
        lambda rank, n: [compute("1 ms"), write("f", offset=rank, size=size)], ranks
    )
    clocks = clocks_of(workload, cluster)

    found = predict_resource(workload, cluster).interval

    worst_processor = (clocks.processor + clocks.processor_error).max()
    worst_storage = (clocks.server + clocks.disk + clocks.disk_error).max()
    assert not clocks.communicates
    assert found.high == pytest.approx(worst_processor + worst_storage, rel=1e-12)


@given(programs, programs, toys)
def test_two_applications_take_at_least_as_long_as_each(one, other, cluster):
    first, second = workload_of(one, 3), workload_of(other, 2)

    both = predict_resource(Workload.together(first, second), cluster).interval
    alone = predict_resource(first, cluster).interval

    assert both.low >= alone.low * (1 - 1e-12)
    assert both.high >= alone.high * (1 - 1e-12)


@given(st.permutations(range(6)))
def test_it_does_not_matter_which_rank_does_what_where_cpus_are_alike(order):
    work = [1, 2, 3, 5, 8, 13]
    cluster = toy(nodes=3, cpus=2, servers=3)

    def found(numbers):
        program = lambda rank, n: [compute(f"{work[numbers[rank]]} ms"), write("f", offset=0, size=48)]  # noqa: E731
        return predict_resource(Workload.from_program(program, 6), cluster).interval

    one, other = found(order), found(range(6))
    ends = ("low", "estimate", "high")
    assert [getattr(one, end) for end in ends] == pytest.approx(
        [getattr(other, end) for end in ends], rel=1e-12
    )


@given(st.integers(1, 5), st.integers(1, 20))
def test_a_loop_and_its_passes_written_out_weigh_the_same(ranks, passes):

    def rolled(body):
        with body.repeat(passes) as step:
            body.compute("3 ms", instructions=step * 10 + 1)
            body.write("f", offset=step * 24 + body.rank * 7, size=step * 3 + 5)

    def written_out(body):
        for step in range(passes):
            body.compute("3 ms", instructions=step * 10 + 1)
            body.write("f", offset=step * 24 + body.rank * 7, size=step * 3 + 5)

    bodies = [Spmd(ranks), Spmd(ranks)]
    for body, fill in zip(bodies, (rolled, written_out), strict=True):
        fill(body)
    one, other = (clocks_of(body.workload(), toy(disk=SIMPLE)) for body in bodies)

    for name in ("processor", "server", "disk", "disk_unhidden", "disk_error"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12)
