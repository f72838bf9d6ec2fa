"""What does not fit is refused by name, before anything is played."""

import re

import pytest

import striate
from striate.errors import MessageTooLargeError
from striate.rungs import memory as room
from striate.workload import Spmd, Workload
from striate.workload import operations as op
from striate.workload.merge import merged

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

    with pytest.raises(room.NotEnoughMemoryError, match=r"2 ranks .* take about .*, and 1,000 B are free"):
        striate.predict(transfer(10), "westmere", rung="fine")


def test_the_ladder_goes_without_a_rung_that_has_no_room(monkeypatch):
    monkeypatch.setattr(room, "bytes_free", lambda: 1000)

    assert striate.predict(transfer(10), "westmere").rung != "fine"


def test_the_estimate_grows_with_ranks_and_with_the_messages_of_a_collective():
    cluster = striate.load_cluster("lustre-64")

    def needed(ranks, call):
        body = Spmd(ranks=ranks, name="call")
        getattr(body, call)(8)
        return room.bytes_needed(merged(body.workload().applications), cluster)

    assert needed(2000, "allreduce") > needed(1000, "allreduce") > 1000 * room.BYTES_A_RANK
    assert needed(1000, "alltoall") > 10 * needed(1000, "allreduce")


def test_this_computer_says_what_is_free():
    assert room.bytes_free() is None or room.bytes_free() > 0
