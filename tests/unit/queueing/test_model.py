"""Models by hand, at their edges, and together."""

import numpy as np
import pytest

from striate.errors import QueueingError
from striate.queueing import Model, Program, SpmdParameters, effects, surface
from unit.queueing.test_parameters import program

KINDS = ("sio", "bus-aio", "clu-aio")


def test_two_processors_on_a_bus_by_hand():
    # z n = 5 (2 + 0.05 + 0.002 + 0.7 * 0.3 * 2^-1/2), x n = 5 * 0.3 * 0.3 * 2^-1/2, y = 0.01 + 2/2; MVA for two jobs
    delay, bus, disk = 5 * (2.052 + 0.21 / 2**0.5), 0.45 / 2**0.5, 1.01
    lone = delay + bus + disk
    cycle = delay + bus * (1 + bus / lone) + disk * (1 + disk / lone)

    assert Model(program()).time(2, 1) == pytest.approx(cycle, rel=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("solver", ["paper", "exact", "fast"])
def test_components_add_up_to_the_time(kind, solver):
    model = Model(program(group=2, cycles=3), kind, solver=solver)

    assert model.components(16, 4).total == pytest.approx(model.time(16, 4), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_and_numbers_agree(kind):
    model = Model(program(), kind)
    p, d = np.array([[32], [8], [16]]), np.array([4, 1, 2, 8])
    times = model.time(p, d)

    assert times.shape == (3, 4)
    assert times[0, 3] == model.time(32, 8)
    assert times[2, 1] == model.time(16, 1)


def test_with_one_disk_clustered_and_bus_are_the_same_machine():
    p = np.arange(1, 40)

    assert Model(program(), "clu-aio").time(p, 1) == pytest.approx(
        Model(program(), "bus-aio").time(p, 1), rel=1e-12
    )


def test_the_bottleneck_moves_from_processors_to_disks_as_processors_are_added():
    model = Model(SpmdParameters(parallel_seconds=1, io_startup_seconds=0.05))

    assert model.bottleneck(2, 1) == "processors"  # 1/2 s against 2 * 0.05 s
    assert model.bottleneck(16, 1) == "disks"  # 1/16 s against 16 * 0.05 s
    assert model.utilisation(64, 1).disks == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_million_processors_are_finite_and_within_bounds(kind):
    model = Model(program(), kind)
    bounds = model.bounds(1_000_000, 100)
    slack = 1e-3 if kind == "sio" else 1e-12  # the paper's sum is no exact value, but no farther off here

    assert bounds.low <= model.time(1_000_000, 100) * (1 + slack)
    assert model.time(1_000_000, 100) <= bounds.high * (1 + slack)


def test_the_fast_solver_is_close_to_the_papers_at_a_million_processors():
    for kind, tolerance in (("sio", 1e-3), ("bus-aio", 1e-3), ("clu-aio", 1e-3)):
        fast, paper = (
            Model(program(), kind, solver=solver).time(1_000_000, 100) for solver in ("fast", "paper")
        )
        assert fast == pytest.approx(paper, rel=tolerance), kind


def test_fixed_loops_wait_less_than_geometric_ones():
    geometric, fixed = (Model(program(), "sio", loops=loops).time(64, 8) for loops in ("geometric", "fixed"))

    assert fixed < geometric
    assert Model(program(), "bus-aio", loops="fixed").time(64, 8) == Model(program(), "bus-aio").time(64, 8)


def test_the_largest_of_exponentials_is_the_harmonic_sum():
    from striate.queueing.networks.fixed_loops import largest_gamma

    assert largest_gamma(1, 5.0) == pytest.approx(5.0)  # n unit bursts, one job
    assert largest_gamma(3, 1.0) == pytest.approx(1 + 1 / 2 + 1 / 3)
    assert largest_gamma(10**6, 1.0) == pytest.approx(14.392726722865724, rel=1e-12)  # H of a million


def test_phases_add_up():
    first, second = Model(program(), "sio"), Model(program(cycles=7), "bus-aio")
    both = Program((first, second))

    assert both.time(8, 2) == pytest.approx(first.time(8, 2) + second.time(8, 2))
    assert both.speedup(1, 1) == pytest.approx(1.0)
    assert both.bottleneck(8, 2) == second.bottleneck(8, 2)
    assert both.components(8, 2).total == pytest.approx(both.time(8, 2))
    assert surface(both, [8], [2]).seconds[0, 0] == pytest.approx(both.time(8, 2))


def test_effects_of_the_times_add_up_to_one():
    found = effects(Model(program()), 64, 8)

    times = [value for name, value in found.items() if name.endswith("_seconds")]
    assert sum(times) == pytest.approx(1.0, abs=1e-6)
    assert list(found.values()) == sorted(found.values(), key=abs, reverse=True)


@pytest.mark.parametrize(
    ("kind", "processors", "disks", "words"),
    [
        ("sio", 0, 1, "at least 1, got 0"),
        ("bus-aio", 4, 0, "at least 1, got 0"),
        ("bus-aio", -3, 1, "at least 1, got -3"),
        ("bus-aio", 2.5, 1, "whole numbers"),
        ("bus-aio", "many", 1, "whole numbers"),
        ("sio", 9, 1, "multiple of c = 2, got p = 9"),
        ("clu-aio", 12, 4, "multiple of d = 4, got p/c = 6"),
        ("bus-aio", 2**40, 1, "at most"),
    ],
)
def test_points_where_there_is_no_model_are_refused(kind, processors, disks, words):
    with pytest.raises(QueueingError, match=words):
        Model(program(group=2), kind).time(processors, disks)


@pytest.mark.parametrize("changes", [{"kind": "ring"}, {"solver": "guess"}, {"loops": "endless"}])
def test_unknown_choices_are_refused(changes):
    with pytest.raises(QueueingError, match="got"):
        Model(program(), **changes)


def test_exact_chains_that_would_take_hours_are_refused():
    with pytest.raises(QueueingError, match="at most 20000 groups"):
        Model(program(), "sio", solver="exact").time(1_000_000, 1)
    with pytest.raises(QueueingError, match="`loops` 'fixed'"):
        Model(program(), "sio", solver="exact", loops="fixed").time(4, 1)
