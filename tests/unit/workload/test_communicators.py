"""Communicators are colours: equal ones communicate, ranks count within their group."""

import numpy as np
import pytest

from striate.errors import WorkloadError
from striate.workload import Communicator, Workload
from striate.workload.application import Groups
from striate.workload.operations import allreduce, bcast, recv, send, sendrecv

# A mesh of 3 rows and 4 columns; rank = 4 * row + column.
ROWS, COLUMNS = 3, 4
MESH = {
    "rows": [rank // COLUMNS for rank in range(ROWS * COLUMNS)],
    "columns": [rank % COLUMNS for rank in range(ROWS * COLUMNS)],
}


def members(groups):
    return [
        groups.member[start:end].tolist() for start, end in zip(groups.first, groups.first[1:], strict=False)
    ]


def test_rows_and_columns_of_a_mesh():
    application = Workload.from_program(lambda rank, ranks: (), 12, communicators=MESH).applications[0]
    world, rows, columns = (application.groups(number) for number in range(3))

    assert members(world) == [list(range(12))]
    assert members(rows) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert members(columns) == [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]
    assert columns.position.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert columns.size(np.array([0, 5])).tolist() == [3, 3]
    assert columns.world(np.array([0, 5]), 2).tolist() == [8, 9]


def test_a_key_orders_the_ranks_of_a_group():
    backwards = Communicator("back", np.zeros(4, np.int64), np.array([3, 2, 1, 0]))

    assert members(Groups.of(backwards, 4)) == [[3, 2, 1, 0]]


def test_equal_keys_fall_back_to_the_rank():
    alike = Communicator("alike", np.array([1, 0, 1, 0]), np.zeros(4, np.int64))

    assert members(Groups.of(alike, 4)) == [[1, 3], [0, 2]]


def test_negative_colours_stay_outside():
    groups = Groups.of(Communicator("some", np.array([-1, 7, -3, 7])), 4)

    assert groups.group.tolist() == [-1, 0, -1, 0]
    assert members(groups) == [[1, 3]]
    assert groups.size(np.arange(4)).tolist() == [0, 2, 0, 2]


def test_peers_and_roots_count_within_the_group():
    """Each row passes a message along; each column broadcasts from its last rank."""

    def mesh(rank, ranks):
        column = rank % COLUMNS
        if column < COLUMNS - 1:
            yield send(column + 1, 8, comm="rows")
        if column > 0:
            yield recv(column - 1, 8, comm="rows")
        yield bcast("1 KiB", root=ROWS - 1, comm="columns")
        yield allreduce(8, comm="rows")

    Workload.from_program(mesh, 12, communicators=MESH).check()


def test_a_peer_of_the_world_is_not_one_of_the_row():
    program = lambda rank, ranks: [sendrecv(4, 8, comm="rows")]  # noqa: E731

    with pytest.raises(WorkloadError) as refusal:
        Workload.from_program(program, 12, name="mesh", communicators=MESH).check()

    assert str(refusal.value) == "no rank 4 in communicator 'rows' - at rank 0, operation 0 (sendrecv) (mesh)"


def test_messages_match_by_world_rank_across_groups():
    """Position 1 of column 0 is rank 4; a message to position 1 of row 0 goes to rank 1 instead."""

    def crossed(rank, ranks):
        if rank == 0:
            yield send(1, 8, comm="rows")
        if rank == 4:
            yield recv(0, 8, tag=0, comm="columns")

    with pytest.raises(WorkloadError) as refusal:
        Workload.from_program(crossed, 12, name="mesh", communicators=MESH).check()

    assert str(refusal.value) == (
        "unmatched messages from rank 0 to rank 4 with tag 0: 0 sent, 1 received - "
        "at rank 4, operation 0 (recv) (mesh)"
    )


def test_applications_have_worlds_of_their_own():
    """Two programs of two ranks at once: rank 1 is a peer in each of them, rank 2 in none."""
    swap = Workload.from_program(lambda rank, ranks: [sendrecv(1 - rank, 8)], 2, name="swap")
    lost = Workload.from_program(lambda rank, ranks: [sendrecv(2, 8)], 2, name="lost")
    both = Workload.together(swap, swap)
    both.check()

    assert both.ranks == 4
    assert repr(both) == "Workload(swap (2 ranks, 1 rows), swap (2 ranks, 1 rows))"
    with pytest.raises(WorkloadError, match=r"^no rank 2 .* \(lost\)$"):
        Workload.together(swap, lost).check()


def test_file_numbers_have_names():
    from striate.workload import Spmd

    body = Spmd(3)
    own = body.files("state.{}", per_rank=True)
    body.write("log", size=8)
    body.write(own, size=8)
    application = body.application()

    assert [application.file_name(number) for number in range(4)] == ["state.0", "state.1", "state.2", "log"]
    with pytest.raises(
        WorkloadError, match="expected a file number below 4, the number of files of the program, got 4"
    ):
        application.file_name(4)
