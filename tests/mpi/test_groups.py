"""Groups on several ranks: steps that a monitor sees whole, and that a run on other ranks goes on from."""

import threading
import time

import numpy as np
import pytest

import striate.runtime as runtime
from striate.errors import StriateError

STEPS = 40


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 2)])
def test_a_run_goes_on_from_any_step_on_other_ranks(run_ranks, tmp_path, before, after):
    assert run_ranks(before, "steps.py", tmp_path, 4, 0) == "4 steps written\n"
    assert run_ranks(after, "restart.py", tmp_path, 2) == "step 4 written after step 2\n"
    verdict = runtime.verify(tmp_path / "run")
    assert not verdict.findings
    assert not verdict.notes


def test_one_server_writes_the_joint_rows_of_all_ranks(run_ranks, tmp_path):
    """Rows of three variables are split by the owners of their chunks, who are not the writer."""
    assert run_ranks(3, "steps.py", tmp_path, 4, 0, "one-server") == "4 steps written\n"

    assert not runtime.verify(tmp_path / "run").findings
    with runtime.open_group(None, tmp_path / "run") as group:
        for step in group.steps:
            for name in ("pressure", "velocity", "temperature"):
                assert np.unique(group.read_all(name, step=step)).tolist() == [step]


def watch(path, program):
    """Read every step that comes, until the program has ended; the numbers of the steps that were read."""
    seen = []
    while program.is_alive() and not (path / "metadata.json").exists():
        time.sleep(0.01)
    with runtime.open_group(None, path) as group:
        while True:
            ended = not program.is_alive()
            group.refresh()
            for step in range(len(seen), len(group.steps)):
                for name in ("pressure", "velocity", "temperature"):
                    assert np.unique(group.read_all(name, step=step)).tolist() == [step], "a torn step"
                seen.append(step)
            if ended:
                return seen


def test_a_monitor_reads_every_step_whole_while_the_run_goes_on(run_ranks, tmp_path):
    program = threading.Thread(target=run_ranks, args=(3, "steps.py", tmp_path, STEPS, 0))
    program.start()
    seen = watch(tmp_path / "run", program)
    program.join()

    assert seen == list(range(STEPS))


def test_a_monitor_of_the_last_steps_only_may_miss_one_but_sees_none_torn(run_ranks, tmp_path):
    run_ranks(2, "steps.py", tmp_path, 12, 3)
    with runtime.open_group(None, tmp_path / "run") as group:
        assert list(group.steps) == [9, 10, 11]
        with pytest.raises(StriateError, match=r"a step that is kept \(9 to 11\), got 2"):
            group.read_all("pressure", step=2)
    assert len(list((tmp_path / "run").glob("*.index"))) == 3
