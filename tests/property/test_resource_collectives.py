"""The first rung charges for collectives what the fine rung plays, and never says more than it takes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machines import run_application
from striate.cluster import load_cluster
from striate.collectives.book import ENGINE_COMPUTE, ENGINE_RECV, ENGINE_SEND, book_of
from striate.collectives.choice import Choice
from striate.collectives.registry import ALGORITHMS, FAMILY, KINDS, VIRTUAL, names_of
from striate.rungs.fine import predict_fine
from striate.rungs.floor import WIRE_HEADER_BYTES
from striate.rungs.ledger import sum_up
from striate.rungs.resource import predict_resource
from striate.workload import Spmd

MACHINES = ("laptop", "lustre-64", "pvs-cluster", "sp2", "westmere")
ROOTED = ("bcast", "reduce", "gather", "gatherv", "scatter", "scatterv")
DEFAULT = "default"  # whatever the sizes choose
EVERY = sorted((kind, name) for kind in KINDS for name in (*names_of(kind), VIRTUAL, DEFAULT))


def called(kind: str, ranks: int, size_bytes: int, root: int = 0, times: int = 1, **more):
    """`times` calls of one kind over all ranks."""
    body = Spmd(ranks)
    with body.repeat(times):
        call(body, kind, size_bytes, root % ranks, **more)
    return body.workload()


def call(body: Spmd, kind: str, size_bytes: int, root: int, **more) -> None:
    if kind == "barrier":
        body.barrier(**more)
    elif kind == "alltoallv":
        body.alltoallv([size_bytes + place for place in range(body.ranks)], **more)
    elif kind in ROOTED:
        getattr(body, kind)(own_bytes(body, kind, size_bytes), root=root, **more)
    else:
        getattr(body, kind)(own_bytes(body, kind, size_bytes), **more)


def own_bytes(body: Spmd, kind: str, size_bytes: int):
    return size_bytes + 3 * body.rank if kind in FAMILY else size_bytes


def played(application, choice, nodes, times: int) -> dict[str, list[int]]:
    """What each rank does by the actions of the schedules that the engine is given."""
    book = book_of(application, choice, nodes)
    sums = {name: [0] * application.ranks for name in ("sent_bytes", "sent_messages", "received_messages")}
    sums["instructions"] = [0] * application.ranks
    numbers = book.call.tolist() if len(book.call) else [0] * times
    for number in numbers:
        first = int(book.first_member[number])
        for member in range(application.ranks if first >= 0 else 0):
            mine = slice(book.first_action[first + member], book.first_action[first + member + 1])
            action, amount = book.action[mine], book.amount[mine]
            sums["sent_bytes"][member] += int(amount[action == ENGINE_SEND].sum())
            sums["sent_messages"][member] += int((action == ENGINE_SEND).sum())
            sums["received_messages"][member] += int((action == ENGINE_RECV).sum())
            sums["instructions"][member] += int(amount[action == ENGINE_COMPUTE].sum())
    return sums


@pytest.mark.parametrize(("kind", "name"), EVERY)
@settings(max_examples=12)
@given(
    ranks=st.integers(2, 64),
    size_bytes=st.sampled_from([0, 1, 255, 2049, 12288, 100_003, 1 << 20, 16 << 20]),
    root=st.integers(0, 63),
    times=st.integers(1, 3),
    named=st.booleans(),
)
def test_bytes_and_messages_are_those_of_the_schedules_that_are_played(
    kind, name, ranks, size_bytes, root, times, named
):
    """The algorithm is named by the call, chosen by a rule, or the default."""
    cluster = load_cluster("westmere")
    placement = cluster.place(ranks)
    choice = Choice() if named or name == DEFAULT else Choice.of([f"{kind}={name}"])
    more = {"algorithm": name} if named and name != DEFAULT else {}
    workload = called(kind, ranks, size_bytes, root, times, **more)
    (application,) = workload.applications

    sums = sum_up(application, cluster, placement, slice(0, ranks), choice)

    wanted = played(application, choice, placement.node, times)
    assert {column: getattr(sums, column).tolist() for column in wanted} == wanted
    assert sums.received_bytes.sum() == sums.sent_bytes.sum()


@settings(max_examples=30)
@given(
    kind=st.sampled_from(sorted(KINDS)),
    ranks=st.integers(2, 9),
    size_bytes=st.sampled_from([0, 1, 3000, 50_000]),
    data=st.data(),
)
def test_interfaces_carry_what_the_sums_say(kind, ranks, size_bytes, data):
    """The packet engine itself: each rank's interface serves what it sends and receives, with a header each."""
    cluster = load_cluster("westmere")
    placement = cluster.place(ranks)
    choice = Choice.of([f"{kind}={data.draw(st.sampled_from(names_of(kind)))}"])
    (application,) = called(kind, ranks, size_bytes).applications
    book = book_of(application, choice, placement.node)

    run = run_application(application, cluster, placement, collectives=book)
    sums = sum_up(application, cluster, placement, slice(0, ranks), choice)

    first = len(cluster.network.bandwidth) + cluster.network.edges
    messages = sums.sent_messages + sums.received_messages
    carried = sums.sent_bytes + sums.received_bytes + WIRE_HEADER_BYTES * messages
    np.testing.assert_array_equal(run.station_bytes[first : first + ranks], carried)


@pytest.mark.parametrize("machine", MACHINES)
@settings(max_examples=20)
@given(
    kind=st.sampled_from(sorted(KINDS)),
    ranks=st.integers(2, 20),
    size_bytes=st.sampled_from([0, 100, 5000, 200_000, 1 << 20]),
    times=st.integers(1, 3),
    computing=st.sampled_from([0, 1, 500]),
    data=st.data(),
)
def test_no_run_beats_the_low_end(machine, kind, ranks, size_bytes, times, computing, data):
    """With the default and with every other algorithm, alone and beside computing of some ranks."""
    rules = [f"{kind}={name}" for name in (*names_of(kind), VIRTUAL)]
    choice = Choice.of(data.draw(st.lists(st.sampled_from(rules), max_size=1)))
    cluster = load_cluster(machine)
    body = Spmd(ranks)
    with body.repeat(times):
        body.compute(computing * 1e-6 * (body.rank % 3), instructions=17 * body.rank)
        call(body, kind, size_bytes, 1)
        body.sendrecv((body.rank + 1) % ranks, size_bytes, source=(body.rank - 1) % ranks)
    workload = body.workload()

    low = predict_resource(workload, cluster, choice).interval.low

    assert low <= predict_fine(workload, cluster, choice=choice).interval.estimate


def test_a_broadcast_is_not_charged_by_another_algorithm_than_the_one_played():
    """20 broadcasts of 4 MiB over 10 ranks: the sums of binomial trees would say 4.45 s at least."""
    workload, cluster = called("bcast", 10, 4 << 20, times=20), load_cluster("westmere")
    found = predict_resource(workload, cluster).interval

    assert found.low <= predict_fine(workload, cluster).interval.estimate <= found.high
    assert predict_resource(
        workload, cluster, Choice.of(["bcast=binomial"])
    ).interval.estimate == pytest.approx(4.45, abs=0.01)
    assert predict_resource(workload, cluster, Choice.of(["bcast=virtual"])).interval.high == 0


def test_every_algorithm_is_looked_at():
    assert {(FAMILY.get(kind, kind), name) for kind, name in EVERY if name not in (VIRTUAL, DEFAULT)} == set(
        ALGORITHMS
    )
