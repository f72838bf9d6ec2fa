"""Fixed loops: the time of K jobs of n bursts each, against sums done by hand and a chain written out."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from striate.queueing import Model, SpmdParameters
from striate.queueing.networks.fixed_loops import fixed_loop_seconds, largest_gamma

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from parity.queueing_chains import fixed_loop_time


def seconds(jobs: int, delay: float, bus: float, bursts: float) -> float:
    return float(fixed_loop_seconds(np.array([jobs]), np.array([delay]), np.array([bus]), bursts)[0])


def test_one_group_of_five_bursts_of_one_and_one_second_takes_ten():
    assert seconds(1, 1.0, 1.0, 5) == pytest.approx(10.0)


def test_at_one_burst_fixed_and_geometric_loops_are_the_same():
    assert seconds(2, 1.0, 1.0, 1) == pytest.approx(3.0)
    spmd = SpmdParameters(parallel_seconds=8, transfer_seconds=4, contention=1, scale="inverse")
    fixed = Model(spmd, "sio", loops="fixed").time(8, 1)
    assert fixed == pytest.approx(Model(spmd, "sio", solver="exact").time(8, 1))


def test_one_hundred_random_cases_are_within_one_percent_of_the_exact_chain():
    random = np.random.default_rng(16)
    off = []
    for _ in range(100):
        jobs, bursts = int(random.integers(1, 5)), int(random.integers(1, 6))
        delay, bus = 10 ** random.uniform(-2, 2, 2) / (1, jobs)
        found = seconds(jobs, delay, bus, bursts)
        assert found >= bursts * (delay + bus) * (1 - 1e-12)
        off.append(abs(found / fixed_loop_time(jobs, delay, bus, bursts) - 1))

    assert max(off) < 0.01


@settings(max_examples=30, deadline=None)
@given(
    jobs=st.integers(1, 40),
    bursts=st.one_of(st.integers(1, 6), st.floats(1, 6)),
    delay=st.floats(0, 10),
    bus=st.floats(0, 10),
)
def test_no_case_is_below_a_lower_bound_or_above_everything_in_turn(jobs, bursts, delay, bus):
    found = seconds(jobs, delay, bus, bursts)

    assert found >= bursts * (delay + bus) * (1 - 1e-9)
    assert found >= jobs * bursts * bus * (1 - 1e-9)
    # nobody waits while the bus rests: at most the longest delays and all work of the bus
    longest = largest_gamma(jobs, int(np.ceil(bursts)))
    assert found <= 1.01 * (delay * longest + jobs * np.ceil(bursts) * bus) + 1e-12


def test_a_number_of_bursts_between_two_is_a_mixture_of_both():
    low, middle, high = (seconds(6, 1.0, 0.3, bursts) for bursts in (2, 2.25, 3))

    assert middle == pytest.approx(0.75 * low + 0.25 * high)
