"""Collective schedules deliver what MPI demands, whatever the group, the root and the sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.collectives import (
    ALGORITHMS,
    SEND,
    CollectiveSchedule,
    ScheduleError,
    choose,
    deliver,
    join,
    plan,
)
from striate.collectives.draft import ScheduleDraft, recv, send
from striate.collectives.registry import KINDS, ROOTED, names_of
from striate.collectives.schedule import arrange
from striate.collectives.shapes import Fold, edges, extent, parent, split

groups = st.integers(1, 23)
sizes = st.sampled_from([0, 1, 7, 1024, 3_000_000])


def names(kind: str) -> list[str]:
    return [name for of, name in ALGORITHMS if of == kind]


def pieces_sent(schedule: CollectiveSchedule) -> set[int]:
    """All pieces that occur in any message."""
    assert schedule.carries is not None
    rank = schedule.rank_of_action
    found = set()
    for at in np.flatnonzero(schedule.action == SEND):
        found.update(schedule.carries(int(rank[at]), int(schedule.peer[at]), int(schedule.tag[at])))
    return found


def assert_bytes_fit(schedule: CollectiveSchedule, piece_bytes) -> None:
    """Every message is as long as the pieces it carries."""
    rank = schedule.rank_of_action
    for at in np.flatnonzero(schedule.action == SEND):
        pieces = schedule.carries(int(rank[at]), int(schedule.peer[at]), int(schedule.tag[at]))
        assert schedule.bytes[at] == sum(int(piece_bytes[piece]) for piece in pieces)


def turned(size: int, root: int) -> list[int]:
    """Ranks in the order in which they follow the root."""
    return [(root + step) % size for step in range(size)]


def part_sizes(size: int, scale: int) -> np.ndarray:
    return (np.arange(size, dtype=np.int64) % 5) * scale


@pytest.mark.parametrize("name", names("bcast"))
@given(groups, st.integers(0, 22), sizes)
def test_broadcast_reaches_everyone_from_any_root(name, size, root, size_bytes):
    root %= size
    schedule = plan("bcast", size, size_bytes, name=name, root=root).check()
    pieces = pieces_sent(schedule)
    start = [{piece: frozenset([root]) for piece in pieces} if rank == root else {} for rank in range(size)]

    assert all(set(held) == pieces for held in deliver(schedule, start))


@given(groups, sizes)
def test_a_pipelined_broadcast_sends_every_byte_once_to_each_rank(size, size_bytes):
    schedule = plan("bcast", size, size_bytes, name="pipelined", block_bytes=1000)

    assert schedule.bytes[schedule.action == SEND].sum() == size_bytes * (size - 1)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20), st.integers(0, 19))
def test_an_smp_aware_chain_enters_every_node_once(nodes, root):
    root %= len(nodes)
    schedule = plan("bcast", len(nodes), 10, name="smp-pipelined", root=root, nodes=nodes).check()
    sends = schedule.action == SEND
    crossing = [
        nodes[a] != nodes[b]
        for a, b in zip(schedule.rank_of_action[sends], schedule.peer[sends], strict=True)
    ]

    assert sum(crossing) == len(set(nodes)) - 1


@pytest.mark.parametrize("name", names("scatter"))
@given(groups, st.integers(0, 22), sizes)
def test_scatter_gives_each_rank_its_part(name, size, root, scale):
    root %= size
    parts = part_sizes(size, scale)
    schedule = plan("scatter", size, parts, name=name, root=root).check()
    start = [
        {piece: frozenset([root]) for piece in range(size)} if rank == root else {} for rank in range(size)
    ]
    held = deliver(schedule, start)

    assert all(piece in held[rank] for piece, rank in enumerate(turned(size, root)))
    assert_bytes_fit(schedule, parts[turned(size, root)])


@pytest.mark.parametrize("name", names("gather"))
@given(groups, st.integers(0, 22), sizes)
def test_gather_brings_every_part_to_the_root(name, size, root, scale):
    root %= size
    parts = part_sizes(size, scale)
    schedule = plan("gather", size, parts, name=name, root=root).check()
    start = [{(rank - root) % size: frozenset([rank])} for rank in range(size)]

    assert set(deliver(schedule, start)[root]) == set(range(size))
    assert_bytes_fit(schedule, parts[turned(size, root)])


@pytest.mark.parametrize("name", names("allgather"))
@given(groups, sizes)
def test_allgather_brings_every_part_to_everyone(name, size, scale):
    parts = part_sizes(size, scale)
    schedule = plan("allgather", size, parts, name=name).check()
    held = deliver(schedule, [{rank: frozenset([rank])} for rank in range(size)])

    assert all(set(pieces) == set(range(size)) for pieces in held)
    assert_bytes_fit(schedule, parts)


@pytest.mark.parametrize("name", names("alltoall"))
@given(groups, sizes)
def test_alltoall_brings_every_block_to_its_target(name, size, scale):
    blocks = (np.arange(size * size, dtype=np.int64).reshape(size, size) % 7) * scale
    schedule = plan("alltoall", size, blocks, name=name).check()
    held = deliver(schedule, [{s * size + t: frozenset([s]) for t in range(size)} for s in range(size)])

    assert all(s * size + t in held[t] for s in range(size) for t in range(size))
    assert_bytes_fit(schedule, blocks.ravel())


def reduced(schedule: CollectiveSchedule, pieces: int) -> list[dict[int, frozenset[int]]]:
    """What ranks hold after a reduction over vectors of `pieces` parts."""
    start = [{piece: frozenset([rank]) for piece in range(pieces)} for rank in range(schedule.size)]
    return deliver(schedule.check(), start)


@pytest.mark.parametrize("name", names("reduce"))
@given(groups, st.integers(0, 22), sizes)
def test_reduce_counts_every_contribution_once_at_the_root(name, size, root, size_bytes):
    root %= size
    pieces = Fold(size).power if name == "scatter-gather" else 1
    schedule = plan("reduce", size, size_bytes, name=name, root=root)
    held = reduced(schedule, pieces)[root]

    assert all(held[piece] == frozenset(range(size)) for piece in range(pieces))
    assert_bytes_fit(schedule, split(size_bytes, pieces))


@pytest.mark.parametrize("name", names("allreduce"))
@given(groups, sizes)
def test_allreduce_counts_every_contribution_once_everywhere(name, size, size_bytes):
    pieces = {
        "rabenseifner": Fold(size).power,
        "smp-rabenseifner": Fold(size).power,  # every rank alone on its node
        "ring": size,
    }.get(name, 1)
    schedule = plan("allreduce", size, size_bytes, name=name)

    for held in reduced(schedule, pieces):
        assert all(held[piece] == frozenset(range(size)) for piece in range(pieces))
    assert_bytes_fit(schedule, split(size_bytes, pieces))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), sizes)
def test_an_smp_aware_allreduce_combines_inside_nodes_first(nodes, size_bytes):
    pieces = Fold(len(set(nodes))).power
    schedule = plan("allreduce", len(nodes), size_bytes, name="smp-rabenseifner", nodes=nodes).check()

    for held in reduced(schedule, pieces):
        assert all(held[piece] == frozenset(range(len(nodes))) for piece in range(pieces))
    assert_bytes_fit(schedule, split(size_bytes, pieces))
    sends = schedule.action == SEND
    crossing = sum(
        size
        for a, b, size in zip(
            schedule.rank_of_action[sends].tolist(),
            schedule.peer[sends].tolist(),
            schedule.bytes[sends].tolist(),
            strict=True,
        )
        if nodes[a] != nodes[b]
    )
    alone = plan("allreduce", len(set(nodes)), size_bytes, name="rabenseifner")
    assert crossing == alone.bytes[alone.action == SEND].sum()


@pytest.mark.parametrize("name", names("reduce_scatter"))
@given(groups, sizes)
def test_reduce_scatter_completes_each_rank_own_part(name, size, scale):
    parts = part_sizes(size, scale)
    schedule = plan("reduce_scatter", size, parts, name=name)
    held = reduced(schedule, size)

    assert all(held[rank][rank] == frozenset(range(size)) for rank in range(size))
    assert_bytes_fit(schedule, parts)


@pytest.mark.parametrize("name", names("scan"))
@given(groups, sizes)
def test_scan_combines_the_ranks_up_to_this_one(name, size, size_bytes):
    held = reduced(plan("scan", size, size_bytes, name=name), 1)

    assert all(held[rank][0] == frozenset(range(rank + 1)) for rank in range(size))


@pytest.mark.parametrize("name", names("barrier"))
@given(groups)
def test_no_rank_leaves_a_barrier_before_it_has_heard_of_all(name, size):
    schedule = plan("barrier", size, name=name).check()
    held = deliver(schedule, [{rank: frozenset([rank])} for rank in range(size)])

    assert all(set(known) == set(range(size)) for known in held)


@pytest.mark.parametrize(("kind", "name"), [key for key in ALGORITHMS if key[0].startswith("all")])
def test_reductions_combine_as_many_bytes_as_they_must(kind, name):
    schedule = plan(kind, 8, 8000, name=name)
    # Combining n vectors of m bytes takes at least (n - 1) m byte operations over all ranks.
    assert (schedule.instructions.sum() >= 7 * 8000) == (kind == "allreduce")


@given(groups, st.sampled_from([0, 100, 5000, 10**6, 10**8]), st.sampled_from(sorted(KINDS)))
def test_the_default_exists_and_fits_every_group(size, size_bytes, kind):
    assert choose(kind, size, size_bytes) in names_of(kind)
    assert plan(kind, size, size_bytes).check().size == size


def test_defaults_change_where_the_table_says():
    assert [choose("bcast", 16, size) for size in (12287, 12288)] == ["binomial", "scatter-allgather"]
    assert [choose("allreduce", 16, size) for size in (2048, 2049, 2**20 + 1)] == [
        "recursive-doubling",
        "rabenseifner",
        "ring",
    ]
    assert [choose("allgather", size, 100) for size in (16, 17)] == ["recursive-doubling", "bruck"]
    assert [choose("alltoall", 8, size) for size in (256, 257)] == ["bruck", "pairwise"]


def test_a_group_in_step_needs_no_sorting_and_comes_out_the_same():
    draft = ScheduleDraft(5)
    for turn in range(3):
        ranks = draft.everyone
        draft.step(
            send(ranks, (ranks + turn + 1) % 5, ranks * 10, turn),
            recv(ranks, (ranks - turn - 1) % 5, (ranks - turn - 1) % 5 * 10, turn),
        )
    quick, plain = draft._even(), draft._uneven(0)

    for name in ("first_step", "first_action", "action", "peer", "bytes", "tag", "instructions"):
        assert np.array_equal(getattr(quick, name), getattr(plain, name)), name
        assert getattr(quick, name).dtype == getattr(plain, name).dtype, name


def test_a_binomial_broadcast_over_eight_is_the_textbook_tree():
    assert parent(np.arange(1, 8)).tolist() == [0, 0, 2, 0, 4, 4, 6]
    assert extent(np.arange(8), 8).tolist() == [8, 1, 2, 1, 4, 1, 2, 1]
    assert edges(8)[1].tolist() == [4, 2, 1, 3, 6, 5, 7]
    schedule = plan("bcast", 8, 100, name="binomial")

    assert schedule.steps(0) == [[(0, 4, 100, 0), (0, 2, 100, 0), (0, 1, 100, 0)]]
    assert schedule.steps(6) == [[(1, 4, 100, 0)], [(0, 7, 100, 0)]]


def test_a_barrier_over_a_million_ranks_stays_within_bounds():
    schedule = plan("barrier", 1 << 20)
    columns = (schedule.action, schedule.peer, schedule.bytes, schedule.tag, schedule.first_action)

    assert len(schedule.action) == 2 * 20 << 20
    assert sum(column.nbytes for column in columns) < 1 << 30


def test_a_header_is_added_to_every_message():
    schedule = plan("barrier", 4)

    assert set(schedule.with_header(20).check().bytes.tolist()) == {20}


def one_sided(peer: int = 1, tag: int = 0) -> CollectiveSchedule:
    columns = [np.array(values) for values in ([0, 1], [peer, 0], [8, 8], [tag, 0])]
    return arrange(2, np.array([0, 1], np.int32), np.zeros(2, np.int64), np.array([0, 1]), columns)


def test_a_send_to_nobody_is_refused():
    with pytest.raises(
        ScheduleError, match="names peer 5: expected another rank from 0 to 1 - at rank 0, step 0"
    ):
        one_sided(peer=5).check()


def test_a_message_nobody_waits_for_is_refused():
    with pytest.raises(ScheduleError, match="a send of 8 bytes, tag 3, has no receive"):
        one_sided(tag=3).check()


def test_ranks_that_wait_for_ever_are_named():
    draft = ScheduleDraft(2)
    draft.step(recv([0, 1], [1, 0], 8))
    draft.step(send([0, 1], [1, 0], 8))

    with pytest.raises(ScheduleError, match=r"ranks \[0, 1\] wait"):
        deliver(draft.schedule(), [{}, {}])


def test_a_contribution_that_would_count_twice_is_refused():
    exchange = ALGORITHMS["allreduce", "recursive-doubling"](2, 8)

    with pytest.raises(ScheduleError, match=r"would add the contributions of ranks \[0, 1\] twice"):
        reduced(join(exchange, exchange).schedule(), 1)


@pytest.mark.parametrize("kind", sorted(ROOTED))
def test_a_root_outside_the_group_is_refused(kind):
    with pytest.raises(ScheduleError, match="expected a root from 0 to 3, got 4"):
        plan(kind, 4, 8, root=4)


def test_an_unknown_algorithm_is_refused_with_the_known_ones():
    with pytest.raises(
        ScheduleError, match="expected an algorithm among dissemination, tree for barrier, got 'magic'"
    ):
        plan("barrier", 4, name="magic")
    with pytest.raises(ScheduleError, match="got 'barier'"):
        choose("barier", 4, 0)
