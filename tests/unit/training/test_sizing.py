"""The smallest storage system: equal to what trying all of them finds, and honest where none is enough."""

import json
from dataclasses import replace
from itertools import product

import pytest

from striate.cli.main import run
from striate.errors import PredictionError
from striate.training import sizing
from striate.training.forecast import draws_of, forecast_training
from striate.training.sizing import Target, smallest_system
from striate.training.system import StorageSystem
from training_jobs import UNET3D

JOB = replace(UNET3D, accelerators=64, hosts=8, files=56_000)
BASE = StorageSystem("base", drive_kind="nvme", host_cores=128, host_link=50e9, host_memory=64e9, rdma=True)
FEW = {
    "servers": (1, 2, 3, 5, 8, 13, 21),
    "links": (50, 100, 400),
    "drives": (2, 4, 8, 24),
    "host-links": (100, 400),
}


def chance(servers, links, drives, target):
    system = replace(BASE, servers=servers, server_link=links * 1e9 / 8, drives=servers * drives)
    return float((draws_of(JOB, system).utilisation >= target).mean())


@pytest.mark.parametrize("vary", [("servers", "links", "drives"), ("drives", "servers", "links")])
@pytest.mark.parametrize("certainty", [0.5, 0.9])
def test_the_smallest_system_is_the_one_that_trying_all_finds(vary, certainty, monkeypatch):
    monkeypatch.setattr(sizing, "CHOICES", FEW)
    found = smallest_system(JOB, BASE, Target("au", 0.9, certainty), vary=vary)
    every = [dict(zip(vary, values, strict=True)) for values in product(*(FEW[name] for name in vary))]
    enough = [one for one in every if chance(**one, target=0.9) >= certainty]
    best = min(enough, key=lambda one: [one[name] for name in vary])
    least = {
        (one["servers"], one["links"], one["drives"])
        for one in enough
        if not any(other != one and all(other[name] <= one[name] for name in vary) for other in enough)
    }

    assert {name: getattr(found.best, name) for name in vary} == best
    assert {(one.servers, one.links, one.drives) for one in found.alternatives} == least
    assert found.best.certainty >= certainty
    assert all(sure < certainty for _, sure in found.one_less)


def test_prices_choose_among_those_that_reach_it(monkeypatch):
    monkeypatch.setattr(sizing, "CHOICES", FEW)
    prices = {"servers": 1.0, "drives": 1000.0}
    vary = ("servers", "links", "drives")
    found = smallest_system(JOB, BASE, Target("au", 0.9, 0.9), vary=vary, prices=prices)
    costs = [one.servers * (1 + 1000 * one.drives) for one in found.alternatives]

    assert found.best.cost == min(costs) == pytest.approx(found.best.servers * (1 + 1000 * found.best.drives))


def test_what_binds_without_being_varied_is_named():
    slow = replace(BASE, host_cores=1)
    found = smallest_system(JOB, slow, Target("au", 0.9, 0.9), vary=("servers", "drives"))

    assert found.best is None
    assert found.forecast.binding[0][0] == "CPUs of the hosts"


def test_a_larger_target_or_certainty_never_asks_for_less(monkeypatch):
    monkeypatch.setattr(sizing, "CHOICES", FEW)
    vary = ("servers", "links", "drives")
    some, more, sure = (
        smallest_system(JOB, BASE, Target("au", value, certainty), vary=vary).best.servers
        for value, certainty in ((0.5, 0.8), (0.9, 0.5), (0.9, 0.8))
    )

    assert some <= sure
    assert more <= sure


def test_other_targets_are_those_of_the_forecast():
    known = replace(BASE, servers=4, server_link=50e9, drives=96)
    forecast = forecast_training(JOB, known)
    enough = smallest_system(
        JOB, known, Target("throughput", forecast.throughput.low, 0.5), vary=("servers",)
    )
    quick = smallest_system(JOB, known, Target("seconds", forecast.seconds.high, 0.5), vary=("servers",))

    assert enough.best.servers <= 4
    assert quick.best.servers <= 4
    assert enough.best.drives == 24  # of each server, as the machine has them


@pytest.mark.parametrize(
    ("base", "vary", "message"),
    [
        (BASE, ("servers",), "the number of drives is not known; vary drives too"),
        (
            BASE,
            ("servers", "fans"),
            "expected quantities to vary among servers, links, drives, host-links, got 'fans'",
        ),
        (BASE, (), "expected one or more quantities to vary, each once"),
        (replace(BASE, local=True), ("servers", "drives"), "got one whose drives are in the hosts"),
    ],
)
def test_an_open_question_is_refused(base, vary, message):
    with pytest.raises(PredictionError, match=message):
        smallest_system(JOB, base, Target("au", 0.9, 0.9), vary=vary)


YAML = """
model: {name: unet3d}
framework: pytorch
workflow: {train: True}
dataset: {format: npz, num_files_train: 56000, num_samples_per_file: 1, record_length_bytes: 146600628}
reader: {data_loader: pytorch, batch_size: 7, read_threads: 16}
train: {epochs: 5, computation_time: 0.323}
"""


def test_the_command_prints_json_and_draws_a_page(tmp_path, capsys):
    job = tmp_path / "unet3d.yaml"
    job.write_text(YAML)
    text = f"dlio:{job} x 16 hosts x 1 accelerators"
    page = tmp_path / "size.html"

    assert run(["size", text, "--target", "au=0.9", "-o", str(page)]) == 0
    assert "reach utilisation of at least 90%" in capsys.readouterr().out
    content = page.read_text()
    assert content.count("<svg") == 1
    assert "<script" not in content
    assert "What binds" in content
    assert run(["size", text, "--target", "au=0.9", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "striate.sizing/1"
    hungry = f"dlio:{job} x 4 hosts x 16 accelerators"
    assert run(["size", hungry, "--target", "au=0.9", "--vary", "servers,drives"]) == 3
    assert "links of the hosts bind: vary host-links too" in capsys.readouterr().out
    assert run(["size", text, "--target", "joy=1"]) == 2
    assert run(["size", "ior -b 1m", "--target", "au=0.9"]) == 1
