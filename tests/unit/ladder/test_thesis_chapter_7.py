"""Chapter 7 of thesis 003 on the fine rung: the statements that must hold, for the quick measurements."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "verification"))

from thesis_machine import Bench
from thesis_targets import open_files, patterns, striping_units


@pytest.mark.parametrize("measurement", [patterns, striping_units, open_files])
def test_what_must_hold_holds(measurement):
    assert all(measurement(Bench()).hard.values())
