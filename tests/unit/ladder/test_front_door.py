"""One front door: the same rungs for workloads, traces and streams; the command; what the forecast tells."""

import json
import runpy
from pathlib import Path

import pytest

from machines import SWITCH, node, server
from striate.apps import titan, vmscope
from striate.cli.main import run
from striate.cluster import load_cluster
from striate.cluster.builders import star
from striate.errors import PredictionError
from striate.ladder import Forecast, predict
from striate.ladder.decision import TREE
from striate.ladder.predict import subject_of
from striate.ladder.validity import Traffic, contention_check
from striate.rungs.answer import RUNGS
from striate.rungs.cost import speed_learnt
from striate.workload import Workload
from striate.workload import operations as op
from toy_traces import row, trace_of

ROOT = Path(__file__).resolve().parents[3]


def machine(nodes=4, **settings):
    return star(node=node(nodes), switch=SWITCH, server=server(2), settings=settings)


def exchange(rank, ranks):
    yield op.compute("5 ms")
    yield op.sendrecv((rank + 1) % ranks, "100 kB", source=(rank - 1) % ranks)
    yield op.write(f"own{rank}", size="200 kB")


@pytest.mark.parametrize("rung", [name for name in RUNGS if name != "queueing"])
@pytest.mark.parametrize("kind", ["workload", "stream"])
def test_every_rung_takes_workloads_and_streams(rung, kind):
    given = (
        Workload.from_program(exchange, 4) if kind == "workload" else titan.flows(volume="10 MB", mesh=(2, 2))
    )

    forecast = predict(given, machine(), rung=rung)

    assert forecast.rung == rung
    assert forecast.seconds.estimate > 0
    assert forecast.stopped == f"only {rung} was asked for"


def test_a_trace_is_predicted_as_the_workload_it_shows():
    rows = [
        row(rank, "write", step, step + 0.1, file=0, offset=step * 10, bytes=10)
        for rank in (0, 1)
        for step in (1, 2)
    ]
    trace = trace_of(rows)

    told, shown = (predict(given, machine(), rung="micro") for given in (trace, Workload.from_trace(trace)))

    assert told.seconds == shown.seconds
    assert told.seconds.estimate > 0


def test_the_tree_knows_every_rung():
    assert set(RUNGS) <= set(TREE)


@pytest.mark.parametrize(("app", "chosen"), [("titan", "fine"), ("vmscope", "resource")])
def test_the_command_finds_the_example_where_it_lies(monkeypatch, capsys, app, chosen):
    monkeypatch.chdir(ROOT / "examples")

    assert run(["predict", f"{app}.toml", "sp2", "--within", "20%"]) == 0

    shown = capsys.readouterr().out
    assert f"chosen: {chosen}, because" in shown
    assert "proved: no run takes less than" in shown


def test_titan_refuses_resource_for_its_groups_and_names_what_it_ran():
    forecast = predict(titan.flows(volume="500 MB"), load_cluster("sp2"), within=0.2)

    groups = next(check for check in forecast.checks if check.name == "groups of events")
    assert not groups.passed
    coarse = ["macro-rr", "macro-queue", "micro"]
    assert [answer.rung for answer in forecast.answers if answer.counted] == [*coarse, "fine"]
    fine = forecast.answers[-1].raw.estimate
    assert all(fine in answer.raw for answer in forecast.answers)


def test_titan_on_a_network_without_contention_stops_at_a_coarse_rung():
    # computing takes so long that neither sends nor reads matter
    quiet = titan.flows(volume="500 MB", compute_per_block="400 ms")

    forecast = predict(quiet, load_cluster("sp2"), within=0.5)

    assert forecast.rung == "macro-queue"
    assert [answer.rung for answer in forecast.answers] == ["macro-rr", "macro-queue"]
    assert forecast.reached
    fine = predict(quiet, load_cluster("sp2"), rung="fine").seconds.estimate
    assert fine in forecast.bounds


def test_the_microscope_agrees_with_the_finest_rung():
    flows = vmscope.flows(slides=1, slide="100 MB")

    forecast = predict(flows, load_cluster("sp2"), within=0.2)

    assert forecast.rung == "resource"
    assert predict(flows, load_cluster("sp2"), rung="fine").seconds.estimate in forecast.bounds


def test_what_fine_would_cost_is_told_when_it_is_too_dear():
    forecast = predict(titan.flows(), load_cluster("sp2"), within=0.2, budget="50 ms")

    assert not forecast.reached
    assert "fine would take" in " ".join((forecast.stopped, *forecast.notes))


def test_a_rung_that_is_named_keeps_a_budget_that_is_given():
    flows = titan.flows()

    with pytest.raises(PredictionError, match=r"fine would take about .* more than the budget of 50 ms"):
        predict(flows, load_cluster("sp2"), rung="fine", budget="50 ms")
    assert predict(flows, load_cluster("sp2"), rung="macro-rr", budget="50 ms").rung == "macro-rr"


def test_the_forecast_goes_to_json_and_back_with_all_that_is_new():
    forecast = predict(Workload.from_program(exchange, 4), machine(), within=0.01)

    assert Forecast.from_json(forecast.to_json()) == forecast
    document = json.loads(forecast.to_json())
    assert document["stopped"]
    assert document["proved"]["low"] > 0
    assert all(answer["expected_seconds"] > 0 for answer in document["answers"])


def test_costs_are_corrected_by_what_was_seen():
    assert speed_learnt([0.1, 0.2], [0.3, 0.6]) == pytest.approx(3.0)
    assert speed_learnt([0.001, 0.01], [0.05, 1e-6]) == 1.0  # too short to tell
    assert speed_learnt([], []) == 1.0


@pytest.mark.parametrize(("apart", "passed"), [(10**12, True), (10**6, False)])
def test_contention_depends_on_how_often_blocks_are_sent(apart, passed):
    traffic = Traffic(senders=3, block_bytes=10**6, between_picoseconds=apart, most_blocks=100)

    check = contention_check(traffic, machine(), tolerance_seconds=0.11)

    # all three send at once, but only those in a hurry go on getting in each other's way
    assert check.effect_seconds > 0
    assert check.passed is passed


def test_messages_of_one_partner_cannot_crowd():
    traffic = Traffic(senders=1, block_bytes=10**6, between_picoseconds=10, most_blocks=100)

    assert contention_check(traffic, machine(), tolerance_seconds=0.0).passed


def test_section_5_is_told_what_the_cluster_says():
    slow = machine(io_cpu="1 ms", io_variation="2 ms")
    flows = titan.flows(volume="10 MB", mesh=(2, 2))

    subject = subject_of(flows, slow)

    assert subject.inputs.io_cpu == 0.001
    assert subject.inputs.io_difference == 0.002
    assert subject.inputs.communication == pytest.approx(128e3 / 1e9 + 2.2e-6, rel=0.01)  # 1 GB/s uplinks


def test_processors_that_do_the_protocol_work_have_less_time_to_compute():
    flows = titan.flows(volume="50 MB", mesh=(2, 2), compute_per_block="1 ms")

    own, relieved = (
        predict(flows, machine(protocol=who), rung="micro") for who in ("processor", "interface")
    )

    assert own.seconds.estimate >= relieved.seconds.estimate
    assert subject_of(flows, machine(protocol="interface")).costs.links


def test_the_picture_of_the_tree_is_the_one_in_the_documents():
    drawn = runpy.run_path(str(ROOT / "tools" / "draw_decisions.py"))["decision_picture"]()

    assert (ROOT / "docs" / "images" / "decision-tree.svg").read_text() == drawn
