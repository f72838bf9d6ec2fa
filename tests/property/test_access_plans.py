"""Plans of accesses and of collective I/O: every byte asked for, each once, at its place."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from property.layouts import layouts
from striate.errors import LayoutError
from striate.layout import Extents, SimpleStripe
from striate.layout.access_plan import plan_access
from striate.layout.two_phase import plan_two_phase

runs = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 90)), max_size=6).map(Extents.of)


def bytes_of(extents):
    return [
        at + byte for at, size in zip(extents.offsets, extents.sizes, strict=True) for byte in range(size)
    ]


def test_a_striped_access_is_one_run_a_server():
    plan = plan_access(SimpleStripe(2, 64), Extents([32], [192]))

    assert plan.server.tolist() == [0, 1]
    assert plan.physical.tolist() == [32, 0]  # [32, 64) + [128, 192) and [64, 128) + [192, 224)
    assert plan.request_bytes.tolist() == [96, 96]


@given(layouts(), runs)
def test_requests_hold_every_byte_where_the_layout_puts_it(layout, extents):
    plan = plan_access(layout, extents)
    owners = np.repeat(plan.server, np.diff(plan.first_run))
    planned = Counter(
        (int(server), int(at) + byte)
        for server, at, size in zip(owners, plan.physical, plan.size, strict=True)
        for byte in range(size)
    )
    servers, physical = layout.locate(np.array(bytes_of(extents), dtype=np.int64))

    assert planned == Counter(zip(servers.tolist(), physical.tolist(), strict=True))


@given(layouts(), runs)
def test_no_server_gets_two_requests(layout, extents):
    plan = plan_access(layout, extents)

    assert len(set(plan.server.tolist())) == len(plan.server)
    assert sum(plan.request_bytes.tolist()) == sum(extents.sizes.tolist())


def written_by(plan):
    """The file after a collective write in which rank r writes the number r + 1 everywhere."""
    content = {}
    for round_, aggregator in zip(plan.access_round, plan.access_aggregator, strict=True):
        buffer = received(plan, round_, aggregator)
        for at, size in accesses_of(plan, round_, aggregator):
            for byte in range(at, at + size):
                assert byte not in content, "written twice"
                content[byte] = buffer.pop(byte)
        assert not buffer, "received and not written"
    return content


def received(plan, round_, aggregator):
    buffer = {}
    chosen = (plan.move_round == round_) & (plan.move_aggregator == aggregator)
    for move in np.flatnonzero(chosen):
        for piece in range(plan.first_piece[move], plan.first_piece[move + 1]):
            begin, size = plan.piece_offset[piece], plan.piece_size[piece]
            buffer |= dict.fromkeys(range(begin, begin + size), plan.move_rank[move] + 1)
    return buffer


def accesses_of(plan, round_, aggregator):
    chosen = (plan.access_round == round_) & (plan.access_aggregator == aggregator)
    for access in np.flatnonzero(chosen):
        first, end = plan.first_access_run[access], plan.first_access_run[access + 1]
        yield from zip(plan.access_offset[first:end], plan.access_size[first:end], strict=True)


@given(
    st.lists(runs, min_size=1, max_size=5), st.data(), st.integers(1, 80), st.integers(1, 40), st.booleans()
)
def test_a_collective_write_leaves_what_ranks_in_turn_would(asked, data, buffer_bytes, align_bytes, cyclic):
    ranks = range(len(asked))
    aggregators = data.draw(st.lists(st.sampled_from(ranks), min_size=1, unique=True))
    plan = plan_two_phase(
        asked, aggregators=aggregators, buffer_bytes=buffer_bytes, align_bytes=align_bytes, cyclic=cyclic
    )
    expected = {byte: rank + 1 for rank in ranks for byte in bytes_of(asked[rank])}

    assert written_by(plan) == expected


@given(st.lists(runs, min_size=1, max_size=5), st.integers(1, 80), st.integers(1, 40))
def test_cyclic_domains_are_every_nth_unit_of_the_file(asked, buffer_bytes, align_bytes):
    """Byte by byte: unit u is aggregator u mod n's, its r-th byte from its first unit on is of round r / buffer."""
    count = len(asked)
    plan = plan_two_phase(
        asked, aggregators=range(count), buffer_bytes=buffer_bytes, align_bytes=align_bytes, cyclic=True
    )
    wanted = sorted({byte for extents in asked for byte in bytes_of(extents)})
    turn = wanted[0] // align_bytes // count if wanted else 0
    expected = Counter()
    for byte in wanted:
        unit = byte // align_bytes
        own = (unit // count - turn) * align_bytes + byte % align_bytes
        expected[own // buffer_bytes, unit % count, byte] += 1
    found = Counter(
        (int(round_), int(aggregator), byte)
        for round_, aggregator in zip(plan.access_round, plan.access_aggregator, strict=True)
        for at, size in accesses_of(plan, round_, aggregator)
        for byte in range(at, at + size)
    )

    assert found == expected
    for aggregator in range(count):
        own = [byte for _, mine, byte in expected if mine == aggregator]
        if own:
            assert plan.domain_begin[aggregator] <= min(own)
            assert max(own) < plan.domain_end[aggregator]


@given(st.lists(runs, min_size=1, max_size=5), st.integers(1, 80), st.booleans())
def test_no_aggregator_holds_more_than_its_buffer(asked, buffer_bytes, cyclic):
    plan = plan_two_phase(
        asked, aggregators=range(len(asked)), buffer_bytes=buffer_bytes, align_bytes=8, cyclic=cyclic
    )

    assert all(size <= buffer_bytes for size in plan.access_bytes)
    moved = np.zeros(len(asked), np.int64)
    np.add.at(moved, plan.move_rank, plan.move_bytes)
    assert moved.tolist() == [len(set(bytes_of(extents))) for extents in asked]


def test_a_collective_write_of_64_mib_by_two_ranks_stays_in_its_64_mib():
    """The original simulator executes this one as [16, 48) and [64, 96) MiB."""
    mib = 1 << 20
    plan = plan_two_phase(
        [Extents([0], [32 * mib]), Extents([32 * mib], [32 * mib])],
        aggregators=[0, 1],
        buffer_bytes=16 * mib,
        align_bytes=1,
    )

    assert plan.access_offset.tolist() == [0, 32 * mib, 16 * mib, 48 * mib]
    assert set(plan.access_size.tolist()) == {16 * mib}
    assert plan.rounds == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"aggregators": []},
        {"aggregators": [2]},
        {"aggregators": [0, 0]},
        {"buffer_bytes": 0},
        {"align_bytes": 0},
    ],
)
def test_collective_io_refuses_what_cannot_be(wrong):
    rules = {"aggregators": [0], "buffer_bytes": 10, "align_bytes": 1} | wrong

    with pytest.raises(LayoutError, match="2 ranks"):
        plan_two_phase([Extents([0], [10]), Extents([10], [10])], **rules)
