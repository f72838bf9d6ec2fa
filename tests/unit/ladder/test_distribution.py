"""A forecast's distribution: percentiles, and the sources that make its range."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import PredictionError
from striate.interval import Interval
from striate.ladder import predict
from striate.ladder.distribution import TENTH, Spread, percentile, range_of, source_rows
from striate.ladder.spreads import RUNS, order_by_bounds, order_by_replay
from striate.workload import Workload
from striate.workload.operations import barrier, compute, read, sendrecv, write

deviations = st.floats(0, 3)
spreads = st.lists(st.builds(Spread, st.just("planted"), deviations, deviations, st.just("")), max_size=4)


def test_the_ends_of_the_range_are_the_tenth_and_the_ninetieth_percentile():
    planted = [Spread("machine", 0.3, 0.0, ""), Spread("model", 0.4, 0.1, "")]

    found = range_of(10.0, planted)

    assert found.low == pytest.approx(10 * math.exp(-1.2815516 * 0.5))  # sqrt(0.3^2 + 0.4^2)
    assert found.high == pytest.approx(10 * math.exp(1.2815516 * 0.1))
    assert found.estimate == 10.0


def test_a_machine_without_ranges_is_not_said_to_count_in_part():
    model = Spread("model", 0.1, 0.1, "40 runs", confirmed=0.5)
    ranged, bare = (source_rows([Spread("machine", far, far, "its ranges"), model]) for far in (0.2, 0.0))

    assert ranged[0] == (
        "machine",
        "-22.6%",
        "+29.2%",
        "its ranges; 50% of the deviations used, as fits the validated runs",
    )
    assert bare[0] == ("machine", "-", "-", "its ranges")
    assert ranged[1] == bare[1]


@given(st.floats(1e-9, 1e9), spreads, st.floats(0.01, 99.9), st.floats(0.01, 99.9))
def test_percentiles_rise_and_the_fiftieth_is_the_median(median, sources, one, other):
    low, high = sorted((one, other))

    assert percentile(median, sources, low) <= percentile(median, sources, high)
    assert percentile(median, sources, 50) == median


@given(st.floats(1e-6, 1e6), st.floats(1, 100), st.floats(1, 100))
def test_a_source_gives_the_range_back_that_it_was_made_of(middle, below, above):
    made = Interval(middle / below, middle, middle * above)

    found = range_of(middle, [Spread.between("machine", middle, made, "")])

    assert (found.low, found.high) == pytest.approx((made.low, made.high))


@pytest.mark.parametrize("percent", [0, 100, -1, float("nan")])
def test_a_percentile_outside_is_refused(percent):
    with pytest.raises(PredictionError, match="expected a percentile between 0 and 100"):
        percentile(1.0, [], percent)


def test_bounds_that_say_nothing_stay_finite():
    found = range_of(1.0, [order_by_bounds(Interval(0.0, 1.0, math.inf), "resource")])

    assert 0 < found.low < 1e-3
    assert 1e3 < found.high < math.inf


def test_runs_that_only_get_longer_widen_the_upper_side_alone():
    spread = order_by_replay(1.0, lambda seed: 1.1, cost=0.0, budget=1.0)

    assert spread.below == 0
    assert spread.above == pytest.approx(math.log(1.1))
    assert spread.factors[1] == pytest.approx(1.1**TENTH)


@pytest.mark.parametrize(("cost", "budget"), [(2.0, 100.0), (0.1, 0.4)])
def test_an_expensive_run_is_not_repeated_and_says_so(cost, budget):
    def never(seed):
        raise AssertionError

    assert order_by_replay(1.0, never, cost=cost, budget=budget).how.startswith("not simulated")


def test_a_program_that_other_starts_stop_is_told():
    def stuck(seed):
        raise PredictionError("ranks 0 and 1 wait for each other")

    assert "ranks 0 and 1 wait for each other" in order_by_replay(1.0, stuck, cost=0.0, budget=1.0).how


def racing(rank, ranks):
    """Ranks whose requests meet at one server, in an order that their starts decide."""
    for step in range(4):
        yield compute("5 us")
        yield sendrecv(rank ^ 1, 3000)
        yield write("shared", offset=(step * ranks + rank) * 65_537, size=65_537)
    yield read("shared", offset=rank * 1000, size=5000)
    yield barrier()


def test_every_source_is_there_and_the_played_run_is_the_median():
    workload = Workload.from_program(racing, 8)

    forecast = predict(workload, "laptop", rung="fine")
    exact = predict(workload, "laptop", rung="fine", exact=True)

    assert [spread.source for spread in forecast.spreads] == ["machine", "order", "model"]
    assert forecast.spreads[1].how.startswith(f"{RUNS} more runs")
    assert forecast.seconds.estimate == exact.seconds.estimate == exact.percentile(90)
    assert exact.seconds.width == forecast.bounds.width == 0
    assert forecast.seconds.low < forecast.seconds.estimate < forecast.seconds.high
    assert forecast.percentile(90) == forecast.seconds.high
    again = predict(workload, "laptop", rung="fine")
    assert (forecast.seconds, forecast.spreads) == (again.seconds, again.spreads)  # fixed seeds


@pytest.mark.parametrize("rung", ["resource", "macro-rr", "macro-queue", "micro", "queueing"])
def test_every_rung_that_answers_has_a_range_with_a_width(rung):
    def cycles(rank, ranks):
        for _ in range(10):
            yield compute("2 ms")
            yield sendrecv(rank ^ 1, 4096)
            yield write("shared", offset=rank * 65_536, size=65_536)

    forecast = predict(Workload.from_program(cycles, 4), "laptop", rung=rung)

    assert forecast.seconds.low < forecast.seconds.estimate < forecast.seconds.high
    assert forecast.seconds.estimate == forecast.bounds.estimate
    assert forecast.spreads[1].how.startswith(f"the bounds of {rung}")


def test_only_the_fine_rung_is_exact():
    workload = Workload.from_program(racing, 2)

    with pytest.raises(
        PredictionError,
        match="'fine' for an exact time, which no other rung computes, got 'resource'",
    ):
        predict(workload, "laptop", rung="resource", exact=True)
