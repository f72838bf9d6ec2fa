"""Any history of a dataset (writes, sums, schedules, caches, handles, crashes) leaves what an array in memory says."""

import importlib
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from striate.errors import StriateError

FOLDER = Path(__file__).resolve().parents[3] / "verification"
sys.path.append(str(FOLDER))
histories, ARRAYS, GROUPS = (
    importlib.import_module(name) for name in ("histories", "dataset_histories", "group_histories")
)


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=True))
def test_a_history_of_one_process_equals_a_numpy_array(choose):
    histories.play(ARRAYS.History, [None], 0, choose, 40)


@settings(max_examples=10, deadline=None)
@given(st.randoms(use_true_random=True))
def test_a_history_of_a_group_equals_its_dictionaries(choose):
    histories.play(GROUPS.History, [None], 0, choose, 30)


def test_a_lost_write_would_be_seen(monkeypatch):
    """The history itself is tried: a commit that drops what others wrote since is a difference."""
    monkeypatch.setattr(ARRAYS.runtime.Dataset, "_catch_up", lambda *_, **__: None)
    monkeypatch.setattr("striate.runtime.move.session.Session.refuse_changed", lambda _: None)

    def play_many():
        for seed in range(30):
            histories.play(ARRAYS.History, [None], 0, random.Random(seed), 40)

    with pytest.raises((histories.DifferenceError, StriateError, OSError)):
        play_many()
