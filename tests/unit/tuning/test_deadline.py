"""A budget ends what is in flight: Python, and the core where it polls; a timer of somebody else goes on."""

import signal
import threading
import time

import pytest

from striate.deadline import OutOfTime, ended_after
from striate.errors import TuningError
from striate.tuning import tune
from striate.tuning.deadline import TaskDeadline
from striate.workload import Spmd


def test_a_block_that_never_ends_is_ended():
    def wait_for_ever():
        while True:
            pass

    with pytest.raises(OutOfTime), ended_after(0.01):
        wait_for_ever()


def test_what_ends_in_time_is_left_alone():
    with ended_after(60):
        pass

    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_no_time_at_all_is_over_at_once():
    with pytest.raises(OutOfTime), ended_after(0):
        raise AssertionError("the block must not begin")


def test_a_timer_of_somebody_else_goes_on():
    rang = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rang.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 50)
        with ended_after(10):
            pass
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 50
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not rang


def test_other_threads_go_without_a_deadline():
    done = []

    def work():
        with ended_after(1e-6):
            time.sleep(0.01)
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done


def test_a_deadline_is_told_by_the_clock_or_by_what_was_left():
    assert TaskDeadline(time.time() + 1000, 5).left <= 5
    assert TaskDeadline(time.time() - 1, 5).left < 0


def endless(unit: str = "64 KiB"):
    """Plays for hours: every step differs from the previous one."""
    body = Spmd(8, name="endless")
    with body.repeat(10**6) as step:
        body.compute(instructions=step)
        body.write("data", offset=(step * 8 + body.rank) * 65_537, size=65_537)
        body.barrier()
    return body.workload()


@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_a_candidate_that_takes_hours_does_not_hold_up_the_end(executor):
    study = tune(
        endless, "westmere", vary={"unit": ["4 KiB", "64 KiB"]}, budget="3 s", executor=executor, workers=1
    )

    assert not study.finished
    assert {outcome.state for outcome in study.outcomes} <= {"best", "undecided"}


def slow_to_build(unit: str = "64 KiB"):
    while True:
        time.sleep(0.001)


def test_a_program_that_takes_too_long_to_build_is_said_so():
    with pytest.raises(TuningError, match="the budget ended before the first candidate was simulated"):
        tune(slow_to_build, "westmere", vary={"unit": ["4 KiB"]}, budget="0.05 s", executor="serial")
