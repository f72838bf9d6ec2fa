"""The summary of a page: what it says of runs and forecasts, without a browser."""

from dataclasses import replace

import pytest

import striate
from darshan_logs import ALL, MIB, Log, merged, posix
from striate.advice import Advice, Change, Evidence, Item
from striate.apps import checkpoint
from striate.formats.read import read_trace
from striate.interval import Interval
from striate.ladder import Use, predict
from striate.pages.run import Run, runs_of
from striate.pages.views.activity import activity_of
from striate.pages.views.report import view
from striate.pages.where import REST, where_time_went
from striate.pages.words import against
from striate.provenance import Provenance
from unit.pages.runs import small, trace


@pytest.fixture(scope="module")
def forecast():
    return predict(checkpoint.workload(ranks=4), "westmere", within=0.01, rung="resource")


def card(*items):
    return view(runs_of(items)).data["runs"][0]


def test_parts_add_up_to_the_run():
    parts = where_time_went(small())

    assert [part.name for part in parts] == ["reading", "writing", "messages", REST]
    assert sum(part.mean_seconds for part in parts) == pytest.approx(small().seconds)
    assert parts[1].mean_seconds == pytest.approx(0.040)  # two system calls inside one call count once


def test_a_moment_of_two_things_counts_once():
    rows = [(0, "mpi-io", "write", 0, 10), (0, "mpi", "barrier", 5, 15)]
    parts = {part.name: part.mean_seconds for part in where_time_went(trace(rows, ranks=1))}

    assert parts == pytest.approx({"writing": 0.010, "messages": 0.005, REST: 0.0})


def test_a_trace_is_told_in_words():
    words = " ".join(card(small())["words"])

    assert "2 ranks ran for 90 ms, read 8 KiB and wrote 2 MiB in 1 file, in 12 operations." in words
    assert "The largest known part is writing: 44% of an average rank's time" in words


def test_a_rank_that_is_worse_than_the_mean_is_named():
    rows = [(0, "posix", "write", 0, 10), (1, "posix", "write", 0, 90)]

    assert (
        "Rank 1 was 1.8 times as long in I/O as the mean: 90 ms against 50 ms." in card(trace(rows))["words"]
    )


def test_a_forecast_with_a_timeline_is_two_things_to_show():
    played = predict(checkpoint.workload(ranks=2), "westmere", within=None, timeline=True)
    first, second = view(runs_of([played])).data["runs"]

    assert (first["origin"], second["origin"]) == ("forecast", "simulated")
    assert second["name"] == "checkpoint on westmere, simulated"
    assert [part["name"] for part in second["busy"]] == ["servers", "links and interfaces", "disks"]
    assert all(0 < part["share"] <= 1 for part in second["busy"])


def test_a_forecast_says_the_time_and_its_range(forecast):
    shown = card(forecast)
    words = " ".join(shown["words"])

    assert shown["name"] == "checkpoint on westmere"
    assert "4 ranks of checkpoint on westmere take " in words
    assert "by the resource rung" in words
    assert "The bounds are wider than the 1% that were asked for." in words
    assert f"numpy {forecast.provenance.versions['numpy']}" in shown["made"]
    assert [rung["name"] for rung in shown["rungs"]] == ["80% of runs", "resource"]


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ((0.08, 0.10, 0.12), "inside the forecast's range (80 ms to 120 ms); the estimate is +11.1% off"),
        ((0.1, 0.1, 0.1), "10.0% below the lower bound of the forecast (100 ms)"),
        ((0.05, 0.06, 0.08), "12.5% above the upper bound of the forecast (50 ms to 80 ms)"),
    ],
)
def test_a_forecast_is_held_against_what_was_observed(forecast, bounds, words):
    said = against(Run("run", trace=small()), replace(forecast, seconds=Interval(*bounds)))

    assert said.startswith("run took 90 ms, ")
    assert words in said


def test_an_unbounded_rung_has_no_high_end(forecast):
    open_ended = replace(
        forecast,
        seconds=Interval(1.0, 2.0, float("inf")),
        answers=(replace(forecast.answers[0], combined=Interval(1.0, 2.0, float("inf"))),),
    )

    assert card(open_ended)["rungs"][0]["high"] is None
    assert "unbounded" in striate.show(open_ended)


def test_a_forecast_of_nothing_has_a_page(forecast):
    empty = replace(forecast, seconds=Interval(0.0, 0.0, 0.0), answers=(), notes=(), uses=())

    assert "0 s" in striate.show(empty)


def advice_on(program):
    item = Item(
        "stripe",
        "Use four servers",
        "critical",
        Evidence(12, 4096, 1.0, "one server has all the work"),
        "The file cannot be quicker than its server.",
        Interval(1.0, 2.0, 3.0),
        Interval(1.0, 1.5, 2.0),
        0.25,
        "observed",
        Change("Set the stripe", hints={"striping_factor": "4"}, commands=("lfs setstripe -c 4 .",)),
        "trace it again",
    )
    return Advice(program, "westmere", 6.0, 3.0, (item,), notes=("unaligned: not simulated",))


def test_advice_is_shown_and_never_made_up(tmp_path):
    (tmp_path / "advice.json").write_text(advice_on("solver").to_json())

    assert view(runs_of([small()])).data["advice"] == []
    for given in (advice_on("solver"), tmp_path / "advice.json"):
        data = view(runs_of([small(), given])).data
        assert data["advice"] == [
            {
                "title": "Use four servers",
                "severity": "critical",
                "gain": "saves 1 s to 2 s, 25% of the run",
                "evidence": "one server has all the work",
                "change": "Set the stripe",
                "lines": ["striping_factor = 4", "lfs setstripe -c 4 ."],
                "verify": "trace it again",
            }
        ]
        assert data["notes"] == ["unaligned: not simulated"]
        assert len(data["runs"]) == 1


def test_flags_of_the_data_are_shown():
    assert card(small(flags=("the log ends early",)))["flags"] == ["the log ends early"]


def test_hostile_names_of_a_forecast_are_data(forecast):
    name = "</script><img src=x onerror=alert(1)>"
    hostile = replace(
        forecast,
        workload=name,
        cluster=name,
        notes=(name,),
        uses=(Use(name, 3, name, 1.0, 0.5),),
        provenance=Provenance({name: name}, {name: name}),
    )

    assert "<img" not in striate.show(hostile)


def test_what_was_merged_over_ranks_is_said_of_none(tmp_path):
    log = Log(ranks=8, seconds=60).add(
        "POSIX", "/scratch/a", ALL, **merged(posix("write", 100, MIB, 5.0), ranks=8, slowest=30.0)
    )
    parts = where_time_went(read_trace(log.save(tmp_path / "log.darshan")))

    assert {part.most for part in parts} == {"ranks were not told apart"}


def test_requests_of_counters_are_counted_by_call_and_not_by_row(tmp_path):
    log = Log(ranks=2, seconds=60).add("POSIX", "/scratch/a", 0, **posix("write", 50_000, 2048, 5.0))
    described, _ = activity_of(read_trace(log.save(tmp_path / "log.darshan")))

    assert described["histogram"]["write"] == [[11, 50_000, 50_000 * 2048]]  # 2^11 bytes each
