"""The I/O twin against the reference scenarios: the rules to the nanosecond, the ties within a few per cent."""

import json
from pathlib import Path
from typing import Any

import pytest

from parity.io_machine import run_io
from parity.io_scenario import read_scenario
from parity.io_twin import IoTwin
from parity.supply_twin import FlowTwin
from parity.untied_twin import UntiedTwin

SLACK = 10  # nanoseconds: steps of a few commands that the twin leaves out
QUICK = 30_000  # events of a scenario that takes well under a second here


@pytest.fixture(scope="module")
def rows(data: Path) -> dict[str, dict[str, Any]]:
    reference = json.loads((data / "reference" / "piosimhd_scenarios.json").read_text())
    return {row["id"]: row for row in reference["scenarios"] if row["group"] == "io"}


def difference(row: dict[str, Any], twin: type[FlowTwin]) -> int:
    return IoTwin(read_scenario(row), twin).run() - row["virtual_time_ns"]


def test_one_client_is_exact_whatever_the_cache(rows):
    alone = [row for row in rows.values() if row["processes"] == 1 and row["events"] < QUICK]
    assert len({row["cache_layer"] for row in alone}) == 4

    assert all(abs(difference(row, FlowTwin)) <= SLACK for row in alone)


@pytest.mark.parametrize(
    "name",
    [
        "io_write_lvl0_2c2s_10x10MiB_NoCache_ram1000",  # a busy disk stops the interface: clients alternate
        "io_write_lvl0_2c2s_10x10MiB_AggregationReorderCache_ram1000_flushclose",
        "io_write_lvl1_2c2s_32x1MiB_AggregationReorderCache_ram1000",
        "io_write_lvl2_2c2s_32x1MiB_AggregationReorderCache_ram1000",
        "io_read_lvl0_2c2s_32x1MiB_AggregationReorderCache_ram1000",
    ],
)
def test_competing_clients_are_exact_where_no_tie_decides(rows, name):
    assert abs(difference(rows[name], FlowTwin)) <= SLACK


def test_disks_seek_as_often_as_in_the_reference(rows):
    row = rows["io_read_lvl0_4c1s_10x10MiB_AggregationReorderCache_ram1000"]
    twin = IoTwin(read_scenario(row))
    twin.run()
    disk, expected = twin.servers[0].queue.disk, row["disks"][0]

    assert (disk.operations, disk.sequential, disk.near) == (
        expected["ops"],
        expected["noseek"],
        expected["shortseek"],
    )


@pytest.mark.parametrize(
    "name",
    [
        "io_write_lvl0_8c8s_32x1MiB_AggregationReorderCache_ram1000",  # under defined ties 11 % off
        "io_write_lvl1_4c4s_100x100KiB_AggregationReorderCache_ram1000",
        "io_read_lvl1_4c4s_100x100KiB_AggregationReorderCache_ram1000",
        "io_write_lvl2_4c4s_100x100KiB_AggregationReorderCache_ram1000",
        "io_write_lvl0_4c0s_ov4_10x10MiB_AggregationReorderCache_ram1000",
    ],
)
def test_with_the_ties_of_a_bare_heap_even_clients_in_step_are_exact(rows, name):
    assert abs(difference(rows[name], UntiedTwin)) <= SLACK


def test_small_scenarios_are_within_two_per_cent(rows):
    small = [row for row in rows.values() if row["events"] < QUICK and row["processes"] > 1]
    error = {row["id"]: difference(row, FlowTwin) / row["virtual_time_ns"] for row in small}

    assert {name: value for name, value in error.items() if abs(value) > 0.02} == {}


def test_the_engine_does_as_its_twin(rows):
    """Steps of commands differ by a few nanoseconds an operation; disks must not differ at all."""
    for row in rows.values():
        scenario = read_scenario(row)
        if row["events"] > QUICK or row["parameters"]["level"] == 1:  # level 1: all ranks tie
            continue
        twin, run = IoTwin(scenario), run_io(scenario, heap_ties=False)
        end = twin.run()
        operations = [server.queue.disk.operations for server in twin.servers]

        assert run.disk_operations.tolist() == operations, row["id"]
        assert run.end // 1000 == pytest.approx(end, abs=1000), row["id"]


def test_the_engine_does_as_the_twin_with_the_ties_of_a_bare_heap(rows):
    for row in rows.values():
        if row["events"] > QUICK or row["processes"] == 1:
            continue
        scenario = read_scenario(row)

        assert run_io(scenario).end // 1000 == pytest.approx(IoTwin(scenario, UntiedTwin).run(), abs=20), row[
            "id"
        ]
