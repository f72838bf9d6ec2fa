"""Profiles, maps and surfaces in a real browser: painted, sorted, pointed at."""

import striate
from unit.pages.runs import small
from unit.pages.test_statistics import study


def painted(tab, section):
    """How many colours the first map of a section has."""
    return tab.evaluate(
        """(section) => {
          const canvas = document.querySelector(`#${section} canvas.heat`);
          const copy = new OffscreenCanvas(canvas.width, canvas.height);
          const context = copy.getContext("2d", { willReadFrequently: true });
          context.drawImage(canvas, 0, 0);
          const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
          const found = new Set();
          for (let at = 0; at < data.length; at += 4) found.add(data.slice(at, at + 3).join());
          return found.size;
        }""",
        section,
    )


def test_maps_are_painted_in_both_themes_and_tell_what_is_under_the_pointer(open_page):
    tab = open_page(striate.show(small(), study()))

    for section in ("activity", "files", "path", "tuning"):
        assert painted(tab, section) > 1, section
    tab.get_by_role("button", name="Light / dark").click()
    for section in ("activity", "files", "path", "tuning"):
        assert painted(tab, section) > 1, section
    tab.locator("#activity canvas.heat").first.hover()
    tip = tab.locator("#activity .celltip").first
    tip.wait_for(state="visible")
    assert "rank" in tip.inner_text()


def test_profiles_sort_by_any_column(open_page):
    tab = open_page(striate.show(small()))
    first = tab.locator("#profile tbody tr:first-child td:first-child")
    head = tab.locator("#profile thead button")
    before = first.inner_text()
    head.nth(0).click()
    names = tab.locator("#profile tbody td:first-child").all_inner_texts()

    assert names == sorted(names)
    head.nth(3).click()
    assert first.inner_text() == before  # the longest first again


def test_a_narrow_window_hides_no_column(open_page):
    """On a telephone nothing stands out of the window, nor a table out of its card."""
    trace = small()
    tab = open_page(
        striate.show(trace, striate.predict(trace, "laptop")), viewport={"width": 400, "height": 800}
    )

    assert tab.evaluate("document.documentElement.scrollWidth") <= 400
    beyond = tab.evaluate(
        """() => [...document.querySelectorAll(".card table")].filter((table) =>
          table.getBoundingClientRect().right > table.closest(".card").getBoundingClientRect().right).length"""
    )
    assert tab.locator(".card table").count() >= 2
    assert beyond == 0
