"""The models against Markov chains written out, a simulation of single jobs, and an independent solver."""

import numpy as np
import pytest

from parity.queueing_chains import (
    clustered_moves,
    fork_join_moves,
    simulated_fork_join,
    stationary,
    time_to_absorption,
)
from striate import _core
from striate.queueing.networks.fixed_loops import fixed_loop_seconds

ONE = np.array([1.0])


def fork_join(jobs, delay, bus, loops, exact):
    return float(_core.fork_join(np.array([jobs]), delay * ONE, bus * ONE, loops * ONE, exact)[0])


def clustered_cycle(jobs, clusters, delay, bus, disk):
    computation, io = _core.clustered_split(
        np.array([jobs]), np.array([clusters]), delay * ONE, bus * ONE, disk * ONE
    )
    return float(computation[0] + io[0])


@pytest.mark.parametrize(
    ("jobs", "delay", "bus", "loops"),
    [
        (2, 1.0, 1.0, 1.0),
        (5, 0.88, 0.0098, 5.0),
        (9, 1.0, 0.5, 2.5),
        (12, 0.1, 1.0, 3.0),
        (30, 2.0, 0.05, 1.5),
    ],
)
def test_the_exact_fork_join_is_the_chain_written_out(jobs, delay, bus, loops):
    wanted = time_to_absorption((jobs, 0), fork_join_moves(delay, bus, loops))

    assert fork_join(jobs, delay, bus, loops, True) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("jobs", [1, 2, 4, 9])
def test_the_bus_network_is_the_chain_written_out(jobs):
    delay, bus, disk = 0.5, 0.2, 0.3
    shares = stationary(((jobs,), (), (0,)), clustered_moves(delay, bus, disk))
    busy = sum(share for (_, _, (at_disk,)), share in shares.items() if at_disk)  # utilisation = X y
    wanted = jobs / (busy / disk)

    rows = np.array([jobs]), delay * ONE, bus * ONE, np.array([0, 1]), disk * ONE
    assert _core.bus_times(*rows)[0] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("jobs", "clusters", "delay", "bus", "disk"),
    [
        (1, 2, 0.5, 0.2, 0.3),
        (2, 2, 1.0, 0.4, 0.3),
        (1, 4, 0.3, 0.5, 0.1),
        (3, 2, 0.2, 0.3, 0.9),
        (1, 5, 1, 0.1, 2),
    ],
)
def test_the_clustered_network_is_the_chain_written_out(jobs, clusters, delay, bus, disk):
    start = ((jobs,) * clusters, (), (0,) * clusters)
    shares = stationary(start, clustered_moves(delay, bus, disk))
    busy = sum(share for (_, _, at_disks), share in shares.items() if at_disks[0])
    wanted = jobs / (busy / disk)

    assert clustered_cycle(jobs, clusters, delay, bus, disk) == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize(("jobs", "delay", "bus", "loops"), [(9, 0.88, 0.0098, 5), (8, 1.0, 0.2, 3)])
def test_the_exact_fork_join_is_what_a_simulation_finds(jobs, delay, bus, loops):
    mean, error = simulated_fork_join(jobs, delay, bus, loops, fixed=False, runs=3000, seed=11)

    assert abs(fork_join(jobs, delay, bus, loops, True) - mean) < 4 * error
    assert error < 0.02 * mean  # a simulation too short to tell would agree with anything


@pytest.mark.parametrize(
    ("jobs", "delay", "bus", "loops"),
    [(9, 0.88, 0.0098, 5), (64, 0.22, 0.00736, 5), (16, 1.0, 0.5, 5), (4, 1.0, 1.0, 5), (64, 1.0, 0.05, 2)],
)
def test_fixed_loops_are_what_an_independent_simulation_finds(jobs, delay, bus, loops):
    mean, error = simulated_fork_join(jobs, delay, bus, loops, fixed=True, runs=400, seed=12)
    found = fixed_loop_seconds(np.array([jobs]), delay * ONE, bus * ONE, float(loops))[0]

    assert abs(found - mean) < 0.01 * mean + 4 * error
    assert error < 0.015 * mean


def test_line_solves_the_same_networks():
    pfqn = pytest.importorskip("line_solver.api.pfqn", reason="line-solver is not installed")
    demands, think = np.array([[0.2], [0.3]]), np.array([0.5])
    for jobs in (1, 3, 40):
        throughput = np.ravel(pfqn.pfqn_mva(demands, np.array([jobs]), think)[0])[0]
        rows = np.array([jobs]), 0.5 * ONE, 0.2 * ONE, np.array([0, 1]), 0.3 * ONE
        assert _core.bus_times(*rows)[0] == pytest.approx(jobs / throughput, rel=1e-12)
    # two clusters: the bus serves both classes, each disk its own
    demands = np.array([[0.05, 0.05], [0.3, 0.0], [0.0, 0.3]])
    throughput = np.ravel(pfqn.pfqn_mva(demands, np.array([4, 4]), np.array([2.0, 2.0]))[0])[0]
    assert clustered_cycle(4, 2, 2.0, 0.05, 0.3) == pytest.approx(4 / throughput, rel=1e-12)
