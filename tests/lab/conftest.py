"""Labs for tests: one of three hosts for all of them, and small ones to be killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import leftovers
from labs import Lab, new_lab
from striate.lab.door import names


@pytest.fixture
def small_lab(tmp_path: Path) -> Iterator[Lab]:
    """A name and a place for a lab that is not started yet; a failed test leaves none either."""
    made = new_lab(tmp_path)
    yield made
    if made.name in names():
        made.run("down")


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Three hosts of which two are servers, up; at its end nothing may be left."""
    made = new_lab(tmp_path_factory.mktemp("lab"))
    options = ("--hosts=3", "--servers=2", "--link=240 Mbit/s", "--disk-rate=24 MB/s", "--disk-size=256 MiB")
    starting = made.start(*options)
    told, complaint = starting.communicate(timeout=120)
    assert starting.returncode == 0, told + complaint
    yield made
    spaces = leftovers.namespaces(made.processes())
    made.run("down")
    made.check_nothing_is_left(spaces)
