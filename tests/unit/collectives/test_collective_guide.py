"""The guide to writing a collective runs as it stands."""

import re
from pathlib import Path

import pytest

from striate.collectives import ALGORITHMS

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "write-your-own-collective.md"


@pytest.fixture
def _algorithms_as_they_were():
    before = dict(ALGORITHMS)
    yield
    ALGORITHMS.clear()
    ALGORITHMS.update(before)


@pytest.mark.usefixtures("_algorithms_as_they_were")
def test_the_code_of_the_guide_runs_and_prints_what_it_says(capsys):
    code = "\n".join(re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL))
    exec(compile(code, str(GUIDE), "exec"), {})

    assert capsys.readouterr().out.strip() == "[[(0, 1, 1000, 0), (0, 4, 1000, 0)]]"
