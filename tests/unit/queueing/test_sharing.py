"""Several classes in one network: against the one-class and clustered solutions, and by hand."""

import numpy as np
import pytest

from striate.errors import QueueingError
from striate.queueing import Model, SpmdParameters, on_unequal_disks, together
from striate.queueing.networks.classes import class_cycle_seconds


def spmd(**changes) -> SpmdParameters:
    values = {"parallel_seconds": 4, "transfer_seconds": 0.5, "io_transfer_seconds": 1, "contention": 0.5}
    return SpmdParameters(**values | changes)


def test_two_jobs_of_two_classes_by_hand():
    # one station, no delay: the other is always there and takes half of its time, so each takes twice its demand
    found = class_cycle_seconds(np.array([1, 1]), np.zeros(2), np.array([[1.0, 2.0]]))

    assert found == pytest.approx([2.0, 4.0])


@pytest.mark.parametrize("split", [(3, 5), (1, 7), (4, 4)])
def test_equal_programs_beside_each_other_are_one_larger_class(split):
    demands = np.array([[0.2, 0.2], [0.3, 0.3]])
    found = class_cycle_seconds(np.array(split), np.ones(2), demands)
    whole = class_cycle_seconds(np.array([8]), np.ones(1), demands[:, :1])

    assert found == pytest.approx([whole[0], whole[0]])


def test_equal_disks_are_the_clustered_model():
    model = Model(spmd(), "clu-aio")

    assert on_unequal_disks(model, 12, [1, 1, 1]) == pytest.approx([model.time(12, 3)] * 3, rel=1e-12)


def test_a_slow_disk_delays_its_own_cluster_most():
    model = Model(spmd(io_transfer_seconds=8), "clu-aio")
    slow, quick = on_unequal_disks(model, 8, [0.25, 1])

    assert slow > 2 * quick
    assert slow > model.time(8, 2) > 0.9 * quick


def test_a_program_is_slower_beside_another_and_as_fast_beside_an_idle_one():
    heavy, light = Model(spmd(io_startup_seconds=1)), Model(spmd(io_transfer_seconds=0, parallel_seconds=1e6))
    beside_heavy, _ = together([Model(spmd()), heavy], [8, 8], 2)
    beside_light, _ = together([Model(spmd()), light], [8, 2], 2)

    assert beside_heavy.slowdown > 1.5
    assert beside_light.slowdown == pytest.approx(1, abs=1e-3)


def test_what_cannot_share_is_refused():
    with pytest.raises(QueueingError, match="bus-aio"):
        together([Model(spmd(), "sio")], [4], 1)
    with pytest.raises(QueueingError, match="one number of processors per model"):
        together([Model(spmd())], [4, 4], 1)
    with pytest.raises(QueueingError, match="positive speed"):
        on_unequal_disks(Model(spmd(), "clu-aio"), 4, [1, 0])
    with pytest.raises(QueueingError, match="multiple of d"):
        on_unequal_disks(Model(spmd(), "clu-aio"), 4, [1, 1, 1])
    with pytest.raises(QueueingError, match=r"states .* of the queueing network"):
        together([Model(spmd()), Model(spmd())], [4096, 4096], 1)
