"""The report page: one file, no reference to anything outside, every name as text."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from striate.apps import checkpoint
from striate.predict import Use, predict
from striate.provenance import Provenance
from striate.show.report import forecast_page

HOSTILE = [
    "<script>alert('x')</script>",
    '"><img src=x onerror=alert(1)>',
    "'; DROP TABLE runs; --",
    "</title><svg onload=alert(1)>",
    "evil\u202ecod.exe",  # right-to-left override
    "&amp;&lt;",
    "http://example.org/x.js",
]


class Reader(HTMLParser):
    """Tags with their attributes, and the text between them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "line", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def forecast():
    return predict(checkpoint.workload(ranks=4), "westmere", within=0.01, rung="resource")


def with_names(forecast, name):
    return replace(
        forecast,
        workload=name,
        cluster=name,
        rung=name,
        notes=(name,),
        answers=tuple(replace(answer, rung=name) for answer in forecast.answers),
        uses=(Use(name, 3, name, 1.0, 0.5), *forecast.uses),
        provenance=Provenance({name: name}, {name: name}),
    )


def test_the_page_says_the_time_and_its_range(forecast):
    text = " ".join(Reader(forecast_page(forecast)).text)

    assert "checkpoint on westmere" in text
    assert ", 4 ranks" in text
    assert "by the resource rung" in text
    assert "The range is wider than the 1% that were asked for." in text
    assert forecast.provenance.versions["numpy"] in text


def test_the_page_is_whole(forecast):
    page = forecast_page(forecast)
    reader = Reader(page)

    assert page.startswith("<!doctype html>")
    assert reader.open == []  # every tag is closed
    assert {"title", "style", "svg", "table"} <= {tag for tag, _ in reader.tags}


def test_the_page_refers_to_nothing_outside(forecast):
    page = forecast_page(forecast)

    for word in ("http", "src=", "href", "@import", "url(", "<script", "<link", "<iframe"):
        assert word not in page


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_shown_as_text(forecast, name):
    plain, hostile = Reader(forecast_page(forecast)), Reader(forecast_page(with_names(forecast, name)))

    allowed = {tag for tag, _ in plain.tags} | {"ul", "li", "br", "h2"}
    assert {tag for tag, _ in hostile.tags} <= allowed
    assert not any(
        key.startswith("on") or key in ("src", "href") for _, attrs in hostile.tags for key in attrs
    )
    assert hostile.open == []
    assert name in "".join(hostile.text)


def test_a_name_turned_round_turns_nothing_else(forecast):
    """The direction of a name ends with its element: <bdi> sets it apart from the text around it."""
    page = forecast_page(with_names(forecast, "evil\u202ecod"))
    shown = page[page.index("<h1>") : page.index("</h1>")]

    assert shown == "<h1><bdi>evil\u202ecod on evil\u202ecod</bdi>, 4 ranks"


def test_a_forecast_of_nothing_has_a_page(forecast):
    empty = replace(forecast, seconds=type(forecast.seconds)(0.0, 0.0, 0.0), answers=(), notes=())

    assert Reader(forecast_page(empty)).open == []
