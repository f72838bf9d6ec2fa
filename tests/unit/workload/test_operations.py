"""Every verb says what it was told: kind, operands, communicator, blocking or not."""

import pytest

from retold import retold, told
from striate.errors import UnitError, WorkloadError
from striate.units import MiB
from striate.workload import Workload, operations
from striate.workload.kinds import (
    ANY,
    BLOCKING,
    COLLECTIVES,
    DEFAULT_ALGORITHM,
    NO_COUNTS,
    NO_EXTENTS,
    OPERANDS,
    Kind,
)
from striate.workload.operations import (
    PENDING,
    Operation,
    alltoallv,
    barrier,
    close_file,
    compute,
    delete_file,
    irecv,
    isend,
    open_file,
    recv,
    region_begin,
    region_end,
    send,
    sendrecv,
    stat_file,
    sync_file,
    wait,
    waitall,
    write,
)


def said(operation: Operation) -> dict[str, object]:
    return dict(zip(OPERANDS[operation.kind], operation.operands, strict=True))


def test_compute_takes_a_time_or_instructions_or_both():
    assert said(compute("12 ms")) == {"picoseconds": 12 * 10**9, "instructions": 0}
    assert said(compute(0.5)) == {"picoseconds": 5 * 10**11, "instructions": 0}
    assert said(compute(instructions="2.66 G")) == {"picoseconds": 0, "instructions": 2_660_000_000}
    assert said(compute("1 us", instructions=7)) == {"picoseconds": 10**6, "instructions": 7}


def test_messages_name_peer_tag_and_size():
    assert said(send(3, "64 KiB")) == {"peer": 3, "tag": 0, "bytes": 65536, "request": BLOCKING}
    assert said(recv()) == {"peer": ANY, "tag": ANY, "bytes": 0, "request": BLOCKING}
    assert said(recv(2, 10, tag=5)) == {"peer": 2, "tag": 5, "bytes": 10, "request": BLOCKING}
    assert isend(3, 8).is_pending
    assert irecv(3, 8).is_pending
    assert not send(3, 8).is_pending


def test_sendrecv_swaps_with_one_peer_unless_told_otherwise():
    swap = {"peer": 1, "tag": 4, "bytes": 8, "source": 1, "source_tag": 4, "source_bytes": 8}
    shift = {"peer": 1, "tag": 4, "bytes": 8, "source": 2, "source_tag": 5, "source_bytes": 16}

    assert said(sendrecv(1, 8, tag=4)) == swap
    assert said(sendrecv(1, 8, tag=4, source=2, source_tag=5, receive_size=16)) == shift


ROOTED = ["bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"]
UNROOTED = ["allreduce", "allgather", "allgatherv", "alltoall", "scan", "exscan", "reduce_scatter"]


@pytest.mark.parametrize("verb", ROOTED)
def test_rooted_collectives_name_their_root(verb):
    call = getattr(operations, verb)("1 KiB", root=2, comm="rows")

    assert call.kind.label == verb
    assert said(call) == {"bytes": 1024, "root": 2, "algorithm": DEFAULT_ALGORITHM, "request": BLOCKING}
    assert call.communicator == "rows"


@pytest.mark.parametrize("verb", UNROOTED)
def test_other_collectives_name_their_size_alone(verb):
    call = getattr(operations, verb)("1 KiB")

    assert call.kind.label == verb
    counts = {"counts": NO_COUNTS} if verb == "reduce_scatter" else {}
    assert said(call) == {"bytes": 1024, **counts, "algorithm": DEFAULT_ALGORITHM, "request": BLOCKING}


@pytest.mark.parametrize("verb", [*ROOTED, *UNROOTED, "read_all", "write_all"])
def test_every_collective_has_a_non_blocking_form(verb):
    make = getattr(operations, verb)
    call = make("f", blocking=False) if verb.endswith("_all") else make(8, blocking=False)

    assert call.kind in COLLECTIVES
    assert call.is_pending


def test_barriers_and_alltoallv():
    call = alltoallv(["1 KiB", 3])

    assert said(barrier()) == {"algorithm": DEFAULT_ALGORITHM, "request": BLOCKING}
    assert barrier(blocking=False).is_pending
    assert call.operands[0] == 1027
    assert call.operands[1].tolist() == [1024, 3]


def test_a_reduce_scatter_is_cut_evenly_or_as_told():
    call = operations.reduce_scatter(["1 KiB", 3, 0], algorithm="pairwise")

    assert call.operands[0] == 1027
    assert call.operands[1].tolist() == [1024, 3, 0]
    assert call.operands[2] == "pairwise"


@pytest.mark.parametrize("verb", ["read", "write", "read_all", "write_all"])
def test_an_access_is_blocks_or_byte_runs(verb):
    access = getattr(operations, verb)
    blocks = said(access("f", offset="1 MiB", size=100, count=4, stride="1 KiB"))
    runs = said(access("f", offset=5, extents=([0, 100], [10, 20])))

    assert blocks == {
        "file": "f",
        "offset": MiB,
        "bytes": 100,
        "count": 4,
        "stride": 1024,
        "extents": NO_EXTENTS,
        "request": BLOCKING,
    }
    assert (runs["offset"], runs["bytes"], runs["count"]) == (5, 30, 1)  # 10 + 20 bytes
    assert (runs["extents"].offsets.tolist(), runs["extents"].sizes.tolist()) == ([0, 100], [10, 20])


def test_files_are_opened_closed_and_more():
    assert said(open_file("f", create=True)) == {"file": "f", "create": 1}
    kinds = [verb("f").kind for verb in (close_file, stat_file, sync_file, delete_file)]
    assert kinds == [Kind.CLOSE, Kind.STAT, Kind.SYNC, Kind.ERASE]
    assert Kind.ERASE.label == "delete"


def test_every_kind_but_the_loop_marks_has_a_verb():
    """One operation of each kind passes through a program and comes out of its text unchanged."""
    pending = isend(0, 8)
    program = [
        compute("1 ms"),
        region_begin("all"),
        *(getattr(operations, verb)(8) for verb in [*ROOTED, *UNROOTED]),
        *(getattr(operations, verb)("f", size=8) for verb in ("read", "write", "read_all", "write_all")),
        alltoallv([8]),
        barrier(),
        open_file("f"),
        stat_file("f"),
        sync_file("f"),
        close_file("f"),
        delete_file("f"),
        pending,
        operations.issend(0, 8),
        recv(0, 8),
        recv(0, 8),
        operations.test(pending),
        operations.testany([pending]),
        wait(pending),
        *(getattr(operations, verb)(0, 8) for verb in ("put", "get", "accumulate")),
        operations.win_lock(0),
        operations.win_unlock(0),
        operations.win_flush(),
        send(0, 8),
        sendrecv(0, 8),
        recv(0, 8),
        waitall(),
        region_end("all"),
    ]
    workload = Workload.from_program(lambda rank, ranks: program, 1)
    workload.check()

    marks = {Kind.LOOP, Kind.END, Kind.OFFER}  # an offer is part of a waitany
    assert {operation.kind for operation in program} == set(Kind) - marks
    assert retold(workload.applications[0], 0) == told(program)


def test_waitall_of_a_list_waits_for_each_of_them():
    first, second = isend(0, 8), irecv(0, 8)

    assert waitall([first, second]).awaited == (first, second)
    assert waitall().kind is Kind.WAITALL
    assert said(waitall([first])) == {"request": PENDING}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: write("f", extents=([0, 10], [5])),
            "expected as many offsets as lengths, got 2 offsets and 1 lengths",
        ),
        (
            lambda: write("f", extents=([0, 1.5], [5, 5])),
            "expected whole numbers below 2^63 as offsets, got [0, 1.5]",
        ),
        (
            lambda: write("f", extents=([0], [-5])),
            "expected lengths in bytes of at least 0, with a sum below 2^63, got [-5]",
        ),
        (
            lambda: write("f", extents=([2**63], [1])),
            "expected whole numbers below 2^63 as offsets, got [9223372036854775808]",
        ),
        (
            lambda: alltoallv([-5, 10]),
            "expected sizes in bytes of at least 0, with a sum below 2^63, got [-5, 10]",
        ),
        (lambda: alltoallv([2.5]), "expected whole numbers below 2^63 as sizes, got [2.5]"),
        (
            lambda: alltoallv([2**62] * 2),
            "expected sizes in bytes of at least 0, with a sum below 2^63, got "
            "[4611686018427387904, 4611686018427387904]",
        ),
        (
            lambda: compute(None),
            "expected a time such as '12 ms' or an array of seconds, got None",
        ),
    ],
)
def test_a_verb_refuses_what_it_cannot_say(make, message):
    with pytest.raises(WorkloadError) as refusal:
        make()

    assert str(refusal.value) == message


@pytest.mark.parametrize("make", [lambda: compute("fast"), lambda: compute(-1), lambda: send(0, "much")])
def test_a_quantity_that_is_none_is_a_unit_error(make):
    with pytest.raises(UnitError):
        make()
