"""What holds for every layout: one place per byte, a way back, sizes that add up, splits that lose nothing."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from property.layouts import LARGEST, dense_layouts, grouped_blocks, layouts
from striate.layout import Extents, parse

offsets = st.lists(st.integers(0, LARGEST), min_size=1, max_size=20)
small_runs = st.lists(st.tuples(st.integers(0, 500), st.integers(0, 200)), max_size=8)


@given(layouts(), st.integers(1, 400))
def test_every_byte_lives_on_exactly_one_server(layout, size):
    servers, physical = layout.locate(np.arange(size))

    assert len(set(zip(servers.tolist(), physical.tolist(), strict=True))) == size
    assert servers.min() >= 0
    assert servers.max() < layout.servers


@given(dense_layouts(largest=2**40), offsets)
def test_the_way_back_leads_to_the_same_byte(layout, wanted):
    assert layout.logical(*layout.locate(wanted)).tolist() == wanted


@given(grouped_blocks(largest=2**40), st.lists(st.integers(0, 2**57), min_size=1))
def test_the_way_back_leads_to_the_same_byte_past_padding(layout, wanted):
    assert layout.logical(*layout.locate(wanted)).tolist() == wanted


@given(dense_layouts(largest=2**40), st.integers(0, LARGEST))
def test_sizes_add_up(layout, size):
    sizes = layout.physical_sizes(size)

    assert sum(sizes.tolist()) == size
    assert layout.logical_size(sizes) == size
    assert layout.end(sizes) == size


@given(layouts(), st.integers(0, 300))
def test_a_servers_file_ends_after_its_last_byte(layout, size):
    servers, physical = layout.locate(np.arange(size))
    ends = [max(physical[servers == server].tolist(), default=-1) + 1 for server in range(layout.servers)]

    assert layout.physical_sizes(size).tolist() == ends
    assert layout.end(ends) == size


@given(layouts(largest=2**40), st.integers(0, 2**57))
def test_a_run_is_contiguous_and_ends_where_the_strip_ends(layout, offset):
    run = int(layout.run_length(offset))
    server, physical = layout.locate(offset)
    last = min(offset + run - 1, LARGEST)

    assert layout.locate(last) == (server, physical + (last - offset))


@given(layouts(), small_runs)
def test_a_split_partitions_the_runs(layout, runs):
    extents = Extents([offset for offset, _ in runs], [size for _, size in runs])
    pieces = layout.split(extents)
    bytes_of = [
        (run, offset + byte, server, physical + byte)
        for run, server, physical, offset, size in zip(
            *(
                column.tolist()
                for column in (pieces.run, pieces.server, pieces.physical, pieces.offset, pieces.size)
            ),
            strict=True,
        )
        for byte in range(size)
    ]
    wanted = [(run, byte) for run, (offset, size) in enumerate(runs) for byte in range(offset, offset + size)]
    servers, physical = layout.locate([byte for _, byte in wanted])

    assert [(run, byte) for run, byte, _, _ in bytes_of] == wanted
    assert [server for _, _, server, _ in bytes_of] == np.atleast_1d(servers).tolist()
    assert [place for _, _, _, place in bytes_of] == np.atleast_1d(physical).tolist()
    assert (pieces.size > 0).all()
    assert (pieces.size <= layout.run_length(pieces.offset)).all()


@given(layouts(largest=LARGEST // 10**4))
def test_the_text_of_a_layout_reads_back_as_the_same(layout):
    assert parse(str(layout)) == layout
    assert pickle.loads(pickle.dumps(layout)) == layout
