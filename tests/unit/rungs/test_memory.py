"""What does not fit is refused by name, before anything is played."""

import re
from dataclasses import replace
from functools import partial

import msgspec
import pytest

import memory_programs
import striate
from memory_measured import KIB, PROGRAMS, measured
from striate.collectives.choice import Choice
from striate.errors import MessageTooLargeError
from striate.rungs.memory import fit as room
from striate.rungs.memory.estimate import Estimate, bytes_needed
from striate.rungs.memory.machine import FileTraits
from striate.workload import Spmd, Workload
from striate.workload import operations as op
from striate.workload.transforms.merge import merged

GB = 10**9


def transfer(size, receiver=None):
    def program(rank, ranks):
        if rank == 0:
            yield op.send(1, size)
        else:
            yield op.recv(0, size if receiver is None else receiver)

    return Workload.from_program(program, ranks=2, name="transfer")


def test_a_message_larger_than_a_node_is_refused_with_who_and_where():
    with pytest.raises(MessageTooLargeError) as caught:
        striate.predict(transfer(64 * GB), "westmere", rung="fine")

    text = str(caught.value)
    assert re.search(
        r"rank 0, operation 0 \(send\): .* do not fit into the memory of node 0, which has ", text
    )
    assert "\n" not in text


def test_a_message_that_fits_is_played():
    assert striate.predict(transfer(1 * GB), "westmere", rung="fine").seconds.estimate > 1


def test_what_grows_in_a_loop_counts_at_its_largest():
    body = Spmd(ranks=2, name="growing")
    with body.repeat(100) as step:
        body.bcast(step * GB)

    with pytest.raises(MessageTooLargeError, match=r"\(bcast\)"):
        room.expect_messages_fit(body.workload(), striate.load_cluster("westmere"))


@pytest.mark.parametrize("rung", [None, "resource", "micro"])
def test_every_rung_refuses_a_message_without_room(rung):
    with pytest.raises(MessageTooLargeError, match=r"rank 0, operation 0 \(send\): .* do not fit"):
        striate.predict(transfer(100 * GB), "westmere", rung=rung)


def test_of_two_applications_the_one_with_the_large_message_is_named():
    both = striate.Workload.together(transfer(10), transfer(100 * GB))

    with pytest.raises(MessageTooLargeError, match="node 2, which has"):
        striate.predict(both, "westmere")


def test_a_run_without_room_is_refused_with_the_estimate(monkeypatch):
    monkeypatch.setattr(room, "bytes_free", lambda: 1000)

    with pytest.raises(
        room.NotEnoughMemoryError, match=r"2 ranks .* takes about .*, but only 1,000 B are free"
    ):
        striate.predict(transfer(10), "westmere", rung="fine")


def test_the_ladder_goes_without_a_rung_that_has_no_room(monkeypatch):
    monkeypatch.setattr(room, "bytes_free", lambda: 1000)

    assert striate.predict(transfer(10), "westmere").rung != "fine"


@pytest.mark.parametrize(
    "name",
    [
        "many small writes at once",
        "writes over all servers at once",
        "write behind in small packets",
        "two phase writes",
        "many long messages at once",
        "alltoall of large blocks",
        "writes through forwarders",
    ],
)
def test_the_estimate_lies_within_a_factor_of_two(name):
    """verification/memory.py tries all of `memory_programs`."""
    found = measured(name, memory_programs.__file__)

    assert found.used > 50 * 2**20
    assert 0.5 <= found.ratio <= 2, found


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_all_operations_at_once_take_no_less_than_is_estimated(name):
    case = PROGRAMS[name]()
    needs = partial(bytes_needed, merged(case.workload.applications), case.cluster)

    assert needs(at_once=True, timeline_bytes=case.timeline_bytes) >= needs(
        timeline_bytes=case.timeline_bytes
    )


def test_the_walk_decides_where_all_at_once_would_not_fit(monkeypatch):
    case = PROGRAMS["write behind between syncs"]()
    application = merged(case.workload.applications)
    walked = bytes_needed(application, case.cluster)
    assert walked < bytes_needed(application, case.cluster, at_once=True)

    monkeypatch.setattr(room, "bytes_free", lambda: walked)
    room.expect_room(application, case.cluster)
    monkeypatch.setattr(room, "bytes_free", lambda: walked - 1)
    with pytest.raises(room.NotEnoughMemoryError):
        room.expect_room(application, case.cluster)


def test_what_is_awaited_is_no_longer_held():
    """100 writes, at once and one by one: the estimate follows what is in flight, loops folded or not."""
    cluster = striate.load_cluster("westmere")

    def held(passes, times, fold):
        body = Spmd(16, name="writes")
        with body.repeat(passes) as step:
            if fold:
                with body.repeat(times) as at:
                    body.write("data", offset=(step * times + at) * 64 * KIB, size=64 * KIB, blocking=False)
            for at in range(0 if fold else times):
                body.write("data", offset=(step * times + at) * 64 * KIB, size=64 * KIB, blocking=False)
            body.waitall()
        estimate = Estimate.of(merged(body.workload().applications), cluster, Choice())
        return estimate.parts()["operations in flight"]

    one = held(100, 1, True)
    assert held(1, 100, True) == pytest.approx(100 * one, rel=0.1)
    assert held(10, 10, True) == pytest.approx(10 * one, rel=0.1)
    assert held(10, 10, False) == pytest.approx(10 * one, rel=0.1)


@pytest.mark.parametrize("aggregators", ["stripes", "stripes x 2", "nodes", 3])
def test_aggregators_are_counted_as_the_engine_counts_them(aggregators):
    """A machine with aggregators per stripe was a KeyError."""
    cluster = striate.load_cluster("westmere")
    settings = msgspec.structs.replace(cluster.settings, aggregators=aggregators, collective="two-phase")
    traits = FileTraits.of(_collective_write().applications[0], replace(cluster, settings=settings))

    assert traits.aggregators.tolist() == [{"stripes": 10, "stripes x 2": 20, "nodes": 4, 3: 3}[aggregators]]


def _collective_write():
    body = Spmd(4, name="writes")
    body.write_all("data", offset=body.rank * 64 * KIB, size=64 * KIB)
    return body.workload()


def test_this_computer_says_what_is_free():
    assert room.bytes_free() is None or room.bytes_free() > 0
