"""A small part of the corpus in verification/: the finest rung inside the bounds, nothing outside what is proved."""

import importlib.util
import sys
from pathlib import Path

import pytest

_FOLDER = Path(__file__).resolve().parents[3] / "verification"


@pytest.fixture(scope="module")
def coverage():
    spec = importlib.util.spec_from_file_location("ladder_coverage", _FOLDER / "ladder_coverage.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def outcomes(coverage):
    found = [coverage.study(case, explained=False) for case in coverage.cases(90, seed=7)]
    assert all(found)
    return found


def test_nothing_lies_outside_what_is_proved(outcomes):
    for outcome in outcomes:
        assert outcome.proved.broken_by(outcome.seconds) == "", outcome.case.name


def test_most_cases_lie_inside_the_combined_bounds(outcomes):
    allowed = [outcome for outcome in outcomes if outcome.allowed]
    asked = [(outcome, rung) for outcome in allowed for rung in outcome.combined if rung != "queueing"]

    inside = sum(outcome.inside(outcome.combined[rung]) for outcome, rung in asked)

    assert len(allowed) >= 60
    assert inside >= 0.97 * len(asked)


def test_the_same_seed_gives_the_same_cases(coverage, outcomes):
    (again,) = (coverage.study(case, explained=False) for case in coverage.cases(1, seed=7))

    assert again.seconds == outcomes[0].seconds
    assert again.combined == outcomes[0].combined


def test_a_miss_is_named_by_what_makes_it_go_away(coverage, outcomes):
    case = next(outcome for outcome in outcomes if outcome.allowed and "micro" in outcome.combined)
    narrow = coverage.Interval.exactly(case.seconds * 0.999)
    missed = coverage.replace(case, combined=case.combined | {"micro": narrow})

    assert coverage.explain(missed, "micro") in {name for name, _ in coverage.EFFECTS} | {coverage.UNNAMED}


def test_the_picture_shows_every_rung(coverage, outcomes):
    drawn = coverage.picture(outcomes)

    assert drawn.startswith("<svg")
    assert all(f">{rung}<" in drawn for rung in ("resource", "macro-rr", "macro-queue", "micro"))
