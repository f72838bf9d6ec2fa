"""Files with layouts of their own: where fine and resource put their bytes, and how they are declared."""

import numpy as np
import pytest

from machines import SWITCH, node, run_application
from striate.cluster.builders import star
from striate.collectives.columns import CollectiveBook
from striate.errors import PredictionError, WorkloadError
from striate.ladder import predict
from striate.layout import Basic, Extents, GroupedBlocks, SimpleStripe, TwoDStripe, VarStrip, from_setstripe
from striate.rungs.ledger import sum_up
from striate.rungs.resource import clocks_of
from striate.workload import Spmd, Workload
from striate.workload import operations as op

KIB = 1 << 10
LAYOUTS = [
    SimpleStripe(3, 10 * KIB),
    VarStrip([(0, 5 * KIB), (2, 70 * KIB), (1, 1 * KIB)]),
    TwoDStripe(4, 8 * KIB, 2, 3),
    Basic(),
    GroupedBlocks(4, 50 * KIB, 3, 4 * KIB),
    from_setstripe("-E 64K -S 64K -c 1 -E 192K -c 2 -E -1 -C 6", servers=4),
]


def cluster(ranks=3, servers=4, disk=None, **settings):
    table = {
        "name": "storage",
        "count": servers,
        "on": "apart",
        "like": "compute",
        "disk": disk or {"kind": "simple", "rate": "100 MB/s", "access": "1 ms"},
    }
    return star(node=node(ranks), switch=SWITCH, server=[table], settings=settings)


def program(rank, ranks):
    yield op.open_file("first", create=True)
    yield op.write("first", offset=rank * 130 * KIB, size=100 * KIB)
    yield op.write("second", offset=rank * KIB, size=KIB, count=20, stride=ranks * KIB)
    yield op.read("second", extents=([0, 7000, 50_000], [3000, 10, 9000]))


def played(workload, machine):
    (application,) = workload.applications
    placement = machine.place(application.ranks)
    return run_application(application, machine, placement, collectives=CollectiveBook.empty())


def test_the_default_stripe_written_out_takes_the_same_picoseconds():
    machine = cluster(stripe_unit="10 KiB")
    stripe = SimpleStripe(4, 10 * KIB)
    plain = Workload.from_program(program, 3)
    told = Workload.from_program(program, 3, layouts={"first": stripe, "second": str(stripe)})

    one, other = played(plain, machine), played(told, machine)

    assert one.rank_end.tolist() == other.rank_end.tolist()
    assert one.disk_bytes_written.tolist() == other.disk_bytes_written.tolist()
    assert clocks_of(plain, machine).disk.tolist() == clocks_of(told, machine).disk.tolist()
    assert predict(plain, machine, rung="resource").seconds == predict(told, machine, rung="resource").seconds


def test_one_component_over_all_servers_takes_the_same_picoseconds_as_the_stripe():
    machine = cluster(stripe_unit="64 KiB")
    plain = Workload.from_program(program, 3)
    layout = from_setstripe("-S 64K -c -1", servers=4)
    told = Workload.from_program(program, 3, layouts={"first": layout, "second": layout})

    assert played(plain, machine).rank_end.tolist() == played(told, machine).rank_end.tolist()
    assert clocks_of(plain, machine).disk.tolist() == clocks_of(told, machine).disk.tolist()


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_both_rungs_put_every_byte_on_the_server_the_layout_names(layout):
    """File 0 begins on server 0, file 1 on server 1."""
    machine = cluster()
    workload = Workload.from_program(program, 3, layouts={"first": layout, "second": layout})
    runs = [
        (0, [rank * 130 * KIB for rank in range(3)], [100 * KIB] * 3),
        (1, [KIB * (rank + 3 * block) for block in range(20) for rank in range(3)], [KIB] * 60),
    ]
    expected = np.zeros(4, np.int64)
    for file, offsets, sizes in runs:
        pieces = layout.split(Extents(offsets, sizes))
        np.add.at(expected, (pieces.server + file) % 4, pieces.size)

    (application,) = workload.applications
    sums = sum_up(application, machine, machine.place(3), slice(0, 3))

    assert played(workload, machine).disk_bytes_written.tolist() == expected.tolist()
    assert sums.server_written.tolist() == expected.tolist()


def test_a_file_on_one_server_takes_its_disks_alone():
    """12 MB at 100 MB/s: 120 ms on one server, 30 ms on each of four."""

    def writes(rank, ranks):
        yield op.write("data", offset=rank * 4_000_000, size=4_000_000)
        yield op.sync_file("data")

    machine = cluster(disk={"kind": "simple", "rate": "100 MB/s"})
    spread, alone = (
        predict(Workload.from_program(writes, 3, layouts={"data": layout}), machine, rung=rung)
        for layout, rung in ((None, "fine"), ("basic", "fine"))
    )

    assert alone.seconds.estimate > 0.120
    assert spread.seconds.estimate < 0.100


def test_files_of_one_declaration_begin_on_one_server_after_the_other():
    body = Spmd(4)
    mine = body.files("rank-{}", layout=Basic(), per_rank=True)
    body.write(mine, size=body.rank * 1000 + 1000)

    result = played(body.workload(), cluster(ranks=4))

    assert result.disk_bytes_written.tolist() == [1000, 2000, 3000, 4000]


def test_a_layout_of_too_many_servers_is_refused_by_name():
    workload = Workload.from_program(program, 3, layouts={"second": "simple:5:64KiB"})

    with pytest.raises(
        PredictionError,
        match=r"at most the 4 servers of the cluster, got 'simple:5:64KiB' - at file 'second'",
    ):
        predict(workload, cluster(), rung="fine")


@pytest.mark.parametrize(
    ("layouts", "message"),
    [
        ({"third": "basic"}, "expected the name of a file of the program 'program', got 'third'"),
        ({"first": "stripes"}, "expected a layout such as"),
        ({"first": "simple:0:1KiB"}, "servers"),
    ],
)
def test_wrong_declarations_are_refused(layouts, message):
    with pytest.raises(WorkloadError, match=message):
        Workload.from_program(program, 3, layouts=layouts)


def test_layouts_are_changed_for_a_whole_workload_and_survive_saving(tmp_path):
    both = Workload.together(Workload.from_program(program, 2), Workload.from_program(program, 1))
    changed = both.with_layouts({"first": VarStrip("0:1KiB;1:2KiB")})
    changed.save(tmp_path / "both.parquet")

    loaded = Workload.load(tmp_path / "both.parquet")

    assert [[file.layout for file in app.files] for app in loaded.applications] == [
        ["varstrip:0:1KiB;1:2KiB", None]
    ] * 2
    with pytest.raises(WorkloadError, match="expected one of the program's files first, second, got 'none'"):
        both.with_layouts({"none": "basic"})


def test_a_text_that_is_no_layout_is_refused_where_the_file_is_declared():
    with pytest.raises(WorkloadError, match=r"expected 2 fields after the name as in .* - at file 'f'"):
        Spmd(1).files("f", layout="simple")
