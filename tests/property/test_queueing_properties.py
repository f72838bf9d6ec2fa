"""What holds for every program: bounds, insensitivity to units, and the neighbours of each solver."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from striate.queueing import Model, SpmdParameters

times = st.one_of(st.just(0.0), st.floats(1e-6, 100))


@st.composite
def programs(draw):
    values = [draw(times) for _ in range(6)]
    assume(values[0] + values[1] + values[4] + values[5] > 0)
    names = (
        "parallel_seconds",
        "serial_seconds",
        "message_startup_seconds",
        "transfer_seconds",
        "io_startup_seconds",
        "io_transfer_seconds",
    )
    return SpmdParameters(
        **dict(zip(names, values, strict=True)),
        bursts_per_io=draw(st.floats(1, 50)),
        contention=draw(st.floats(0, 1)),
        group=draw(st.sampled_from([1, 2, 4])),
        scale=draw(st.sampled_from(["hyperperimeter:2", "inverse", "constant"])),
        imbalance=draw(st.sampled_from(["exponential", "uniform", "deterministic"])),
    )


points = st.tuples(st.integers(1, 24), st.sampled_from([1, 2, 3, 8]))


@given(programs(), points, st.sampled_from(["sio", "bus-aio", "clu-aio"]))
def test_the_exact_time_lies_between_its_bounds(spmd, point, kind):
    groups, disks = point
    model = Model(spmd, kind, solver="exact")
    processors = groups * disks * spmd.group
    bounds = model.bounds(processors, disks)

    assert bounds.low * (1 - 1e-11) <= model.time(processors, disks) <= bounds.high * (1 + 1e-11)


@given(
    programs(),
    points,
    st.sampled_from(["sio", "bus-aio", "clu-aio"]),
    st.sampled_from(["paper", "exact", "fast"]),
)
def test_seconds_may_be_counted_in_any_unit(spmd, point, kind, solver):
    groups, disks = point
    processors = groups * disks * spmd.group
    names = ("parallel", "serial", "message_startup", "transfer", "io_startup", "io_transfer")
    longer = spmd.replace(**{f"{name}_seconds": 1024 * getattr(spmd, f"{name}_seconds") for name in names})

    plain, scaled = (Model(one, kind, solver=solver) for one in (spmd, longer))
    assert scaled.time(processors, disks) == pytest.approx(1024 * plain.time(processors, disks), rel=1e-9)


@given(
    programs(), points, st.sampled_from(["sio", "bus-aio", "clu-aio"]), st.sampled_from(["paper", "exact"])
)
def test_components_and_utilisation_make_sense(spmd, point, kind, solver):
    groups, disks = point
    processors = groups * disks * spmd.group
    model = Model(spmd, kind, solver=solver)
    parts, use = model.components(processors, disks), model.utilisation(processors, disks)

    assert min(parts.cpu, parts.communication, parts.io) >= 0
    assert parts.total == pytest.approx(model.time(processors, disks), rel=1e-9)
    assert all(0 <= share <= 1 + 1e-9 for share in (use.processors, use.network, use.disks))


@given(programs(), points)
def test_the_papers_sio_never_promises_less_than_the_exact_time(spmd, point):
    groups, disks = point
    exact, paper = (
        Model(spmd, "sio", solver=solver).time(groups * spmd.group, disks) for solver in ("exact", "paper")
    )

    assert paper >= exact * (1 - 1e-10)


@given(programs(), points, st.sampled_from(["bus-aio", "clu-aio"]))
def test_linearizer_is_a_good_neighbour(spmd, point, kind):
    groups, disks = point
    processors = groups * disks * spmd.group
    exact, fast = (Model(spmd, kind, solver=solver).time(processors, disks) for solver in ("exact", "fast"))

    assert fast == pytest.approx(exact, rel=0.03)


@given(programs(), st.integers(1, 40), st.sampled_from(["sio", "bus-aio"]))
def test_more_disks_never_hurt(spmd, groups, kind):
    found = Model(spmd, kind).time(groups * spmd.group, np.array([1, 2, 4, 64]))

    assert (np.diff(found) <= 1e-12 * found[0]).all()
