"""The finest rung: programs of messages packet by packet, collectives by the schedules written for them."""

import numpy as np
import pytest

from machines import SWITCH, node
from striate.cluster.builders import star
from striate.collectives import plan
from striate.collectives.book import (
    ENGINE_COMPUTE,
    ENGINE_RECV,
    ENGINE_SEND,
    ENGINE_WAIT,
    book_of,
    write_book,
)
from striate.errors import PredictionError
from striate.ladder import predict
from striate.workload import Workload
from striate.workload import operations as op
from striate.workload.kinds import Kind


def cluster(nodes=4):
    return star(node=node(nodes), switch=SWITCH)


def workload(program, ranks=4, **more):
    return Workload.from_program(program, ranks, **more)


def test_a_broadcast_becomes_sends_receives_and_waits_for_every_member():
    book = write_book([((Kind.BCAST, 3, 0, 100), plan("bcast", 3, 100, name="binomial"))])

    lists = [
        [
            (int(book.action[at]), int(book.peer[at]), int(book.amount[at]))
            for at in range(book.first_action[member], book.first_action[member + 1])
        ]
        for member in range(3)
    ]
    sends = [[step[1] for step in actions if step[0] == ENGINE_SEND] for actions in lists]
    receives = [[step[1] for step in actions if step[0] == ENGINE_RECV] for actions in lists]
    assert sorted(sends[0]) == [1, 2]
    assert receives[1:] == [[0], [0]]
    assert all(actions[-1][0] == ENGINE_WAIT for actions in lists)
    assert all(amount == 100 for actions in lists for what, _, amount in actions if what == ENGINE_SEND)


def test_the_computation_of_a_reduction_comes_before_the_step_it_belongs_to():
    schedule = plan("reduce", 4, 1000, name="binomial")
    book = write_book([((Kind.REDUCE, 4, 0, 1000), schedule)])

    computed = book.amount[book.action == ENGINE_COMPUTE]
    assert computed.tolist() == schedule.instructions[schedule.instructions > 0].tolist()


def test_a_call_is_written_once_however_often_it_is_made():
    def program(rank, ranks):
        for _ in range(5):
            yield op.allreduce(8)
            yield op.barrier()
            yield op.bcast("1 KiB", root=2)

    book = book_of(workload(program).applications[0])

    assert sorted(book.kind.tolist()) == [Kind.BARRIER, Kind.BCAST, Kind.ALLREDUCE]
    assert sorted(zip(book.members.tolist(), book.root.tolist(), book.bytes.tolist(), strict=True)) == [
        (4, 0, 0),
        (4, 0, 8),
        (4, 2, 1024),
    ]


def test_groups_of_different_sizes_have_schedules_of_their_own():
    def program(rank, ranks):
        yield op.bcast(64, comm="parts")

    book = book_of(workload(program, 5, communicators={"parts": [0, 0, 0, 1, 1]}).applications[0])

    assert sorted(book.members.tolist()) == [2, 3]


def test_every_collective_that_is_played_ends_on_any_number_of_ranks():
    def program(rank, ranks):
        for size in (0, 8, 5000, 300_000):
            yield op.bcast(size, root=ranks - 1)
            yield op.reduce(size)
            yield op.allreduce(size)
            yield op.gather(size)
            yield op.scatter(size, root=ranks // 2)
            yield op.allgather(size)
            yield op.alltoall(size)
            yield op.scan(size)
        yield op.barrier()

    for ranks in (1, 2, 3, 5, 8):
        forecast = predict(workload(program, ranks), cluster(8), rung="fine")
        assert forecast.rung == "fine"
        assert forecast.bounds.width == 0


def test_the_ladder_reaches_the_fine_rung_when_the_first_is_too_wide():
    def program(rank, ranks):
        yield op.compute("1 ms")
        yield op.sendrecv((rank + 1) % ranks, "1 MiB", source=(rank - 1) % ranks)

    forecast = predict(workload(program), cluster(), within=0.05)

    climbed = [answer.rung for answer in forecast.answers]
    assert climbed == ["resource", "macro-rr", "macro-queue", "micro", "fine"]
    assert forecast.reached
    assert {use.kind for use in forecast.uses} == {"node", "component", "link"}


def test_more_bytes_never_arrive_earlier():
    def program(size):
        def sends(rank, ranks):
            yield op.bcast(size)

        return sends

    times = [
        predict(workload(program(size)), cluster(), rung="fine").seconds.estimate
        for size in (0, 10**3, 10**5, 10**6)
    ]

    assert times == sorted(times)


@pytest.mark.parametrize("asked", [{"rung": "fine"}, {"rung": "resource"}, {"within": 1e-9}])
def test_an_unknown_algorithm_is_refused_by_every_rung(asked):
    def program(rank, ranks):
        yield op.gatherv(10, algorithm="telepathy")

    load = workload(program)
    message = "expected an algorithm among binomial, direct for gatherv, got 'telepathy'"
    with pytest.raises(PredictionError, match=message):
        predict(load, "westmere", **asked)


def test_files_are_played_through_the_servers_and_the_work_after_the_end_is_told():
    def program(rank, ranks):
        yield op.write("f", offset=rank * 10**6, size=10**6)

    forecast = predict(workload(program), "westmere", rung="fine")

    # 1 MB over a 75.4 MB/s uplink takes 13.3 ms at least, and less than a second with all the waiting
    assert 0.0133 < forecast.seconds.estimate < 1
    assert any("disk jobs" in note for note in forecast.notes)
    assert any("go on writing" in note for note in forecast.notes)


def test_the_same_program_gives_the_same_picosecond():
    def program(rank, ranks):
        for _ in range(3):
            yield op.alltoall("100 KiB")

    first, second = (predict(workload(program), cluster(), rung="fine") for _ in range(2))

    assert np.float64(first.seconds.estimate).tobytes() == np.float64(second.seconds.estimate).tobytes()


def test_a_run_that_would_cost_too_much_is_not_begun_and_says_so():
    def program(rank, ranks):
        for _ in range(1000):
            yield op.alltoall("100 MB")

    forecast = predict(workload(program), cluster(), within=1e-9, budget="1 s")

    assert forecast.rung != "fine"
    assert not forecast.reached
    assert any("fine would take about" in note for note in forecast.notes)
