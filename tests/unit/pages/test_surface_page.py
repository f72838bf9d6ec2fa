"""Surface pages as text: self-contained, and safe with any title."""

import re

from striate.pages.residuals import residuals_page
from striate.pages.surface import surface_page
from striate.queueing import Model, fit, surface
from unit.queueing.test_fit import observed
from unit.queueing.test_parameters import program

HOSTILE = '<script>alert("x")</script>&.toml'


def without_plotly(page: str) -> str:
    scripts = re.findall(r"<script.*?</script>", page, flags=re.DOTALL)
    return page.replace(max(scripts, key=len), "")


def test_a_page_fetches_nothing():
    page = without_plotly(surface_page(surface(Model(program()), range(1, 9), [1, 2]), title="spmd.toml"))

    assert "http" not in page.replace("https://plotly", "")
    assert not re.search(r"\b(src|href|@import|url\()", page)


def test_titles_are_text():
    grid = surface(Model(program(group=2), "clu-aio"), range(1, 9), [1, 2])
    for page in (
        surface_page(grid, title=HOSTILE),
        residuals_page(fit(observed(), scale="inverse"), title=HOSTILE),
    ):
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page
        assert "NaN" not in without_plotly(page)


def test_axes_carry_units():
    page = surface_page(surface(Model(program()), [1, 2], [1, 2]), title="spmd.toml")

    for label in ("processors p (count)", "disks d (count)", "speedup (T1 / T)"):
        assert label in page
