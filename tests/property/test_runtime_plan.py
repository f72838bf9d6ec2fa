"""Grids, domains and placements against plain NumPy and counting."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import DatasetError
from striate.runtime.plan.budget import Budget
from striate.runtime.plan.grid import Grid, plan_grid
from striate.runtime.plan.placement import Domains, group_by_factor, offsets_in_subfiles, slots

shapes = st.lists(st.integers(0, 40), min_size=1, max_size=4).map(tuple)


@st.composite
def grids(draw):
    return plan_grid(
        draw(shapes),
        draw(st.integers(1, 50)),
        pieces=draw(st.integers(1, 30)),
        chunk_bytes=draw(st.integers(1, 5000)),
        alignment=draw(st.sampled_from([1, 64, 4096])),
    )


@given(grids())
def test_chunks_tile_the_array_in_its_own_order(grid):
    numbers = np.arange(grid.elements).reshape(grid.shape)
    runs = []
    for corner in np.ndindex(
        *(-(-length // part) for length, part in zip(grid.shape, grid.chunk_shape, strict=True))
    ):
        spans = zip(corner, grid.chunk_shape, strict=True)
        runs.append(numbers[tuple(slice(at * part, (at + 1) * part) for at, part in spans)].reshape(-1))
    flat = np.concatenate(runs) if runs else np.arange(0)

    assert np.array_equal(flat, np.arange(grid.elements))
    assert len([run for run in runs if run.size]) == grid.chunks
    assert all(run.size == grid.chunk_elements for run in runs[:-1] if run.size)


@given(st.integers(1, 10**7), st.integers(1, 200), st.integers(1, 64), st.sampled_from([4096, 2**20]))
def test_a_piece_of_a_long_array_is_near_an_equal_share(rows, row_bytes, pieces, chunk_bytes):
    grid = plan_grid((rows,), row_bytes, pieces=pieces, chunk_bytes=chunk_bytes, alignment=4096)
    share = math.ceil(rows / pieces)
    most = math.ceil(grid.chunks / pieces) * grid.chunk_elements

    assert most <= max(share * 9 / 8 + 1 + math.ceil(share * row_bytes / chunk_bytes), share * 1.3)


@given(st.integers(0, 300), st.integers(1, 20), st.integers(1, 12), st.data())
def test_each_chunk_has_one_owner_one_server_and_a_slot_of_its_own(chunks, ranks, servers, data):
    factor = data.draw(st.integers(1, servers))
    domains = Domains.grouped(chunks, ranks, factor)
    server = group_by_factor(chunks, ranks=ranks, servers=servers, group_factor=factor)
    places = slots(server)

    assert [chunk for rank in range(ranks) for chunk in domains.of(rank)] == list(range(chunks))
    assert all(domains.owner(chunk) == rank for rank in range(ranks) for chunk in domains.of(rank))
    assert len({(s, p) for s, p in zip(server.tolist(), places.tolist(), strict=True)}) == chunks
    for s in range(servers):
        assert sorted(places[server == s].tolist()) == list(range(int((server == s).sum())))
    for rank in range(ranks):  # a domain meets at most GF servers: one for factor 1, all for factor `servers`
        assert len(set(server[domains.of(rank)].tolist())) <= factor


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9)), max_size=30))
def test_packed_chunks_fill_each_sub_file_without_a_gap(rows):
    server = np.array([row[0] for row in rows], np.int64)
    length = np.array([row[1] for row in rows], np.int64)
    offsets, ends = offsets_in_subfiles(server, length, np.array([0, 5, 0, 7]))

    cursor = [0, 5, 0, 7]
    for s, size, offset in zip(server, length, offsets, strict=True):
        assert offset == cursor[s]
        cursor[s] += size
    assert ends.tolist() == cursor


def test_a_block_of_four_goes_round_the_servers():
    # 8 chunks, 2 ranks, factor 2: blocks of 2 chunks; blocks 0 1 | 2 3 are dealt to servers 0 1 2 0.
    server = group_by_factor(8, ranks=2, servers=3, group_factor=2)

    assert server.tolist() == [0, 0, 1, 1, 2, 2, 0, 0]


@pytest.mark.parametrize("factor", [0, 4, -1])
def test_group_factors_outside_one_to_servers_are_refused(factor):
    with pytest.raises(DatasetError, match="from 1 to 3"):
        group_by_factor(8, ranks=2, servers=3, group_factor=factor)


@given(
    st.integers(1, 2**20),
    st.integers(1, 64),
    st.integers(1, 500),
    st.integers(1, 2000),
    st.integers(4, 400),
    st.booleans(),
)
def test_windows_and_messages_stay_within_the_buffer(
    chunk_bytes, ranks, domain, record_bytes, chunks, one_node
):
    budget = Budget(chunk_bytes * chunks, chunk_bytes, ranks, one_node)
    window = budget.window_chunks(domain) * chunk_bytes
    windows = window if budget.window_chunks(domain) >= domain else 2 * window

    assert 1 <= budget.window_chunks(domain) <= max(domain, 1)
    quota = budget.message_records(record_bytes) * record_bytes * ranks
    assert quota <= max(budget.message_bytes, record_bytes * ranks)
    assert windows <= max(budget.buffer_bytes - 2 * budget.message_bytes, 2 * chunk_bytes)


@pytest.mark.parametrize(
    ("shape", "chunk"), [((4, 6), (2, 3)), ((4, 6), (1, 4)), ((4, 6), (0, 6)), ((4,), (1, 1)), ((), ())]
)
def test_chunks_that_are_not_runs_are_refused(shape, chunk):
    with pytest.raises(DatasetError):
        Grid(shape, 8, chunk)
