"""Collectives whose sizes differ by rank: nothing is lost, equal sizes mean the plain collective, groups keep apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machines import SWITCH, node, run_application
from striate.cluster.builders import star
from striate.collectives import ALGORITHMS, plan
from striate.collectives.book import HEADER_BYTES, book_of
from striate.collectives.choice import Choice
from striate.collectives.registry import FAMILY
from striate.collectives.schedule import SEND
from striate.workload import Workload
from striate.workload import operations as op

NETWORK_HEADER = 40  # on the first packet of every message
CASES = [(kind, name) for kind, family in FAMILY.items() for of, name in ALGORITHMS if of == family]
SCATTERED = [("reduce_scatter", name) for of, name in ALGORITHMS if of == "reduce_scatter"]

counts = st.integers(0, 150_000)


def call(kind, name, rank, sizes, **more):
    """What `rank` calls so that rank i gives, gets or is sent sizes[i] bytes."""
    if kind in ("alltoallv", "reduce_scatter"):
        return getattr(op, kind)([int(size) for size in sizes], algorithm=name, **more)
    return getattr(op, kind)(int(sizes[rank]), algorithm=name, **more)


def planned(kind, name, sizes):
    table = np.tile(sizes, (len(sizes), 1)) if kind == "alltoallv" else np.array(sizes)
    return plan(kind, len(sizes), table, name=name)


def run(program, ranks, **more):
    machine = star(node=node(8), switch=SWITCH)
    application = Workload.from_program(program, ranks, **more).applications[0]
    placement = machine.place(ranks)
    return run_application(application, machine, placement, collectives=book_of(application))


def carried(result, ranks):
    """Bytes that left all interfaces for the network."""
    links = len(result.station_bytes) - 2 * ranks
    return int(result.station_bytes[links : links + ranks].sum())


@pytest.mark.parametrize(("kind", "name"), CASES + SCATTERED)
@settings(max_examples=12, deadline=None)
@given(st.lists(counts, min_size=1, max_size=8))
def test_the_engine_carries_the_bytes_of_the_schedule_and_no_others(kind, name, sizes):
    def program(rank, ranks):
        yield call(kind, name, rank, sizes)

    ranks = len(sizes)
    result = run(program, ranks)
    schedule = planned(kind, name, sizes)
    sends = schedule.action == SEND

    assert result.messages == int(sends.sum())
    asked = int(schedule.bytes[sends].sum()) + int(sends.sum()) * (HEADER_BYTES + NETWORK_HEADER)
    assert carried(result, ranks) == asked


@pytest.mark.parametrize(("kind", "name"), CASES)
@settings(max_examples=8, deadline=None)
@given(st.integers(1, 8), counts)
def test_with_equal_sizes_it_is_the_plain_collective(kind, name, ranks, size):
    def varying(rank, ranks):
        yield call(kind, name, rank, [size] * ranks)

    def plain(rank, ranks):
        yield getattr(op, FAMILY[kind])(size, algorithm=name)

    assert run(varying, ranks).rank_end.tolist() == run(plain, ranks).rank_end.tolist()


@pytest.mark.parametrize(("kind", "name"), [*CASES[:4], CASES[6], *SCATTERED])
@settings(max_examples=8, deadline=None)
@given(st.lists(counts, min_size=2, max_size=7))
def test_groups_know_nothing_of_each_other(kind, name, sizes):
    """A group takes what it takes alone, whatever the others call once it has left the switch to them."""
    inside = list(range(1, len(sizes) + 1))

    def together(rank, ranks):
        if rank in inside:
            yield call(kind, name, rank - 1, sizes, comm="part")
        else:
            yield op.compute("1 s")
            yield op.allgatherv(10 * rank, comm="part")
            yield op.allgatherv(rank, comm="part")

    def alone(rank, ranks):
        if rank in inside:
            yield call(kind, name, rank - 1, sizes, comm="part")

    colors = [0 if rank in inside else 1 for rank in range(8)]
    alone_colors = [0 if rank in inside else -1 for rank in range(8)]
    first = run(together, 8, communicators={"part": colors})
    second = run(alone, 8, communicators={"part": alone_colors})

    assert first.rank_end[inside].tolist() == second.rank_end[inside].tolist()


def test_every_call_takes_the_sizes_of_its_own_pass():
    """Ranks that fold their calls differently still meet in the same call; the defaults are the algorithms named."""

    def program(rank, ranks):
        for step in range(6):
            yield op.allgatherv(1000 if rank else 1000 * (step + 1))
            yield op.gatherv(rank * 10, root=step % ranks)

    def spelt(rank, ranks):
        for step in range(6):
            yield op.allgatherv(1000 if rank else 1000 * (step + 1), algorithm="bruck")
            yield op.gatherv(rank * 10, root=step % ranks, algorithm="direct")

    one, two = run(program, 3), run(spelt, 3)

    assert one.messages == two.messages
    assert one.rank_end.tolist() == two.rank_end.tolist()


def test_the_nodes_of_a_group_decide_the_chain_of_a_broadcast():
    def program(rank, ranks):
        yield op.bcast("4 MiB", comm="halves", algorithm="smp-pipelined")
        yield op.bcast("4 MiB")

    machine = star(node=node(2, sockets=1, cpus=4), switch=SWITCH)
    application = Workload.from_program(
        program, 8, communicators={"halves": [0, 0, 0, 0, 1, 1, 1, 1]}
    ).applications[0]
    placement = machine.place(8)  # ranks 0, 2, 4, 6 on one node
    aware = run_application(
        application, machine, placement, collectives=book_of(application, None, placement.node)
    )
    blind = run_application(application, machine, placement, collectives=book_of(application))

    assert aware.rank_end.max() < blind.rank_end.max()
    assert aware.messages == blind.messages


def test_a_rule_decides_by_kind_size_and_group():
    choice = Choice.of(["allreduce=ring,bytes=64KiB..1MiB,ranks=8..", "bcast=virtual"])

    assert choice.pick("allreduce", 8, 1 << 16) == "ring"
    assert choice.pick("allreduce", 7, 1 << 16) == "rabenseifner"
    assert choice.pick("allreduce", 8, 100) == "recursive-doubling"
    assert choice.pick("bcast", 2, 1) == "virtual"


def test_virtual_collectives_cost_nothing_and_wait_for_the_last():
    def program(rank, ranks):
        yield op.compute(f"{rank + 1} ms")
        yield op.allreduce("100 MiB")
        yield op.gatherv(rank * 1000)

    machine = star(node=node(4), switch=SWITCH)
    application = Workload.from_program(program, 4).applications[0]
    result = run_application(
        application,
        machine,
        machine.place(4),
        collectives=book_of(application, Choice.of(["*=virtual"])),
    )

    assert result.messages == 0
    assert (result.rank_end // 10**9).tolist() == [4] * 4
