"""One definition of a run's beginning and end, for what is told, predicted, compared and shown."""

import numpy as np
import pytest

from striate.apps import checkpoint
from striate.evaluate.compare import compare
from striate.ladder import predict
from striate.pages.run import Run, runs_of
from striate.pages.views.report import view as report
from striate.trace.analysis.span import from_beginning, run_span
from unit.pages.runs import MS, launched, small, trace


def test_a_run_begins_behind_init_and_ends_before_finalize():
    assert run_span(launched()) == (5000 * MS, 7100 * MS)
    assert launched().seconds == 2.1


@pytest.mark.parametrize("duration", [10_000 * MS, 7100 * MS])
def test_a_recorded_duration_does_not_change_what_calls_say(duration):
    assert run_span(launched(duration=duration)) == (5000 * MS, 7100 * MS)


def test_without_these_calls_the_duration_counts_and_else_the_rows():
    assert run_span(small(duration=400 * MS)) == (0, 400 * MS)
    assert run_span(trace([(0, "posix", "read", 30, 40)])) == (30 * MS, 40 * MS)
    assert run_span(trace([])) == (0, 0)


@pytest.mark.parametrize(
    "made", [launched(), launched(duration=10_000 * MS), trace([(0, "posix", "read", 30, 40)])]
)
def test_times_from_the_beginning_are_the_same_run(made):
    moved = from_beginning(made)
    first, last = run_span(made)

    assert run_span(moved) == (0, last - first)
    assert moved.header.started == made.header.started + first
    for name in ("start", "end", "complete"):
        assert np.array_equal(moved.column(name), made.column(name) - first)
    assert moved.seconds == made.seconds


def test_compare_and_show_say_the_same_of_the_same_two_files():
    # A forecast of 88 s for a run of 2.1 s between MPI_Init and MPI_Finalize, 10 s by the launcher's clock.
    forecast = predict(checkpoint.workload(ranks=2), "westmere", within=None, rung="resource")
    observed = launched()
    error = compare(forecast, observed).error
    assert error == pytest.approx(forecast.seconds.estimate / 2.1 - 1)

    shown = runs_of([Run("observed", trace=observed), Run("forecast", forecast=forecast)])
    text = str(report(shown).data)
    assert f"the estimate is {error:+.1%} off" in text
    assert shown[0].seconds == compare(forecast, observed).measured == observed.info().seconds
