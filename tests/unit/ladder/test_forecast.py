"""Forecasts: one line for people, JSON for programs, a table for notebooks."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import PredictionError, StriateError
from striate.interval import Interval
from striate.ladder import Answer, Forecast, Use, predict
from striate.ladder.distribution import Spread
from striate.ladder.forecast import SCHEMA
from striate.provenance import Cost, Provenance
from striate.workload import Workload
from striate.workload.operations import barrier, compute, write
from toys import toy

seconds = st.floats(0, 1e9)
intervals = st.lists(seconds, min_size=3, max_size=3).map(lambda ends: Interval(*sorted(ends)))
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
forecasts = st.builds(
    Forecast,
    workload=names,
    cluster=names,
    ranks=st.integers(1, 10**9),
    rung=names,
    seconds=intervals,
    bounds=intervals,
    answers=st.lists(
        st.builds(
            Answer,
            names,
            intervals,
            intervals,
            st.builds(Cost, seconds, seconds, st.integers(0, 2**50)),
            st.lists(names, max_size=2).map(tuple),
        ),
        max_size=3,
    ).map(tuple),
    uses=st.lists(
        st.builds(Use, names, st.integers(0, 10**6), names, seconds, seconds), min_size=1, max_size=3
    ).map(tuple),
    provenance=st.builds(
        Provenance,
        st.dictionaries(names, names, max_size=2),
        st.dictionaries(names, names, max_size=2),
        st.none() | st.integers(0, 2**63 - 1),
    ),
    within=st.none() | st.floats(0.01, 10),
    notes=st.lists(names, max_size=2).map(tuple),
)


def example(**changes):
    cost = Cost(0.31, 0.5, 2**20)
    interval = Interval(82.2, 88.4, 94.6)
    answers = (Answer("resource", Interval(1, 2, 300), Interval(1, 2, 300), Cost(0.01, 0.01, 5)),)
    answers += (Answer("macro-queue", interval, interval, cost),)
    uses = (Use("processor", 12, "processor 3", 80.0, 40.0), Use("disk", 4, "disk 1", 88.4, 80.0))
    made = Provenance({"python": "3"}, {"a.py": "sha256:0"}, None)
    whole = Forecast("solver", "westmere", 16, "macro-queue", interval, interval, answers, uses, made)
    return replace(whole, **changes)


def test_a_forecast_prints_in_one_line():
    spread = Spread("model", 0.1, 0.2, "planted")

    printed = str(example(spreads=(spread,)))

    assert printed == "88.4 s (80%: 82.2 s to 94.6 s) by macro-queue; cost 320 ms"  # 0.31 s + 0.01 s


def test_an_upper_end_that_says_nothing_is_not_printed():
    spread = Spread("order", 0.1, 0.2, "planted")
    wide, narrow = (str(example(seconds=Interval(0.5, 1.0, high), spreads=(spread,))) for high in (50.5, 50))

    assert wide.startswith("1 s (80%: 500 ms or more, no useful upper bound) by ")
    assert narrow.startswith("1 s (80%: 500 ms to 50 s) by ")


def test_a_forecast_without_sources_of_a_range_says_that_it_is_exact():
    assert str(example()) == "88.4 s (exact result of the model) by macro-queue; cost 320 ms"


def test_the_bottleneck_is_the_busiest_resource():
    assert example().bottleneck.kind == "disk"


def test_the_cost_is_that_of_all_rungs():
    assert example().cost == Cost(0.32, 0.51, 2**20)


@pytest.mark.parametrize(("within", "reached"), [(None, True), (0.16, True), (0.15, False)])
def test_a_precision_is_reached_or_not(within, reached):
    assert example(within=within).reached is reached  # (94.6 - 82.2) / 82.2 = 0.1509


@given(forecasts)
def test_json_gives_the_forecast_back(forecast):
    assert Forecast.from_json(forecast.to_json()) == forecast


def test_json_names_its_schema():
    assert json.loads(example().to_json())["schema"] == SCHEMA == "striate.forecast/2"


def altered(**changes):
    return json.dumps(json.loads(example().to_json()) | changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            altered(schema="striate.forecast/3"),
            "expected schema 'striate.forecast/2', got 'striate.forecast/3' - at $.schema (f.json)",
        ),
        (
            altered(ranks="many"),
            "not a forecast: Expected `int`, got `str` - at $.ranks (f.json)",
        ),
        (
            altered(seconds={"low": 3, "estimate": 2, "high": 4}),
            "not a forecast: expected an interval with low <= estimate <= high, got 3.0, 2.0, 4.0 "
            "- at $.seconds (f.json)",
        ),
        (
            altered(uses=[{"kind": "disk"}]),
            "not a forecast: Object missing required field `count` - at $.uses[0] (f.json)",
        ),
        ("{}", "not a forecast: Object missing required field `workload` (f.json)"),
        ("[1, 2]", "not a forecast: Expected `object`, got `array` (f.json)"),
        ("", "not a forecast: Input data was truncated (f.json)"),
        ("{]", "not a forecast: JSON is malformed: object keys must be strings (byte 1) (f.json)"),
    ],
)
def test_what_is_not_a_forecast_is_refused_with_its_path(text, message):
    with pytest.raises(PredictionError) as refusal:
        Forecast.from_json(text, source="f.json")

    assert str(refusal.value) == message


@given(st.binary(max_size=100) | st.text(max_size=50).map(str.encode))
def test_garbage_is_refused(garbage):
    with pytest.raises(PredictionError):
        Forecast.from_json(garbage)


def test_deep_nesting_is_refused():
    with pytest.raises(PredictionError):
        Forecast.from_json("[" * 100_000)


def test_a_file_is_named_in_its_refusal(tmp_path):
    path = tmp_path / "f.json"
    path.write_text(example().to_json())
    assert Forecast.load(path) == example()

    path.write_text("{}")
    with pytest.raises(PredictionError, match=r"f\.json"):
        Forecast.load(path)


def test_a_notebook_shows_names_as_text():
    page = example(workload="<script>alert(1)</script>", cluster='"><img src=x>')._repr_html_()

    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert page.count("<tr>") == 3  # the head and two rungs


def test_predict_asks_one_rung_and_says_what_was_reached():
    workload = Workload.from_program(lambda rank, ranks: [compute("2 s")], 1, name="calm")

    forecast = predict(workload, toy(), rung="resource", inputs={"calm.py": "sha256:1"})

    assert (forecast.workload, forecast.cluster, forecast.rung) == ("calm", "toy", "resource")
    assert (forecast.bounds.low, forecast.bounds.estimate) == (2.0, 2.0)
    assert forecast.bounds.high == pytest.approx(2.0, rel=1e-6)  # CPU steps of its one operation
    assert forecast.reached
    assert forecast.provenance.inputs == {"calm.py": "sha256:1"}
    assert [use.kind for use in forecast.uses] == ["processor", "server", "disk"]


def test_predict_checks_the_program_first():
    broken = Workload.from_program(lambda rank, ranks: [barrier()] * rank, 2)

    with pytest.raises(ValueError, match="on communicator 'world'"):
        predict(broken, toy())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"rung": "magic"},
            "expected a forecasting method (rung) among resource, queueing, macro-rr, macro-queue, micro, flow, "
            "fine, got 'magic'",
        ),
        ({"within": 0}, 'expected a share such as "20%" or 0.2, above 0, got 0'),
        ({"within": float("nan")}, 'expected a share such as "20%" or 0.2, above 0, got nan'),
    ],
)
def test_predict_refuses_what_it_cannot_do(options, message):
    workload = Workload.from_program(lambda rank, ranks: [write("f", size=8)], 1)

    with pytest.raises(StriateError) as refusal:
        predict(workload, "laptop", **options)

    assert str(refusal.value) == message
