"""Knobs and candidates: numbers, grids, samples, refusals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import TuningError
from striate.tuning.space import Space

knobs = st.dictionaries(
    st.text("abcd", min_size=1, max_size=3),
    st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True),
    min_size=1,
    max_size=4,
)


@given(knobs)
def test_the_grid_has_every_combination_once(vary):
    space = Space.of(vary)

    seen = [tuple(candidate.settings.items()) for candidate in space.grid()]

    assert len(seen) == space.size == len(set(seen))
    assert [candidate.number for candidate in space.grid()] == list(range(space.size))


@given(knobs, st.data())
def test_a_number_and_the_places_of_its_values_name_the_same_candidate(vary, data):
    space = Space.of(vary)
    number = data.draw(st.integers(0, space.size - 1))

    settings = space.candidate(number).settings
    places = [knob.values.index(settings[knob.name]) for knob in space.knobs]

    assert space.number_of(places) == number


@given(knobs, st.integers(1, 40), st.integers(0, 5))
def test_a_sample_has_different_candidates_and_is_the_same_for_a_seed(vary, count, seed):
    space = Space.of(vary)

    numbers = [candidate.number for candidate in space.sample(count, seed)]

    assert len(set(numbers)) == len(numbers) == min(count, space.size)
    assert numbers == [candidate.number for candidate in space.sample(count, seed)]


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ({}, "one knob"),
        ({"unit": []}, "one value"),
        ({"unit": "64 KiB"}, "a list of values"),
        ({"unit": [1, 1]}, "every value once"),
        ({"unit": [[1]]}, "strings and numbers"),
    ],
)
def test_what_is_no_space_is_refused(vary, words):
    with pytest.raises(TuningError, match=words):
        Space.of(vary)


def test_a_grid_too_large_to_walk_is_refused_and_can_still_be_sampled():
    space = Space.of({name: list(range(100)) for name in "abcd"})

    with pytest.raises(TuningError, match="random"):
        space.grid()
    assert len(space.sample(10, 0)) == 10
