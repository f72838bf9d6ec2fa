"""What follows from measurements, without MPI."""

import numpy as np
import pytest

from striate.errors import QueueingError
from striate.probe.microbenchmarks import Machine, line_through
from striate.probe.microbenchmarks.poly1 import operations_per_second

SP2 = Machine(64, 120e6, 150e-6, 27e6, 120e6)  # paper 000, section 5.1.1


def test_the_sp2_of_the_paper():
    spmd = SP2.spmd(
        parallel_operations=830e6, serial_operations=10e6, burst_bytes=18 * 64e3, io_transfer_seconds=1
    )

    assert SP2.largest_contention == pytest.approx(0.225)  # the paper rounds it to 0.23
    assert spmd.parallel_seconds == pytest.approx(6.9167, abs=1e-4)  # 830 / 120; printed as 6.9
    assert spmd.serial_seconds == pytest.approx(0.0833, abs=1e-4)  # 10 / 120; printed as 0.08
    assert spmd.transfer_seconds == pytest.approx(0.042667, abs=1e-6)


def test_a_network_slower_together_than_alone_is_a_bus():
    assert Machine(2, 1e9, 1e-6, 2e9, 1e9).largest_contention == 1.0


def test_a_line_is_found_through_its_points():
    sizes = 4.0 ** np.arange(12)

    assert line_through(sizes, 150e-6 + sizes / 27e6) == pytest.approx((150e-6, 27e6))


def test_times_that_do_not_grow_are_refused():
    with pytest.raises(QueueingError, match="longer"):
        line_through(np.array([1.0, 1e6]), np.array([1e-3, 1e-6]))


def test_this_processor_computes_something():
    assert 1e7 < operations_per_second(0.02) < 1e13
