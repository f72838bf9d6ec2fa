"""Bounds in words: two times where they read differently, one where they do not."""

from striate.interval import Interval
from striate.pages.words import span


def test_bounds_that_read_the_same_are_said_once():
    assert span(Interval(10.99e-3, 11e-3, 11.01e-3)) == "11 ms"
    assert span(Interval(10e-3, 11e-3, 12e-3)) == "10 ms to 12 ms"
