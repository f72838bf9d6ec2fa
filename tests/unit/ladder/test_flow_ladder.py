"""The ladder over streams: bounds by the paper's formulas, validity tests, the decision tree, the command."""

import itertools
import json

import pytest

from striate.apps import spec, titan, vmscope
from striate.cli.main import run
from striate.cluster import load_cluster
from striate.errors import WorkloadError
from striate.ladder import Forecast, predict
from striate.ladder.bounds import Inputs, booked_of, dependency_bounds, errors_of, resource_bounds
from striate.ladder.decision import START, TREE, Rung, RungTrial
from striate.workload.flows import FlowCosts, Graph, ListedFlows

SECOND = 10**12


@pytest.fixture(scope="module")
def sp2():
    return load_cluster("sp2")


def test_bounds_are_the_sums_of_section_5():
    # two processors with a disk each; disk 0's two blocks go to processor 1, disk 1's block stays
    flows = ListedFlows(
        "hand",
        2,
        1,
        1000,
        ((Graph(0, (1,), False, SECOND), Graph(0, (1,), False, SECOND), Graph(1, (), True, SECOND)),),
    )
    costs = FlowCosts(10 * SECOND, 2 * SECOND, overlap=False)
    inputs = Inputs(0.5, 0.25, 0.125, 2.0, overlap=False, disks_per_processor=1)

    result = flows.run("macro-rr", costs)
    errors = errors_of(booked_of(result, inputs), inputs)

    # communication: 4 s on processor 0 (two sends), 4 s on processor 1; work: 4 s and 4 + 2 + 1 = 7 s
    assert (errors.balance, errors.event_delay) == (0.0, 3.0)
    assert errors.fan_out == (1 + 2) * 2.0  # E_FOh = (FO + N_disk) * T_comm
    assert (errors.random_io, errors.io_variation, errors.overlap) == (2 * 0.5, 2 * 0.25, 2 * 0.125)
    bounds = dependency_bounds(result.ticks / 1e12, errors, rung="macro-rr")
    # read 10, send 2, read 10, send 2; the last block is computed for 1 s more
    assert (bounds.low, bounds.estimate, bounds.high) == (25.0 - 6.0, 25.0, 25.0 + 3.0 + 1.0 + 0.5 + 0.25)
    resource = resource_bounds(flows.run("resource", costs), inputs)
    # with communication: both processors with their I/O calls, and the worst disk
    assert resource.high == (4 + 2 * 0.125) + (7 + 0.125) + (20 + 2 * 0.75)


def test_without_communication_a_processor_waits_for_its_own_disk_only():
    flows = ListedFlows("hand", 2, 1, 1000, ((Graph(0, (), True, SECOND), Graph(1, (), True, 3 * SECOND)),))
    inputs = Inputs(0.0, 0.0, 0.0, 2.0, overlap=True, disks_per_processor=1)

    bounds = resource_bounds(flows.run("resource", FlowCosts(10 * SECOND, 0, True)), inputs)

    assert (bounds.low, bounds.high) == (10.0, 13.0)


def test_the_microscope_selects_the_resource_rung(sp2):
    forecast = predict(vmscope.flows(), sp2, within=0.20)

    assert forecast.rung == "resource"
    assert forecast.reached
    assert all(check.passed for check in forecast.checks)


def test_titan_is_refused_to_the_resource_rung_by_its_groups(sp2):
    forecast = predict(titan.flows(volume="1 GB"), sp2, within=0.20)

    failed = {check.name for check in forecast.checks if not check.passed}
    assert "groups of events" in failed
    assert "resource" not in [answer.rung for answer in forecast.answers]


def test_failed_tests_make_an_answer_that_is_not_to_be_trusted(sp2):
    crowded = titan.flows(disks_per_processor=64)

    forecast = predict(crowded, sp2, within=0.20, budget="100 ms")

    assert not next(check for check in forecast.checks if check.name == "contention").passed
    assert not forecast.trusted
    assert not forecast.reached
    assert not any(answer.counted for answer in forecast.answers)
    assert any("fine would take about" in note for note in forecast.notes)


def test_random_reads_are_weighed_by_the_scale_test(sp2):
    forecast = predict(titan.flows(sequential=False), sp2, within=0.20, budget="100 ms")

    checks = {check.name: check for check in forecast.checks}
    assert not checks["sequential I/O"].passed
    assert checks["I/O scale"].effect_seconds > 0


@pytest.mark.parametrize("app", [titan.flows, vmscope.flows])
def test_combined_bounds_are_nested_unless_a_rung_says_they_contradict(sp2, app):
    forecast = predict(app(volume="200 MB") if app is titan.flows else app(slides=1), sp2, within=1e-9)

    counted = [answer for answer in forecast.answers if answer.counted]
    for coarse, fine in itertools.pairwise(counted):
        if not fine.notes:
            assert coarse.combined.low <= fine.combined.low
            assert fine.combined.high <= coarse.combined.high


def test_the_tree_ends_in_the_fine_rung_and_reaches_every_rung():
    reached, open_ends = set(), [START]
    while open_ends:
        name = open_ends.pop()
        reached.add(name)
        node = TREE[name]
        ways = (node.passed, node.failed) if isinstance(node, RungTrial) else (node.wider,)
        open_ends += [way for way in ways if way and way not in reached]

    assert reached == set(TREE)
    assert [name for name, node in TREE.items() if isinstance(node, Rung) and node.wider is None] == ["fine"]


def test_the_command_prints_the_papers_table_and_round_trips_json(tmp_path, capsys):
    path = tmp_path / "vmscope.toml"
    path.write_text('app = "vmscope"\nslides = 2\n')

    assert run(["predict", str(path), "sp2", "--within", "20%"]) == 0
    table = capsys.readouterr().out
    assert run(["predict", str(path), "sp2", "--within", "20%", "--json"]) == 0
    forecast = Forecast.from_json(capsys.readouterr().out)

    assert "predicted" in table
    assert "speed-up" in table
    assert "groups of events" in table
    assert forecast.rung == "resource"
    assert json.loads(forecast.to_json())["checks"][0]["name"] == "machine parts"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("app = 3", "expected the name of an application, got 3 - at $.app"),
        ('app = "titan"\nwindows = 3', "titan has no parameter 'windows'"),
        (
            'app = "titan"\nqueries = "many"',
            "expected a parameter value of the same type as 12, got 'many' - at $.queries",
        ),
        ('app = "titan"\nmesh = [4]', "expected 2 numbers, got [4] - at $.mesh"),
        ('app = "titan"\nvolume = "12 parsecs"', "expected a size such as"),
        ('app = "titan"\nwindow = [0.5, 0.0, 0.4, 1.0]', "expected a query window"),
        ('app = "vmscope"\nzoom = 0.5', "a zoom from 1 to 1000000"),
        ("app = ", "not TOML"),
    ],
)
def test_a_wrong_description_is_one_line_with_its_path(tmp_path, capsys, text, message):
    path = tmp_path / "app.toml"
    path.write_text(text)

    status = run(["predict", str(path), "sp2"])

    error = capsys.readouterr().err
    assert status == 1
    assert error.count("\n") == 1
    assert message in error


def test_emulated_tables_are_checked_before_they_are_used():
    with pytest.raises(WorkloadError, match="expected a parameter value of the same type as True, got 1"):
        spec.from_tables({"app": "titan", "sequential": 1})
