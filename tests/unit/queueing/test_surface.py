"""Surfaces, and what is asked of them."""

import numpy as np
import pytest

from striate.errors import QueueingError
from striate.queueing import Model, SpmdParameters, surface
from unit.queueing.test_parameters import program


def test_a_surface_holds_the_models_own_numbers():
    model = Model(program(), "bus-aio")
    grid = surface(model, range(1, 40), [1, 3, 64])

    assert grid.seconds[6, 1] == model.time(7, 3)
    assert grid.bottleneck[38, 0] == model.bottleneck(39, 1)


def test_points_without_a_model_stay_empty():
    grid = surface(Model(program(group=2), "clu-aio"), range(1, 9), [1, 2, 3])

    defined = np.isfinite(grid.seconds)
    assert defined.tolist() == [[p % 2 == 0 and p // 2 % d == 0 for d in (1, 2, 3)] for p in range(1, 9)]
    assert grid.bottleneck[0, 0] == ""
    assert grid.seconds[5, 2] == Model(program(group=2), "clu-aio").time(6, 3)


def test_perfect_parallelism_has_no_knee_before_the_last_processor():
    grid = surface(Model(SpmdParameters(parallel_seconds=1)), range(1, 65), [1])

    assert grid.knee(1).processors == 64
    assert grid.iso_efficiency(1 - 1e-12) == {1: 64}


def test_amdahl_knee_by_hand():
    # T = 0.9/p + 0.1; s^2 / p is largest where p = 0.9 / 0.1 = 9
    grid = surface(Model(SpmdParameters(parallel_seconds=0.9, serial_seconds=0.1)), range(1, 65), [1])

    assert grid.knee(1).processors == 9
    assert grid.iso_efficiency(0.5) == {1: 11}  # 1 / (0.9 + 0.1 p) >= 1/2 while p <= 11


def test_the_best_point_within_a_budget_is_the_best_of_all_that_cost_less():
    grid = surface(Model(program()), range(1, 40), range(1, 20))
    best = grid.best(40, processor_cost=1, disk_cost=4)

    cost = grid.processors[:, None] + 4 * grid.disks
    assert best.seconds == grid.seconds[cost <= 40].min()
    assert best.processors + 4 * best.disks <= 40


@pytest.mark.parametrize(
    ("processors", "disks", "words"),
    [
        ([], [1], "at least one"),
        ([0, 1], [1], "at least 1"),
        ([3, 5], [1], "multiple of c = 2"),
        (range(2, 20_000_000), [1, 2], "at most 20000000 points"),
        (range(2, 4_000_000, 2), [1], "give fewer"),
        (range(2, 40_000, 2), [1], "exact solver of kind sio"),
    ],
)
def test_grids_that_make_no_sense_are_refused(processors, disks, words):
    model = Model(program(group=2), "sio", solver="exact") if "sio" in words else Model(program(group=2))
    with pytest.raises(QueueingError, match=words):
        surface(model, processors, disks)


def test_questions_without_an_answer_are_refused():
    grid = surface(Model(program()), [4, 8], [2])

    with pytest.raises(QueueingError, match="at least 6"):
        grid.best(5)
    with pytest.raises(QueueingError, match="a number of disks for which the speedup surface was computed"):
        grid.knee(3)
    with pytest.raises(QueueingError, match="above 0"):
        grid.iso_efficiency(0)
