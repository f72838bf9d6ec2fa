"""Any history of a dataset (writes, sums, schedules, caches, handles, crashes) leaves what an array in memory says."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from striate.errors import StriateError

SCRIPT = Path(__file__).resolve().parents[3] / "verification" / "dataset_histories.py"


def module():
    spec = importlib.util.spec_from_file_location("dataset_histories", SCRIPT)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


HISTORIES = module()


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=True))
def test_a_history_of_one_process_equals_a_numpy_array(choose):
    HISTORIES.play([None], 0, choose, 40)


def test_a_lost_write_would_be_seen(monkeypatch):
    """The history itself is tried: a commit that drops what others wrote since is a difference."""
    import random

    monkeypatch.setattr(HISTORIES.runtime.Dataset, "_catch_up", lambda *_, **__: None)
    monkeypatch.setattr("striate.runtime.move.session.Session.refuse_changed", lambda _: None)

    def play_many():
        for seed in range(30):
            HISTORIES.play([None], 0, random.Random(seed), 40)

    with pytest.raises((HISTORIES.DifferenceError, StriateError, OSError)):
        play_many()
