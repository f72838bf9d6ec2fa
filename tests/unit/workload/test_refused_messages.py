"""Every message sent is received: what has no other end is named."""

from refusals import accepted, refusal_of, refusal_of_body, written
from striate.workload.operations import barrier, compute, recv, send, sendrecv


def between(first, second):
    """Rank 0 does `first`, rank 1 does `second`, any other rank nothing."""
    return lambda rank, ranks: (first, second, *([()] * ranks))[rank]


def test_matched_messages_pass():
    accepted(between([send(1, 8), recv(1, 8)], [recv(0, 8), send(0, 8)]))


def test_a_send_that_nobody_receives_is_named():
    program = between([compute("1 ms"), send(1, 8, tag=3)], [])

    assert refusal_of(program) == (
        "unmatched messages from rank 0 to rank 1 with tag 3: 1 sent, 0 received - "
        "at rank 0, operation 1 (send) (app)"
    )


def test_a_receive_that_nobody_sends_to_is_named():
    program = between([], [compute("1 ms"), recv(0, 8, tag=3)])

    assert refusal_of(program) == (
        "unmatched messages from rank 0 to rank 1 with tag 3: 0 sent, 1 received - "
        "at rank 1, operation 1 (recv) (app)"
    )


def test_the_wrong_tag_is_a_receive_without_a_send():
    program = between([send(1, 8, tag=4)], [recv(0, 8, tag=5)])

    assert refusal_of(program) == (
        "unmatched messages from rank 0 to rank 1 with tag 5: 0 sent, 1 received - "
        "at rank 1, operation 0 (recv) (app)"
    )


def test_messages_are_counted_over_all_passes():
    program = between([send(1, 8) for _ in range(100)], [recv(0, 8, tag=0) for _ in range(99)])

    assert refusal_of(program) == (
        "unmatched messages from rank 0 to rank 1 with tag 0: 100 sent, 99 received - "
        "at rank 0, operation 0 (send) (app)"
    )


def test_one_end_of_a_sendrecv_may_be_the_odd_one():
    program = between([sendrecv(1, 8)], [send(0, 8, tag=0)])

    assert refusal_of(program) == (
        "unmatched messages from rank 0 to rank 1 with tag 0: 1 sent, 0 received - "
        "at rank 0, operation 0 (sendrecv) (app)"
    )


def test_messages_of_another_communicator_do_not_count():
    program = between([send(1, 8, comm="twin")], [recv(0, 8, tag=0)])

    assert refusal_of(program, communicators={"twin": [0, 0]}) == (
        "unmatched messages from rank 0 to rank 1 with tag 0: 0 sent, 1 received - "
        "at rank 1, operation 0 (recv) (app)"
    )


def test_a_message_larger_than_its_receive_is_named():
    program = between([send(1, 16, tag=0)], [recv(0, 8, tag=0)])

    assert refusal_of(program) == (
        "rank 0 sends a message of 16 bytes to rank 1, which receives messages of at most 8 bytes from rank 0 - "
        "at rank 0, operation 0 (send) (app)"
    )


def test_a_receive_without_a_size_takes_any_message():
    accepted(between([send(1, 2**40)], [recv(0)]))


def test_a_smaller_message_than_its_receive_passes():
    accepted(between([send(1, 8)], [recv(0, 16)]))


def test_a_receive_from_anyone_takes_what_exact_ones_leave():
    def gather(rank, ranks):
        if rank:
            yield send(0, 8, tag=rank)
        else:
            yield recv(2, 8, tag=2)
            for _ in range(ranks - 2):
                yield recv()

    accepted(gather, 5)


def test_one_receive_from_anyone_too_many_is_named():
    program = between([recv(tag=7), recv(tag=7)], [send(0, 8, tag=7)])

    assert refusal_of(program) == (
        "unmatched messages from any rank to rank 0 with tag 7: 1 sent, 2 received - "
        "at rank 0, operation 0 (recv) (app)"
    )


def test_a_receive_that_takes_anything_still_needs_a_message():
    program = between([recv(), recv()], [send(0, 8, tag=7)])

    assert refusal_of(program) == (
        "unmatched messages from any rank to rank 0 with any tag: 1 sent, 2 received - "
        "at rank 0, operation 0 (recv) (app)"
    )


def test_one_message_too_many_for_the_receives_from_anyone_is_named():
    program = between([recv()], [send(0, 8), send(0, 8)])

    assert refusal_of(program) == (
        "unmatched messages from rank 1 to rank 0 with tag 0: 2 sent, 0 received - "
        "at rank 1, operation 0 (send) (app)"
    )


def test_any_tag_from_a_known_rank_is_not_from_another():
    def program(rank, ranks):
        if rank == 0:
            yield recv(1)
        elif rank == 2:
            yield send(0, 8)

    assert refusal_of(program, 3) == (
        "unmatched messages from rank 1 to rank 0 with any tag: 0 sent, 1 received - "
        "at rank 0, operation 0 (recv) (app)"
    )


def test_a_ring_of_a_million_ranks_matches():
    def ring(body):
        with body.repeat(1000):
            body.isend((body.rank + 1) % body.ranks, 64)
            body.recv((body.rank - 1) % body.ranks, 64, tag=0)
            body.waitall()

    written(ring, ranks=1_000_000).check()


def test_one_wrong_rank_among_many_is_found():
    def ring(body):
        body.isend((body.rank + 1) % body.ranks, 64)
        body.recv((body.rank - 1 + (body.rank == 777)) % body.ranks, 64, tag=0)
        body.waitall()

    assert refusal_of_body(ring, ranks=10_000) == (
        "unmatched messages from rank 777 to rank 777 with tag 0: 0 sent, 1 received - "
        "at rank 777, operation 1 (recv) (app)"
    )


def test_moving_tags_are_compared_pass_by_pass():
    def swap(shift):
        def write(body):
            with body.repeat(10) as step:
                body.isend(1 - body.rank, 8, tag=step)
                body.recv(1 - body.rank, 8, tag=step + shift)
                body.waitall()

        return write

    written(swap(0), ranks=2).check()
    assert refusal_of_body(swap(1), ranks=2) == (
        "unmatched messages from rank 1 to rank 0 with tag 10: 0 sent, 1 received - "
        "at rank 0, operation 1 (recv) (app)"
    )


def test_collectives_are_no_messages():
    accepted(lambda rank, ranks: [barrier()], 5)


def test_a_million_million_moving_tags_match_without_being_followed():
    def swap(body):
        with body.repeat(10**12) as step:
            body.isend(1 - body.rank, 8, tag=step)
            body.recv(1 - body.rank, 8, tag=step)
            body.waitall()

    written(swap, ranks=2).check()


def test_tags_that_would_have_to_be_followed_for_ever_are_refused():
    def swap(body):
        with body.repeat(10**12) as step:
            body.isend(1 - body.rank, 8, tag=step)
            body.recv(1 - body.rank, 8)
            body.waitall()

    assert refusal_of_body(swap, ranks=2) == (
        "a peer, tag or size differs in too many iterations of a loop - at rank 0, operation 0 (send) (app)"
    )


def test_moving_peers_are_followed_pass_by_pass():
    """In pass i everyone sends to rank i, which receives from all; the last rank forgets to."""

    def scatter(receivers):
        def write(body):
            with body.repeat(4) as step:
                body.wait(body.write("f", size=8, blocking=False))
                body.send(step, 8)
            with body.only(body.rank < receivers), body.repeat(4):
                body.recv()

        return write

    written(scatter(4)).check()
    assert refusal_of_body(scatter(3)) == (
        "unmatched messages from rank 0 to rank 3 with tag 0: 1 sent, 0 received - "
        "at rank 0, operation 2 (send) (app)"
    )
