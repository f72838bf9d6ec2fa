"""A killed rank leaves the old dataset or the new one."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def kill_ranks(run_ranks):
    spec = importlib.util.spec_from_file_location("kill_ranks", ROOT / "verification" / "kill_ranks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("victim", "delay"), [(0, 0.03), (1, 0.11), (2, 0.2), (0, 0.25)])
def test_a_kill_at_any_moment_leaves_one_whole_write(kill_ranks, tmp_path, victim, delay):
    assert kill_ranks.kill_once(str(tmp_path), delay, victim) is None


@pytest.mark.parametrize(("victim", "delay"), [(0, 0.05), (2, 0.2)])
def test_a_kill_at_any_moment_leaves_whole_steps_and_the_next_writer_goes_on(
    kill_ranks, tmp_path, victim, delay
):
    assert kill_ranks.kill_once(str(tmp_path), delay, victim, kill_ranks.STEPS) is None
