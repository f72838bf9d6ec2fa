"""A short real probe of this machine, and real runs against their forecasts."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from striate.cli.main import run
from striate.cluster import load_cluster
from striate.results import entries

pytest.importorskip("mpi4py", reason="mpi4py is not installed (extra `mpi`)")
BESIDE = Path(sys.executable).with_name("mpiexec")

pytestmark = pytest.mark.skipif(
    not BESIDE.exists() and shutil.which("mpiexec") is None, reason="no mpiexec is to be had"
)


@pytest.fixture(scope="module")
def probed(tmp_path_factory):
    """A description of this machine, made in about two seconds of measuring on two ranks."""
    folder = tmp_path_factory.mktemp("probe")
    scratch = folder / "scratch"
    scratch.mkdir()
    options = [
        "--budget",
        "2 s",
        "--ranks",
        "2",
        "--directory",
        str(scratch),
        "--store",
        str(folder / "results.db"),
    ]
    outputs = ["-o", str(folder / "here.toml"), "--residuals", str(folder / "left.svg")]
    assert run(["probe", *options, *outputs]) == 0
    assert list(scratch.iterdir()) == []
    return folder


def test_a_probe_describes_this_machine(probed):
    cluster = load_cluster(probed / "here.toml")
    keys = {table.key for table in cluster.description.measured}

    assert cluster.nodes == 1
    assert {"node[0].nic.link.bandwidth", "server[0].disk.write_rate", "settings.background"} <= keys
    assert {"settings.piece_cpu", "settings.io_thread"} <= keys
    assert 1e6 < cluster.description.node[0].nic.link.bandwidth < 1e13
    assert "<svg" in (probed / "left.svg").read_text()
    (entry,) = entries(probed / "results.db")
    assert (entry.kind, entry.cluster) == ("probe", "here")
    assert entry.results["schema"] == "striate.probe/1"


def test_a_forecast_on_it_has_bounds(probed, capsys):
    assert (
        run(["predict", "checkpoint", str(probed / "here.toml"), "--ranks", "2", "--rung", "fine", "--json"])
        == 0
    )

    seconds = json.loads(capsys.readouterr().out)["seconds"]
    assert 0 < seconds["low"] < seconds["estimate"] < seconds["high"]


def test_real_runs_are_laid_beside_their_forecasts(probed, capsys):
    scratch = probed / "scratch"
    words = [
        "validate",
        str(probed / "here.toml"),
        "--quick",
        "--app",
        "checkpoint",
        "--repeats",
        "1",
        "--json",
    ]
    outputs = ["--store", str(probed / "results.db"), "-o", str(probed / "picture.svg")]

    assert run([*words, "--directory", str(scratch), *outputs]) in (
        0,
        3,
    )  # a busy machine may be hard to forecast
    document = json.loads(capsys.readouterr().out)
    assert [outcome["case"]["ranks"] for outcome in document["outcomes"]] == [1, 2]
    for outcome in document["outcomes"]:
        assert all(one["seconds"] > 0 and one["forecast"]["low"] > 0 for one in outcome["runs"])
    assert list(scratch.iterdir()) == []
    assert "<svg" in (probed / "picture.svg").read_text()
    assert [entry.kind for entry in entries(probed / "results.db")][-2:] == ["validate", "validate"]


def test_ranks_that_cannot_start_are_one_line(tmp_path, capsys):
    assert run(["probe", "--budget", "0.5 s", "--directory", str(tmp_path), "--", "/no/such/launcher"]) == 1

    assert "cannot run '/no/such/launcher'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
