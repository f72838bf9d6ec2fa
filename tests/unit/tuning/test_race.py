"""The race on bounds: nothing that may be the best is dropped, whatever the bounds of the cheap rung are."""

from concurrent.futures import Executor, Future

import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.interval import Interval
from striate.tuning.panel import Panel
from striate.tuning.question import Reply
from striate.tuning.race import Race, is_slower
from striate.tuning.space import Candidate

times = st.floats(0.5, 100, allow_nan=False)
bounds = st.tuples(times, st.floats(0, 1), st.floats(1, 10)).map(
    lambda drawn: (drawn[0], Interval(drawn[0] * drawn[1], drawn[0] * drawn[1], drawn[0] * drawn[2]))
)


class Told:
    """A panel whose cheap rung gives bounds and whose expensive rung gives the truth; ends after `asks` calls."""

    def __init__(self, truths, asks=10**9):
        self.truths, self.asks = truths, asks
        self.expensive = 0

    @property
    def is_over(self):
        return self.asks <= 0

    def ask(self, candidates, rung):
        self.asks -= 1
        self.expensive += len(candidates) * (rung == "expensive")
        if rung == "cheap":
            return [Reply(one, one) for one in (self.truths[candidate.number][1] for candidate in candidates)]
        exact = [Interval.exactly(self.truths[candidate.number][0]) for candidate in candidates]
        return [Reply(one, one) for one in exact]


def run(truths, **options):
    panel = Told(truths, **options)
    candidates = [Candidate(number, {"n": number}) for number in range(len(truths))]
    race = Race(panel, ("cheap", "expensive"))
    race.run(candidates)
    return race.outcomes(candidates, 0.01), panel


@given(st.lists(bounds, min_size=1, max_size=60))
def test_the_race_finds_what_asking_everything_finds(truths):
    outcomes, _ = run(truths)

    assert outcomes[0].state == "best"
    assert outcomes[0].seconds.estimate == min(truth for truth, _ in truths)


@given(st.lists(bounds, min_size=1, max_size=60))
def test_who_was_dropped_has_a_low_end_above_anothers_high_end(truths):
    outcomes, _ = run(truths)

    least = min(outcome.seconds.high for outcome in outcomes)
    for outcome in outcomes:
        if outcome.state == "dropped":
            assert outcome.seconds.low > least


def test_a_dropped_candidate_is_shown_with_the_bound_that_dropped_it():
    # The cheap rung's own range for the second begins at 1; that it takes at least 5 is proved apart from it.
    class ProvedApart(Told):
        def ask(self, candidates, rung):
            replies = super().ask(candidates, rung)
            if rung == "cheap":
                proved = [Interval(1, 1, 2), Interval(5, 5, 9)]
                return [
                    Reply(reply.interval, proved[one.number])
                    for reply, one in zip(replies, candidates, strict=True)
                ]
            return replies

    panel = ProvedApart([(1.0, Interval(1, 1.5, 9)), (6.0, Interval(1, 7, 9))])
    candidates = [Candidate(number, {}) for number in range(2)]
    race = Race(panel, ("cheap", "expensive"))
    race.run(candidates)
    second = race.outcomes(candidates, 0.01)[1]

    assert (second.state, second.seconds) == ("dropped", Interval(5, 7, 9))


@given(st.lists(bounds, min_size=30, max_size=60), st.integers(0, 4))
def test_a_budget_that_ends_leaves_the_rest_undecided(truths, asks):
    outcomes, _ = run(truths, asks=asks)

    states = {outcome.state for outcome in outcomes}
    assert "undecided" in states or asks > 1
    assert len(outcomes) == len(truths)


def test_narrow_bounds_spare_the_expensive_rung():
    truths = [(float(n), Interval(n - 0.1, n, n + 0.1)) for n in range(1, 101)]

    outcomes, panel = run(truths)

    assert outcomes[0].candidate.number == 0
    assert panel.expensive <= 8


def test_equal_times_are_ties_and_the_first_of_the_grid_leads():
    outcomes, _ = run([(2.0, Interval(0, 1, 9)), (1.0, Interval(0, 1, 9)), (1.005, Interval(0, 1, 9))])

    assert [(outcome.candidate.number, outcome.state) for outcome in outcomes] == [
        (1, "best"),
        (2, "tie"),
        (0, "behind"),
    ]


def test_a_refused_candidate_is_last_and_one_that_a_rung_does_not_take_keeps_its_bounds():
    class Refusing(Told):
        def ask(self, candidates, rung):
            replies = super().ask(candidates, rung)
            for at, candidate in enumerate(candidates):
                if candidate.number == 0:
                    replies[at] = Reply(None, words="no such thing", impossible=True)
                if candidate.number == 1 and rung == "expensive":
                    replies[at] = Reply(None, words="too many applications")
            return replies

    panel = Refusing([(1.0, Interval(0, 1, 9))] * 3)
    candidates = [Candidate(number, {}) for number in range(3)]
    race = Race(panel, ("cheap", "expensive"))
    race.run(candidates)
    outcomes = race.outcomes(candidates, 0.01)

    assert [outcome.state for outcome in outcomes] == ["best", "tie", "refused"]
    assert outcomes[0].candidate.number == 2
    assert outcomes[1].seconds == Interval(0, 1, 9)


class Slow(Executor):
    """Answers the first task, and never the others."""

    def __init__(self):
        self.tasks = []

    def submit(self, function, /, question, batch, rung, deadline):
        self.tasks.append(Future())
        if len(self.tasks) == 1:
            self.tasks[0].set_result([Reply(Interval.exactly(1.0)) for _ in batch])
        return self.tasks[-1]


def test_the_time_is_over_also_while_answers_are_waited_for():
    executor, done = Slow(), []
    panel = Panel(
        None,
        executor,
        budget_seconds=0.05,
        spent_seconds=0.0,
        progress=lambda count, rung: done.append(count),
    )
    candidates = [Candidate(number, {"n": number}) for number in range(40)]

    race = Race(panel, ("cheap", "expensive"))
    race.run(candidates)

    assert panel.is_over
    assert len(done) == 1
    assert all(task.cancelled() for task in executor.tasks[1:])
    states = [outcome.state for outcome in race.outcomes(candidates, 0.01)]
    assert states.count("best") == 1
    assert states.count("undecided") == 39


@pytest.mark.parametrize(
    ("one", "behind"),
    [
        ((1.1, 2.2, 9.9), True),  # slower wherever the machine lies in its ranges
        ((0.9, 2.2, 9.9), False),  # faster on the fastest machine
        ((1.1, 2.2, 8.0), False),  # faster on the slowest
        ((1.005, 2.2, 9.9), False),  # closer than can be told
        ((9.5, 9.6, 9.7), True),  # above all that the best may take
    ],
)
def test_ends_are_compared_with_ends(one, behind):
    assert is_slower(Interval(*one), Interval(1.0, 2.0, 9.0), 0.01) is behind


class Guessing(Told):
    """Its cheap rung proves nothing, and may be wrong."""

    def ask(self, candidates, rung):
        replies = super().ask(candidates, rung)
        return [Reply(reply.interval) for reply in replies] if rung == "cheap" else replies


@given(st.lists(st.tuples(times, times), min_size=1, max_size=30))
def test_a_guess_drops_nobody(drawn):
    """Bounds that are not proved order the candidates, and all of them are played."""
    panel = Guessing([(truth, Interval.exactly(guess)) for truth, guess in drawn])
    candidates = [Candidate(number, {"n": number}) for number in range(len(drawn))]
    race = Race(panel, ("cheap", "expensive"))
    race.run(candidates)
    outcomes = race.outcomes(candidates, 0.01)

    assert panel.expensive == len(drawn)
    assert outcomes[0].seconds.estimate == min(truth for truth, _ in drawn)
