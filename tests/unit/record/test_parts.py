"""From a process's records to rows: datatypes, views, pointers, clocks, regions, meanings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import TraceError
from striate.layout.datatypes import Datatype
from striate.layout.extent_lists import ExtentNumbers
from striate.layout.extents import Extents
from striate.record.clocks import corrections
from striate.record.datatype import datatype_of
from striate.record.files import EVENT, KINDS, RankFile
from striate.record.offsets import Accesses, resolve
from striate.record.regions import follow
from striate.record.views import RecordedView, place
from striate.trace.functions import Meaning, meaning

BYTE = [1, 1, 1, 0, 0, 0, 0, 0]  # named, size 1, extent 1, lower bound 0, no numbers, no children


def tree(combiner, size, extent, integers, *children, addresses=(), counts=()):
    parts = [combiner, size, extent, 0]
    for numbers in (integers, addresses, counts):
        parts += [len(numbers), *numbers]
    return parts + [len(children)] + [number for child in children for number in child]


def runs(numbers):
    found = datatype_of(np.array(numbers, np.int64).tobytes()).runs
    return list(zip(found.offsets.tolist(), found.sizes.tolist(), strict=True))


INT = [1, 4, 4, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("type_tree", "expected"),
    [
        (tree(3, 12, 12, [3], INT), [(0, 12)]),  # contiguous
        (tree(4, 24, 44, [3, 2, 5], INT), [(0, 8), (20, 8), (40, 8)]),  # vector: 2 ints every 5 ints
        (tree(4, 24, 44, [], INT, counts=[3, 2, 5]), [(0, 8), (20, 8), (40, 8)]),  # made by a _c call
        (tree(6, 8, 104, [2, 1], INT, addresses=[100]), [(0, 4), (100, 4)]),  # hvector: bytes
        (tree(7, 12, 40, [2, 1, 2, 0, 8], INT), [(0, 4), (32, 8)]),  # indexed: lengths, then places
        (tree(9, 12, 40, [2, 1, 2], INT, addresses=[3, 30]), [(3, 4), (30, 8)]),
        (tree(10, 16, 40, [2, 2, 0, 8], INT), [(0, 8), (32, 8)]),  # indexed block
        (tree(18, 8, 64, [], tree(3, 8, 8, [2], INT), addresses=[0, 64]), [(0, 8)]),  # resized
        (tree(12, 9, 16, [2, 1, 2], BYTE, INT, addresses=[0, 8]), [(0, 1), (8, 8)]),  # struct
        # A 2 x 3 part of a 4 x 10 array of ints from (1, 2): rows 1 and 2, 12 bytes from column 2.
        (tree(13, 24, 160, [2, 4, 10, 2, 3, 1, 2, 56], INT), [(48, 12), (88, 12)]),
        # The same in Fortran's order: the first index runs fastest.
        (tree(13, 24, 160, [2, 10, 4, 3, 2, 2, 1, 57], INT), [(48, 12), (88, 12)]),
        # A vector of vectors: bytes 0 and 2 of every 8.
        (tree(4, 4, 11, [2, 1, 1], tree(18, 2, 8, [], tree(4, 2, 3, [2, 1, 2], BYTE), addresses=[0, 8])),
         [(0, 1), (2, 1), (8, 1), (10, 1)]),
    ],
)  # fmt: skip
def test_a_datatype_is_laid_out_as_mpi_says(type_tree, expected):
    assert runs(type_tree) == expected


@pytest.mark.parametrize(
    "broken",
    [
        [4, 1],
        tree(9, 8, 8, [2, 1, 1], INT, addresses=[0]),
        tree(4, 8, 8, [2], INT),
        tree(14, 8, 8, [2], INT),
        tree(3, 1, 1, [2**40], tree(4, 2, 3, [2, 1, 2], BYTE)),
        tree(6, 8, 8, [4, 2**62], BYTE, addresses=[1]),  # overlapping runs of 2**64 bytes
    ],
)
def test_a_datatype_that_is_broken_or_not_understood_is_refused(broken):
    with pytest.raises(TraceError):
        datatype_of(np.array(broken, np.int64).tobytes())


@st.composite
def layouts(draw):
    gaps_and_lengths = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), min_size=1, max_size=4))
    offsets, at = [], 0
    for gap, length in gaps_and_lengths:
        offsets.append(at + gap)
        at += gap + length
    lengths = [length for _, length in gaps_and_lengths]
    return Datatype(Extents(offsets, lengths), 0, at + draw(st.integers(0, 3)))


@given(layouts(), st.integers(0, 40), st.integers(1, 60), st.integers(0, 9))
def test_an_access_through_a_view_touches_the_bytes_that_counting_gives(layout, position, size, displacement):
    """Twin: data byte p is byte p % size of tile p // size."""
    inside = np.concatenate(
        [np.arange(a, a + n) for a, n in zip(layout.runs.offsets, layout.runs.sizes, strict=True)]
    )
    data = np.arange(position, position + size)
    expected = displacement + data // layout.size * layout.extent + inside[data % layout.size]

    lists = ExtentNumbers()
    places = place(RecordedView(displacement, 1, layout), np.array([position]), np.array([size]), lists)
    offset, blocks, stride, number = (
        int(column[0]) for column in (places.offset, places.blocks, places.stride, places.extents)
    )
    if number >= 0:
        runs_ = lists.lists()[number]
        starts, lengths = runs_.offsets, runs_.sizes
    else:
        starts, lengths = np.arange(blocks) * stride, np.full(blocks, size // blocks)
    found = np.concatenate(
        [offset + start + np.arange(length) for start, length in zip(starts, lengths, strict=True)]
    )

    assert found.tolist() == expected.tolist()


def test_a_huge_regular_access_is_never_written_out_and_an_irregular_one_is_shown_as_one_run():
    regular = Datatype(Extents([3], [8]), 0, 64)
    places = place(RecordedView(0, 1, regular), np.array([0]), np.array([2**40]), ExtentNumbers())
    irregular = Datatype(Extents([0, 9], [8, 1]), 0, 64)
    lost = place(RecordedView(0, 1, irregular), np.array([0]), np.array([2**40]), ExtentNumbers())

    assert (int(places.offset[0]), int(places.blocks[0]), int(places.stride[0])) == (3, 2**37, 64)
    assert (lost.collapsed, int(lost.blocks[0])) == (1, 1)


def test_file_pointers_are_followed_through_seeks_and_views():
    steps = [  # kind, pointer, offset, bytes, received -> offset wanted
        ("open", "", 0, 0, 0, -1),
        ("write", "own", -1, 10, 10, 0),
        ("write", "own", -1, 10, 10, 10),
        ("write", "", 100, 5, 5, 100),  # explicit offsets leave the pointer alone
        ("write", "own", -1, 4, 4, 20),
        ("seek", "", 7, 0, 0, -1),
        ("read", "own", -1, 3, 3, 7),
        ("view", "", 1000, 1, 4, -1),  # etype of 4 bytes, type 1: contiguous
        ("read", "own", -1, 8, 8, 1000),
        ("seek", "", 5, 0, 0, -1),
        ("read", "own", -1, 8, 8, 1020),
        ("read", "", 2, 8, 8, 1008),
        ("write", "shared", -1, 8, 8, -1),
    ]
    columns = [np.array([step[at] for step in steps]) for at in range(6)]
    types = {1: np.array(tree(3, 4, 4, [1], INT), np.int64).tobytes()}
    rows = Accesses(
        np.zeros(len(steps), np.int64), columns[0], columns[1], columns[2], columns[3], columns[4]
    )
    found = resolve(rows, types, ExtentNumbers())
    accesses = np.isin(columns[0], ["read", "write"])

    assert found.offset[accesses].tolist() == columns[5][accesses].tolist()
    assert found.shared_pointers == 1


def part(rank, boot, *, clock=0, wall=0, measured=()):
    names = {kind: {} for kind in KINDS}
    names["clock"] = {moment: np.array(row, np.int64).tobytes() for moment, row in enumerate(measured)}
    return RankFile(rank, 2, 1, 0, wall, clock, boot, "host", "lib", np.empty(0, EVENT), names, True)


def test_clocks_on_one_host_need_no_correction_and_others_are_drawn_between_two_measurements():
    first = part(0, "a")
    same = part(1, "a", measured=[(500, 10, 0)])
    # 1000 ns behind at its moment 0, 2000 ns behind a second later: halfway 1500.
    other = part(2, "b", measured=[(1000, 10, 0), (2000, 10, 10**9)])
    fixes = corrections([first, same, other])

    assert fixes[1].apply(np.array([7])).tolist() == [7]
    assert fixes[2].apply(np.array([0, 10**9 // 2, 10**9])).tolist() == [
        1000,
        10**9 // 2 + 1500,
        10**9 + 2000,
    ]


def test_clocks_that_were_never_compared_are_taken_from_the_wall_and_say_so():
    fixes = corrections([part(0, "a", clock=100, wall=1100), part(1, "b", clock=5, wall=1105)])

    assert fixes[1].offset == 100
    assert not fixes[1].measured


def test_regions_nest_and_what_is_left_open_ends_with_the_program():
    marks = [(0, 0, True, 10), (0, 1, True, 20), (0, 1, False, 30), (1, 2, True, 5)]
    regions = follow(marks, end=100)

    assert sorted(regions.rows) == [(0, 0, 10, 100), (0, 1, 20, 30), (1, 2, 5, 100)]
    assert regions.at(0, np.array([9, 10, 25, 30, 99])).tolist() == [-1, 0, 1, 0, 0]
    assert regions.at(7, np.array([9])).tolist() == [-1]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("MPI_File_write_at_all_c", Meaning("write", "mpi-io", True)),
        ("MPI_File_iread_shared", Meaning("read", "mpi-io", False, "shared", True)),
        ("MPI_File_read_ordered_begin", Meaning("read", "mpi-io", True, "shared", True)),
        ("MPI_File_write_all_end", Meaning("wait", "mpi-io", True)),
        ("MPI_Isend_c", Meaning("send", "mpi", later=True)),
        ("MPI_Iprobe", Meaning("probe", "mpi")),
        ("MPI_Iallreduce", Meaning("allreduce", "mpi", True, later=True)),
        ("MPI_Init", Meaning("init", "mpi", True)),
        ("MPI_Ireduce_scatter_block", Meaning("reduce_scatter", "mpi", True, later=True)),
        ("pwrite64", Meaning("write", "posix")),
        ("socket", Meaning("other", "posix")),
    ],
)
def test_a_functions_name_says_what_it_does(function, expected):
    assert meaning(function) == expected
