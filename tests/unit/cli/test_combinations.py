"""Options and parts that are seldom used together: each combination answers, or refuses by name."""

import json
import tomllib
from importlib import resources

import pytest
import tomli_w

from fuzzing.job_seeds import dlio
from plugin_files import TEMPLATES
from striate.cli.main import run
from striate.cluster.load import load_cluster
from striate.ladder import predict
from striate.simulate import record_program

PROGRAM = """
from striate.workload.operations import barrier, read, write

def program(rank, ranks):
    for step in range(4):
        yield write("data", offset=(step * ranks + rank) * 300_000, size=300_000)
    yield barrier()
    yield read("data", offset=rank * 300_000, size=300_000)
"""
SIMULATED = """
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
data = np.zeros(1 << 20, np.uint8)
file = MPI.File.Open(comm, "data", MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Write_at(comm.rank * data.nbytes, data)
file.Read_at(comm.rank * data.nbytes, data)
file.Close()
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "app.py"
    path.write_text(PROGRAM)
    return str(path)


@pytest.fixture
def machine(tmp_path):
    """westmere with other settings and caches."""

    def write(cache=None, **settings):
        text = (resources.files("striate.cluster") / "data" / "westmere.toml").read_text()
        tables = tomllib.loads(text)
        tables["settings"] |= settings
        for server in tables["server"]:
            server["cache"] = server.get("cache", {}) | (cache or {})
        path = tmp_path / f"machine-{len(list(tmp_path.iterdir()))}.toml"
        path.write_text(tomli_w.dumps(tables))
        return str(path)

    return write


@pytest.fixture
def forecast(capsys):
    def answer(*words):
        assert run([*words, "--json"]) in (0, 3)
        return json.loads(capsys.readouterr().out)

    return answer


def test_days_of_a_shared_machine_beside_the_range_of_flow(forecast, program):
    found = forecast("predict", program, "lustre-64", "--ranks", "8", "--rung", "flow", "--noise", "tokio")

    alone, usual, bad = found["days"]
    assert alone["seconds"] == found["seconds"]
    assert alone["slowdown"] <= usual["slowdown"] <= bad["slowdown"]


@pytest.mark.parametrize("option", [("--noise", "tokio"), ("--plugin", str(TEMPLATES / "scheduler.py"))])
def test_a_training_job_refuses_what_it_does_not_take(tmp_path, capsys, option):
    job = tmp_path / "job.yaml"
    job.write_text(dlio("unet3d"))

    assert run(["predict", f"dlio:{job}", "westmere", "--ranks", "4", *option]) == 2
    assert f"{option[0]} is not accepted for a training job" in capsys.readouterr().err


def test_a_scheduler_of_ones_own_asks_for_the_same_locks(forecast, program, machine):
    """First come, first served is the policy write-behind; that many ranks of a node share a lock changes nothing."""
    scheduler = ("--plugin", str(TEMPLATES / "scheduler.py"))
    seconds = {}
    for lock in ("0 s", "5 ms"):
        builtin = machine(cache={"policy": "write-behind"}, lock_move=lock)
        own = machine(cache={"policy": "server-directed"}, lock_move=lock)
        common = ("--ranks", "16", "--rung", "fine", "--exact")
        seconds[lock] = forecast("predict", program, builtin, *common)["seconds"]["estimate"]
        with_plugin = forecast("predict", program, own, *common, *scheduler)["seconds"]["estimate"]
        assert with_plugin == seconds[lock]

    assert seconds["5 ms"] > seconds["0 s"]


def test_a_simulated_program_without_caches_waits_for_the_disks(tmp_path, machine, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "simulated.py"
    path.write_text(SIMULATED)
    seconds = {}
    for policy in ("none", "aggregation-reorder"):
        cluster = load_cluster(machine(cache={"policy": policy}))
        workload = record_program(path, cluster, ranks=2, compute=0)
        found = predict(workload, cluster, rung="fine", exact=True)
        seconds[policy] = found.seconds.estimate
        assert sum(server.bytes_written for server in found.servers) == 2 << 20

    assert seconds["none"] > seconds["aggregation-reorder"]
