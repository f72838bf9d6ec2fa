"""Percentiles of a cycle: laws known in closed form, means known exactly, and the command."""

import json

import numpy as np
import pytest

from striate.cli.main import run
from striate.errors import QueueingError
from striate.queueing import Model, SpmdParameters, cycle_percentiles
from striate.queueing.percentiles import cycle_samples

SPMD = SpmdParameters(
    parallel_seconds=8,
    transfer_seconds=2,
    contention=0.5,
    scale="inverse",
    io_transfer_seconds=1,
    bursts_per_io=3,
)


def test_the_longest_of_independent_delays_has_its_own_law():
    alone = SpmdParameters(
        parallel_seconds=0, serial_seconds=1.0
    )  # eight processors, each an exponential second

    found = cycle_percentiles(Model(alone, "sio"), 8, 1, [50, 90])

    exact = -np.log1p(-(np.array([0.5, 0.9]) ** (1 / 8)))
    assert found == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize(
    ("kind", "loops"),
    [("sio", "geometric"), ("sio", "fixed"), ("bus-aio", "geometric"), ("clu-aio", "fixed")],
)
def test_the_mean_of_the_cycles_is_the_exact_time(kind, loops):
    model = Model(SPMD, kind, solver="paper" if loops == "fixed" else "exact", loops=loops)

    samples = cycle_samples(model, 8, 2)

    assert samples.mean() == pytest.approx(model.time(8, 2), rel=0.03)


def test_a_fixed_number_of_bursts_spreads_less():
    ranges = {}
    for loops in ("geometric", "fixed"):
        low, high = cycle_percentiles(Model(SPMD, "bus-aio", loops=loops), 8, 2, [5, 95])
        ranges[loops] = high - low

    assert ranges["fixed"] < 0.9 * ranges["geometric"]


@pytest.mark.parametrize(
    ("point", "percent", "words"),
    [
        ((8, 2), 0, "above 0 and below 100, got 0"),
        ((8, 3), 50, "multiple of d = 3"),
        ((0, 1), 50, "at least 1"),
    ],
)
def test_what_has_no_percentile_is_refused(point, percent, words):
    with pytest.raises(QueueingError, match=words):
        cycle_percentiles(Model(SPMD, "clu-aio"), *point, [percent])


def test_too_many_bursts_to_simulate_are_refused():
    many = SpmdParameters(parallel_seconds=8, bursts_per_io=1e7)

    with pytest.raises(QueueingError, match="too many to simulate"):
        cycle_percentiles(Model(many, "sio"), 64, 1, [50])


def test_the_command_prints_them(tmp_path, capsys):
    file = tmp_path / "model.toml"
    file.write_text('kind = "bus-aio"\n[spmd]\nparallel_seconds = "4 s"\nio_transfer_seconds = "2 s"\n')

    assert run(["model", str(file), "--at", "4,2", "--percentile", "90", "--percentile", "50"]) == 0
    assert "of the cycles 50 % " in capsys.readouterr().out
    assert run(["model", str(file), "--at", "4,2", "--percentile", "90", "--json"]) == 0
    (phase,) = json.loads(capsys.readouterr().out)["phases"]
    assert phase["cycle_percentiles"]["90"] > phase["seconds"]
    assert run(["model", str(file), "--percentile", "90"]) == 2
