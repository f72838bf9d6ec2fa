"""Collective I/O in two phases on the packet engine: exactly the bytes asked for reach the disks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machines import SWITCH, node, run_application
from striate.cluster.builders import star
from striate.collectives.columns import CollectiveBook
from striate.layout import Extents
from striate.workload import Workload
from striate.workload import operations as op

RANKS = 3
DISK = {"kind": "simple", "rate": "100 MB/s", "access": "1 ms"}
runs = st.lists(st.tuples(st.integers(0, 500_000), st.integers(1, 90_000)), max_size=4).map(Extents.of)


@pytest.fixture(scope="module")
def machine():
    servers = {"name": "storage", "count": 2, "on": "apart", "like": "compute", "disk": DISK}
    return star(node=node(RANKS), switch=SWITCH, server=[servers])


def play(machine, asked, aggregators, write):
    def program(rank, ranks):
        call = op.write_all if write else op.read_all
        yield op.open_file("data", create=True)
        yield call("data", extents=(asked[rank].offsets.tolist(), asked[rank].sizes.tolist()))
        yield op.close_file("data")

    collective = {"data": f"two-phase:{aggregators}:100000B"}
    application = Workload.from_program(program, ranks=RANKS, collective=collective).applications[0]
    return run_application(application, machine, machine.place(RANKS), collectives=CollectiveBook.empty())


def distinct_bytes(asked):
    together = Extents.of(
        [run for extents in asked for run in zip(extents.offsets, extents.sizes, strict=True)]
    )
    return int(together.merged().sizes.sum())


@settings(max_examples=25)
@given(st.lists(runs, min_size=RANKS, max_size=RANKS), st.integers(1, RANKS), st.booleans())
def test_disks_see_every_byte_asked_for_once(machine, asked, aggregators, write):
    result = play(machine, asked, aggregators, write)
    moved = result.disk_bytes_written if write else result.disk_bytes_read

    assert moved.sum() == distinct_bytes(asked)


def test_two_phases_beat_many_small_accesses(machine):
    """Blocks of 1 kB dealt to ranks in turn: 3 * 300 seeks of 1 ms one by one, or 9 large accesses."""
    block, blocks = 1000, 300
    asked = [
        Extents([(turn * RANKS + rank) * block for turn in range(blocks)], [block] * blocks)
        for rank in range(RANKS)
    ]

    def one_by_one(rank, ranks):
        yield op.open_file("data", create=True)
        for offset in asked[rank].offsets.tolist():
            yield op.read("data", offset=offset, size=block)
        yield op.close_file("data")

    application = Workload.from_program(one_by_one, ranks=RANKS).applications[0]
    single = run_application(application, machine, machine.place(RANKS), collectives=CollectiveBook.empty())

    assert play(machine, asked, RANKS, write=False).end < single.end / 10
