"""Progressive layouts: every byte where Lustre's rules put it, its words read and written, forecasts and apply."""

import numpy as np
import pytest

from striate.cli.main import run
from striate.errors import LayoutError
from striate.layout import (
    Extents,
    LayoutComponent,
    Progressive,
    from_getstripe,
    from_setstripe,
    parse,
    setstripe_command,
)

LARGEST = 2**63 - 1
MIB = 2**20
FRONTIER = "-E 4M -c 1 -E 64M -c 4 -E -1 -c -1"


def by_rule(layout, offset):
    """Component, object, position in it and the object's server, one byte at a time.

    The striping rule of Lustre's client as we know it, retold; it was not run against Lustre.
    """
    number = next(number for number, one in enumerate(layout.components) if offset < one.end)
    one = layout.components[number]
    width = one.unit * len(one.targets)
    stripe = offset % width // one.unit
    return number, stripe, offset // width * one.unit + offset % one.unit, one.targets[stripe]


def random_layout(random):
    servers = int(random.integers(1, 9))
    components, end = [], 0
    count = int(random.integers(1, 5))
    for number in range(count):
        unit = int(random.integers(1, 6))
        end = LARGEST if number == count - 1 else (end // unit + int(random.integers(1, 9))) * unit
        objects = int(random.integers(1, 2 * servers + 1))
        components.append(LayoutComponent(end, unit, tuple(map(int, random.integers(0, servers, objects)))))
    return Progressive(servers, components)


def test_every_byte_of_1000_random_layouts_is_where_the_rules_put_it():
    random = np.random.default_rng(20)
    size = 120
    for _ in range(1000):
        layout = random_layout(random)
        offsets = np.arange(size)
        wanted = np.array([by_rule(layout, offset) for offset in range(size)])

        servers, physical = layout.locate(offsets)

        assert np.array_equal(np.stack(layout.objects(offsets)).T, wanted[:, :3])
        assert np.array_equal(servers, wanted[:, 3])
        assert np.array_equal(layout.logical(servers, physical), offsets)
        # What a server holds is without holes: its bytes are numbered 0, 1, 2...
        for server in range(layout.servers):
            assert np.array_equal(physical[servers == server], np.arange((servers == server).sum()))
            assert [int(layout.physical_size(server, end)) for end in (0, 1, 37, size)] == [
                int((servers[:end] == server).sum()) for end in (0, 1, 37, size)
            ]
        pieces = layout.split(Extents([3, 50], [40, 70]))
        assert pieces.size.sum() == 110
        moves = np.flatnonzero(np.any(np.diff(wanted[:, [0, 1, 3]], axis=0) != 0, axis=1)) + 1
        for end in moves:  # a run never crosses a change of object
            assert end - 1 + int(layout.run_length(end - 1)) == end


def test_the_default_of_a_large_file_system_grows_from_one_to_all_servers():
    layout = from_setstripe(FRONTIER, servers=8)

    assert [len(one.targets) for one in layout.components] == [1, 4, 8]
    assert [int(layout.locate(offset)[0]) for offset in (0, 4 * MIB - 1, 4 * MIB, 5 * MIB, 64 * MIB)] == [
        0,
        0,
        1,
        2,
        5,
    ]
    assert parse(str(layout)) == layout
    assert from_setstripe(f"lfs setstripe {FRONTIER} /scratch/run", servers=8) == layout


def test_overstriping_puts_several_objects_on_a_server():
    layout = from_setstripe("-C 6 -S 64K", servers=4)

    servers, _ = layout.locate(np.arange(7) * 65536)
    assert servers.tolist() == [0, 1, 2, 3, 0, 1, 0]
    assert from_setstripe("-C -2", servers=4).components[0].targets == (0, 1, 2, 3, 0, 1, 2, 3)


def test_all_servers_of_a_huge_file_system_are_as_many_as_a_file_may_have():
    assert len(from_setstripe("-c -1", servers=5000).components[0].targets) == 2000
    with pytest.raises(LayoutError, match="expected at most 65536 servers"):
        parse("lustre:99999999999:-c -1")


def test_a_component_takes_size_and_count_from_the_one_before_and_an_index_or_a_list_only_for_itself():
    layout = from_setstripe("-E 1M -S 64K -c 2 -i 3 -E 2M -E 3M -o 5,0-1 -E eof", servers=6)

    assert [one.unit for one in layout.components] == [65536] * 4
    assert [one.targets for one in layout.components] == [(3, 4), (5, 0), (5, 0, 1), (2,)]


GETSTRIPE = """/lustre/out
  lcm_layout_gen:    2
  lcm_mirror_count:  1
  lcm_entry_count:   2
    lcme_id:             1
    lcme_flags:          init
    lcme_extent.e_start: 0
    lcme_extent.e_end:   4194304
      lmm_stripe_count:  1
      lmm_stripe_size:   1048576
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: 5
      lmm_objects:
      - 0: { l_ost_idx: 5, l_fid: [0x100050000:0x2:0x0] }

    lcme_id:             2
    lcme_flags:          0
    lcme_extent.e_start: 4194304
    lcme_extent.e_end:   EOF
      lmm_stripe_count:  -1
      lmm_stripe_size:   4194304
      lmm_pattern:       raid0
      lmm_stripe_offset: -1
"""
YAML = GETSTRIPE.replace("    lcme_id", "  component:\n    lcme_id").replace(
    "      lmm_stripe_count", "    sub_layout:\n      lmm_stripe_count"
)
PLAIN = """/lustre/out
lmm_stripe_count:  2
lmm_stripe_size:   1048576
lmm_pattern:       raid0
lmm_layout_gen:    0
lmm_stripe_offset: 1
\tobdidx\t\t objid\t\t objid\t\t group
\t     1\t             2\t          0x2\t             0
\t     3\t             2\t          0x2\t             0
"""


def test_what_getstripe_prints_is_read_as_text_and_as_yaml():
    layout = from_getstripe(GETSTRIPE, servers=8)

    assert layout.components == (
        LayoutComponent(4 * MIB, MIB, (5,)),
        LayoutComponent(LARGEST, 4 * MIB, (6, 7, 0, 1, 2, 3, 4, 5)),
    )
    assert from_getstripe(YAML, servers=8) == layout
    assert from_getstripe(PLAIN, servers=4) == Progressive(4, [LayoutComponent(LARGEST, MIB, (1, 3))])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-E 4M -c 1", "a hole after 4MiB - at component 0"),
        ("-E 4M -E 2M -E -1", "an end after .*4MiB.*got 2MiB - at component 1"),
        ("-E -1 -E 8M", "at component 1"),
        ("-E 100K -E -1", "a multiple of the stripe size 1MiB, got 100KiB - at component 0"),
        ("-c 9", r"at most 8, one per target \(-C allows more\), got 9"),
        ("-C 2001", "stripes of at most 2000, got 2001"),
        ("-c -2", "expected a number of stripes, or -1"),
        ("-S 1000", "a multiple of 64 KiB"),
        ("-i 8", "the index of a storage target from 0 to 7, got 8"),
        ("-o 3,x", "targets such as 0-3,7"),
        ("-o 3-1", "targets such as 0-3,7"),
        ("-o 8", "expected a server from 0 to 7, got 8"),
        ("-c", "expected a value after -c"),
        ("-L mdt -E 1M", "-L is not supported: a layout type"),
        ("--mirror-count=2", "--mirror-count is not supported: mirrors"),
        ("-Q 3", "unknown option '-Q'"),
        ("-c 1 -E 4M", "expected -E before all other options"),
    ],
)
def test_options_that_cannot_be_are_refused_by_their_names(options, message):
    with pytest.raises(LayoutError, match=message):
        from_setstripe(options, servers=8)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "e_start: 4194304",
            "e_start: 8388608",
            "expected lcme_extent.e_start 4194304, got '8388608': a hole",
        ),
        (
            "      lmm_stripe_size:   4194304\n",
            "",
            "the field lmm_stripe_size in the output of `lfs getstripe`, found none - at component 1",
        ),
        ("EOF", "4M", "at component 1"),
        (
            "lmm_pattern:       raid0",
            "lmm_pattern:       mdt",
            "expected lmm_pattern raid0 or raid0,overstriped, got 'mdt'",
        ),
        ("lmm_stripe_count", "count", "without lmm_stripe_count|the field lmm_stripe_count"),
    ],
)
def test_a_getstripe_with_holes_or_gaps_is_refused_by_its_component(old, new, message):
    with pytest.raises(LayoutError, match=message):
        from_getstripe(GETSTRIPE.replace(old, new), servers=8)


def test_the_command_that_is_written_makes_the_layout_again():
    random = np.random.default_rng(4)
    for _ in range(50):
        count = int(random.integers(1, 4))
        ends = np.cumsum(random.integers(1, 9, count))[:-1].tolist()
        words = [f"-E {end}M -c {random.integers(1, 9)}" for end in ends] + [
            f"-E -1 -C {random.integers(1, 17)}"
        ]
        layout = from_setstripe(" ".join(words), servers=8)

        again = from_setstripe(setstripe_command(layout, "a dir"), servers=8)

        assert again == layout


def test_commands_understand_and_apply_a_lustre_layout(tmp_path, capsys):
    assert run(["layout", "lustre", f"lfs setstripe {FRONTIER}", "--servers", "8"]) == 0
    assert capsys.readouterr().out.endswith(
        "lfs setstripe -E 4M -S 1M -c 1 -E 64M -S 1M -c 4 -E -1 -S 1M -c 8 DIRECTORY\n"
    )
    (tmp_path / "told").write_text(GETSTRIPE)
    assert run(["layout", "lustre", str(tmp_path / "told"), "--servers", "4"]) == 1
    assert "expected a server from 0 to 3, got 5 - at component 0" in capsys.readouterr().err
