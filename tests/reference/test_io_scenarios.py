"""I/O scenarios of PIOsimHD through the packet engine: all within 2 %, most to the nanosecond."""

import json
from collections import Counter

import pytest

from parity.io_machine import run_io
from parity.io_scenario import read_figure_row, read_scenario

# Clients that act at the same instant: which packet comes first at which server is a tie, and decides the seeks. By our
# own rule of ties this is 11 % too short; in the order of a plain event heap, as the original serves them, it is exact.
DECIDED_BY_TIES = "io_write_lvl0_8c8s_32x1MiB_AggregationReorderCache_ram1000"


@pytest.fixture(scope="module")
def reference(data):
    return json.loads((data / "reference" / "piosimhd_scenarios.json").read_text())


@pytest.fixture(scope="module")
def runs(reference):
    rows = [row for row in reference["scenarios"] if row["group"] == "io"]
    return [(row, run_io(read_scenario(row))) for row in rows]


def relative(row, run):
    return run.end / 1000 / row["virtual_time_ns"] - 1


def test_every_scenario_is_within_two_per_cent_and_most_within_a_microsecond(runs):
    error = {row["id"]: relative(row, run) for row, run in runs}
    exact = [row["id"] for row, run in runs if abs(run.end // 1000 - row["virtual_time_ns"]) < 1000]
    print(Counter(f"{abs(value):.0e}" for value in error.values()))

    assert {name: f"{value:+.1%}" for name, value in error.items() if abs(value) > 0.02} == {}
    assert len(exact) >= 0.9 * len(error)


def test_the_order_of_ties_alone_can_take_a_case_beyond_two_per_cent(runs):
    row, run = next(one for one in runs if one[0]["id"] == DECIDED_BY_TIES)

    assert abs(run.end // 1000 - row["virtual_time_ns"]) < 1000
    assert abs(relative(row, run_io(read_scenario(row), heap_ties=False))) > 0.02


def test_one_client_or_one_server_is_right_within_a_microsecond(runs):
    alone = [(row, run) for row, run in runs if row["processes"] == 1 or len(row["disks"]) == 1]
    assert len(alone) > 10

    assert all(abs(run.end // 1000 - row["virtual_time_ns"]) < 1000 for row, run in alone)


def test_disks_move_exactly_the_bytes_asked_for(runs):
    for row, run in runs:
        moved = run.disk_bytes_written if row["parameters"]["write"] else run.disk_bytes_read

        assert sorted(moved.tolist()) == sorted(disk["bytes"] for disk in row["disks"]), row["id"]


def test_one_server_seeks_as_often_as_in_the_reference(runs):
    for row, run in runs:
        if len(row["disks"]) == 1:
            (disk,) = row["disks"]
            found = run.disk_operations[0], run.disk_sequential[0], run.disk_near_seeks[0]

            assert found == (disk["ops"], disk["noseek"], disk["shortseek"]), row["id"]


def test_large_validation_runs_are_within_two_per_cent(reference):
    """Those of at most two million events; the reference took seconds for each."""
    rows = [row for row in reference["fig5_type"] if row["block"] > 1 << 20 or row["level"] == 2]
    assert len(rows) >= 3

    for row in rows:
        assert abs(relative(row, run_io(read_figure_row(row)))) < 0.02, row
