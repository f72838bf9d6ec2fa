"""Drawings of every topology: well formed, nothing drawn over anything else, large machines in short."""

from itertools import combinations
from xml.etree import ElementTree

import pytest

from striate.pages.topology.draw import draw
from striate.pages.topology.parts import sampled
from striate.svg import LETTER_WIDTH, Canvas
from unit.pages.drawn_machines import MACHINES

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", MACHINES)
def test_a_drawing_is_well_formed_and_short(name):
    text = draw(MACHINES[name]())

    assert ElementTree.fromstring(text).tag == f"{SVG}svg"
    assert len(text) < 60_000


@pytest.mark.parametrize("name", MACHINES)
def test_no_two_lines_of_text_overlap(name):
    root = ElementTree.fromstring(draw(MACHINES[name]()))
    places = [extent(text) for text in root.iter(f"{SVG}text")]

    overlaps = [(a[4], b[4]) for a, b in combinations(places, 2) if overlap(a, b)]
    assert overlaps == []


def extent(text):
    """Left, right, top, bottom and words of one text, its width guessed from its letters."""
    size, x, y = (float(text.get(key)) for key in ("font-size", "x", "y"))
    width = len(text.text) * size * LETTER_WIDTH * 0.95
    left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor")]
    return left, left + width, y - 0.75 * size, y, text.text


def overlap(one, other):
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def test_a_large_machine_says_how_many_are_left_out():
    # 1020 nodes: one is drawn
    assert "x 1019 more" in draw(MACHINES["star"]())


def test_sampling_shows_the_first_the_asked_for_and_counts_the_rest():
    assert sampled(3, 5) == [0, 1, 2]
    assert sampled(10, 3) == [0, 1, 2, -7]
    assert sampled(10, 4, also=[9]) == [0, 1, 2, -6, 9]
    assert sampled(10, 4, also=[5]) == [0, 1, 2, -2, 5, -4]
    assert sum(1 if i >= 0 else -i for i in sampled(1000, 7, also=[3, 500, 999])) == 1000


def test_text_is_escaped_and_cut_to_its_room():
    canvas = Canvas()
    canvas.text(0, 0, "a < b & c", room=1000)
    canvas.text(0, 0, "much too long for its room", size=10, room=60)

    texts = [text.text for text in ElementTree.fromstring(canvas.svg(10, 10, "<t>")).iter(f"{SVG}text")]
    assert texts[0] == "a < b & c"
    assert texts[1].endswith("…")
    assert len(texts[1]) == 9  # 60 pixels hold 9 letters of 6.2
