"""Each distribution against a sum done by hand, and each refusal against its words."""

import numpy as np
import pytest

from striate.errors import LayoutError
from striate.layout import (
    Basic,
    Extents,
    GroupedBlocks,
    SimpleStripe,
    TwoDStripe,
    VarStrip,
    parse,
    parse_strips,
)

LARGEST = 2**63 - 1


def place(layout, offset):
    server, physical = layout.locate(offset)
    return int(server), int(physical)


def test_simple_stripe_deals_strips_in_turn():
    layout = SimpleStripe(4, 64 * 1024)

    assert place(layout, 5 * 65536 + 7) == (1, 65536 + 7)  # strip 5: row 1, server 1
    assert int(layout.run_length(5 * 65536 + 7)) == 65529


def test_varstrip_of_the_thesis_puts_200_kb_and_4_mb_on_two_nodes():
    layout = VarStrip("0:200000;1:4000000")  # thesis 003, section 3.2.2.2

    assert place(layout, 199_999) == (0, 199_999)
    assert place(layout, 200_000) == (1, 0)
    assert place(layout, 4_200_000) == (0, 200_000)  # cyclic after the last strip
    assert layout == VarStrip("0:200KB;1:4MB") == VarStrip([(0, 200_000), (1, 4_000_000)])


def test_bare_suffixes_are_pvfs2s_and_the_others_everybodys():
    assert [size for _, size in parse_strips("0:1K;0:1k;0:1KB;0:1KiB;0:2M;0:2MB;0:3G")] == [
        1024,
        1024,
        1000,
        1024,
        2 * 1024**2,
        2 * 1000**2,
        3 * 1024**3,
    ]


def test_varstrip_counts_beyond_32_bits_where_orangefs_wraps():
    layout = VarStrip("0:1;1:1")

    assert place(layout, 2**33) == (0, 2**32)
    assert place(layout, LARGEST) == (1, 2**62 - 1)


def test_two_d_stripe_gives_the_last_group_the_rest():
    layout = TwoDStripe(7, 10, groups=3, factor=2)  # groups of 2, 2 and 3; 20 bytes per server and round

    assert [place(layout, offset)[0] for offset in range(0, 40, 10)] == [0, 1, 0, 1]
    assert [place(layout, offset)[0] for offset in range(80, 140, 10)] == [4, 5, 6, 4, 5, 6]
    assert place(layout, 140) == (0, 20)


def test_group_factor_one_keeps_a_domain_on_one_server_and_the_largest_spreads_it():
    together, spread = GroupedBlocks(4, 100, 1), GroupedBlocks(4, 100, 4)

    assert [place(together, rank * 100)[0] for rank in range(6)] == [0, 1, 2, 3, 0, 1]
    assert [place(spread, part * 25) for part in range(5)] == [(0, 0), (1, 0), (2, 0), (3, 0), (0, 25)]


def test_padding_of_an_aligned_block_holds_no_byte():
    layout = GroupedBlocks(2, 10, 2, 4)  # blocks of 5 aligned to 8: 8 and 2 bytes

    assert layout.physical_sizes(20).tolist() == [16, 10]
    with pytest.raises(LayoutError, match="position 3 of server 1"):
        layout.logical(1, 3)


def test_basic_keeps_the_file_whole():
    assert place(Basic(), LARGEST) == (0, LARGEST)
    assert Basic().logical_size([123]) == 123


def test_shapes_come_back_as_they_went_in():
    layout = SimpleStripe(3, 10)
    servers, physical = layout.locate(np.arange(12).reshape(3, 4))

    assert servers.shape == physical.shape == (3, 4)
    assert layout.physical_size([[0], [1]], [5, 15, 25]).tolist() == [[5, 10, 10], [0, 5, 10]]
    assert layout.locate([])[0].shape == (0,)


def test_an_empty_run_makes_no_piece_and_a_long_one_is_cut_at_every_strip():
    pieces = SimpleStripe(2, 100).split(Extents([5, 50], [0, 260]))

    assert pieces.run.tolist() == [1, 1, 1, 1]
    assert pieces.size.tolist() == [50, 100, 100, 10]
    assert pieces.on_server(0) == Extents([50, 100], [50, 100])


def test_holes_count_for_the_end_of_a_file_but_not_where_pvfs2_adds_up():
    layout = VarStrip("0:10;1:10")

    assert layout.logical_size([0, 10]) == 10
    assert layout.end([0, 10]) == 20
    assert SimpleStripe(2, 10).logical_size([0, 10]) == 20


def test_a_hint_is_what_pvfs2_reads_and_has_room_for():
    assert VarStrip("0:2K;1:4MB").hint() == "0:2048;1:4000000"
    with pytest.raises(LayoutError, match=r"at most 1023 characters .*, got 1199"):
        VarStrip([(0, 100)] * 200).hint()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected a layout such as"),
        ("simpel:8:64KiB", "got 'simpel:8:64KiB'"),
        ("simple:8", "expected 2 fields"),
        ("simple:0:64KiB", "expected servers from 1 to 2^63 - 1, got 0"),
        ("simple:8:64KiX", "expected a striping unit such as"),
        ("simple:8:0", "from 1 to 2^63 - 1 bytes"),
        ("simple:8:1.5K", "expected a striping unit"),
        ("simple:-8:64K", "a whole number"),
        ("simple:8:9EiB", "from 1 to 2^63 - 1"),
        ("basic:1", 'expected "basic" without parameters'),
        ("twod:2:64K:3:1", "expected at most 2 groups"),
        ("twod:2:4EiB:1:2", "expected one round of strips over all servers of at most 2^63 - 1 bytes"),
        ("grouped:4:100:5", "from 1 to 4 (the number of servers), got 5"),
        ("grouped:4:3:4", "from 1 to 3 (the bytes of such a part), got 4"),
        ("varstrip:", 'expected a strip (server:bytes) such as "0:200KB"'),
        ("varstrip:0:10;;1:20", "at strip 1"),
        ("varstrip:0:10;2:10", "found none for server 1"),
        ("varstrip:-1:5", "expected a server number"),
        ("varstrip:0:0", "expected a strip size from 1"),
        ("varstrip:0:10x", "expected a strip size such as"),
        ("varstrip:0:99999999999999999999", "from 1 to 2^63 - 1"),
        ("varstrip:0:8EiB", "from 1 to 2^63 - 1"),
        ("varstrip:0:5EiB;1:5EiB", "expected at most 2^63 - 1 bytes in all strips together"),
    ],
)
def test_a_refusal_says_what_was_found_and_wanted(text, words):
    with pytest.raises(LayoutError) as refusal:
        parse(text)

    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: SimpleStripe(2, 10).locate(-1), "an offset from 0 to 2^63 - 1, got -1"),
        (lambda: SimpleStripe(2, 10).locate([1.5]), "expected whole numbers"),
        (lambda: SimpleStripe(2, 10).locate(2**63), "got 9223372036854775808"),
        (lambda: SimpleStripe(2, 10).locate(2**70), "expected whole numbers"),
        (lambda: SimpleStripe(2, 10).run_length([3, -2]), "got -2"),
        (lambda: VarStrip("0:3;1:5").locate([3, -(2**62)]), "got -4611686018427387904"),
        (lambda: VarStrip("0:3;1:5").run_length(-(2**63)), "got -9223372036854775808"),
        (lambda: SimpleStripe(2, 10).logical(2, 0), "expected a server from 0 to 1, got 2"),
        (lambda: SimpleStripe(2, 10).logical(0, -1), "a physical position from 0"),
        (lambda: SimpleStripe(2, 10).logical(0, LARGEST), "below 2^63"),
        (lambda: SimpleStripe(2, 10).logical([0, 1], [1, 2, 3]), "two arrays of one length"),
        (lambda: SimpleStripe(2, 10).physical_size(2, 0), "expected a server from 0 to 1, got 2"),
        (lambda: SimpleStripe(2, 10).physical_size(0, -1), "a size from 0"),
        (lambda: SimpleStripe(2, 10).logical_size([1]), "expected 2 physical sizes"),
        (lambda: SimpleStripe(2, 10).logical_size([1, -1]), "got -1"),
        (lambda: SimpleStripe(2, 1.5), "expected a striping unit"),
        (lambda: SimpleStripe(True, 1), "expected servers"),
        (lambda: SimpleStripe(2, 1).split(Extents([0], [2**40])), "expected at most"),
        (lambda: GroupedBlocks(2, 4, 2, 4096).locate(LARGEST), "expected positions of bytes up to 2^63 - 1"),
        (lambda: Basic(2), "expected one server"),
        (lambda: VarStrip([(0.5, 1)]), "expected a server number"),
        (lambda: VarStrip("0:1").logical_size([2**63]), "expected whole numbers"),
        (lambda: Extents([0, 1], [1]), "as many offsets as sizes of byte runs"),
        (lambda: Extents([-1], [1]), "runs within 0 to 2^63 - 1, got 1 bytes at -1 - at run 0"),
        (lambda: Extents([LARGEST], [1]), "at run 0"),
        (lambda: parse(7), "expected a layout as text"),
    ],
)
def test_numbers_that_cannot_be_are_refused(call, words):
    with pytest.raises(LayoutError) as refusal:
        call()

    assert words in str(refusal.value)
