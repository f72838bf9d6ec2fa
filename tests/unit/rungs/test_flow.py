"""The rung `flow`: near `fine` on a part of the corpus, and asked where `fine` is too long."""

import importlib.util
import sys
import tomllib
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from striate.cluster.builders import star
from striate.cluster.load import cluster_from_tables, load_cluster
from striate.engine.packets import run_packets
from striate.ladder import predict
from striate.rungs.answer import UnfitError
from striate.rungs.flow import MEASURED, family_of, predict_flow
from striate.rungs.program_input import input_of
from striate.tuning.tune import _race
from striate.workload import Spmd, Workload
from striate.workload import operations as op

_FOLDER = Path(__file__).resolve().parents[3] / "verification"


@pytest.fixture(scope="module")
def verification():
    spec = importlib.util.spec_from_file_location("flow_verification", _FOLDER / "flow.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def writers(ranks=8, size=1 << 20, passes=4):
    body = Spmd(ranks, name="writers")
    with body.repeat(passes) as step:
        body.write("out", offset=(step * ranks + body.rank) * size, size=size)
    return body.workload()


def test_flow_is_near_fine_on_the_ladders_corpus(verification):
    found = [
        outcome for case in verification.ladder_cases(90, seed=7) if (outcome := verification.study(case))
    ]

    errors = np.abs([outcome.error for outcome in found])
    assert len(found) >= 70
    assert np.median(errors) <= 0.01
    assert np.quantile(errors, 0.97) <= 0.15


def test_every_family_of_a_part_of_the_attack_lies_in_its_range(verification):
    found = [
        outcome for case in verification.attacking_cases(40, seed=3) if (outcome := verification.study(case))
    ]

    assert {outcome.case.family for outcome in found} == set(MEASURED)
    assert np.mean([outcome.held for outcome in found]) >= 0.9


def test_clients_of_a_server_without_a_cache_are_served_in_the_order_of_their_packets():
    seeking = {
        "kind": "hard",
        "rate": "100 MB/s",
        "average_seek": "8 ms",
        "track_seek": "1 ms",
        "near": "1 MB",
    }
    link = {"bandwidth": "8 GB/s", "latency": "100 ns"}
    machine = star(
        name="star",
        node={
            "count": 3,
            "sockets": 1,
            "cpus_per_socket": 1,
            "instructions_per_second": "2 G",
            "memory": "8 GB",
            "nic": {"bandwidth": "20 GB/s", "link": link},
            "socket": {"bandwidth": "8 GB/s", "local_bandwidth": "10 GB/s"},
            "uplink": {"bandwidth": "5 GB/s", "latency": "100 us"},
        },
        switch={"bandwidth": "80 GB/s"},
        server={
            "count": 1,
            "on": "nodes",
            "disk": {**seeking, "revolutions_per_minute": 7200},
            "cache": {"policy": "none"},
        },
        settings={"packet": "32 KiB", "eager": "4 KiB", "io_request": "4 MiB", "stripe_unit": "64 KiB"},
    )
    given = input_of(writers(ranks=3, passes=1), machine)

    packets, flow = (run_packets(given, flows=flows, log_disks=True) for flows in (False, True))

    assert list(flow.disk_log.offset) == list(packets.disk_log.offset)
    assert flow.end == packets.end


def test_alone_a_message_takes_the_same_time_to_the_picosecond():
    def program(rank, _):
        yield op.send(1, 1000) if rank == 0 else op.recv(0, 1000)

    given = Workload.from_program(program, 2)
    cluster = load_cluster("lustre-64")
    assert (
        predict(given, cluster, rung="flow").bounds.estimate
        == predict(given, cluster, rung="fine").bounds.estimate
    )


def test_the_range_is_what_was_measured_of_the_family():
    found = predict_flow(writers(), load_cluster("lustre-64"))

    below, above = MEASURED[family_of(writers(), load_cluster("lustre-64"))]
    seconds = found.interval.estimate
    assert (found.interval.low, found.interval.high) == (seconds * (1 - below), seconds * (1 + above))
    assert "not bounds" in " ".join(found.notes)


def test_forwarders_are_refused_by_name():
    text = (resources.files("striate.cluster") / "data" / "lustre-64.toml").read_text()
    tables = tomllib.loads(text) | {"forwarder": [{"name": "ion", "count": 1, "on": "nodes"}]}

    with pytest.raises(UnfitError, match="forwarders"):
        predict_flow(writers(), cluster_from_tables(tables))


def test_flow_answers_where_fine_is_beyond_the_budget_and_only_there():
    cluster = load_cluster("lustre-64")
    given = writers(ranks=256, passes=16)

    short = predict(given, cluster, within=0.01, budget="100 ms")
    enough = predict(given, cluster, within=0.01, budget="60 s")

    assert short.rung == "flow"
    assert enough.rung == "fine"
    assert all(answer.rung != "flow" for answer in enough.answers)
    assert enough.bounds.estimate in short.bounds


def test_tune_ranks_by_flow_where_all_packets_are_too_many():
    cluster = load_cluster("lustre-64")

    assert _race(writers(), cluster, 4, 60.0) == ("resource", "fine")
    assert _race(writers(ranks=1024, passes=64), cluster, 100, 60.0) == ("resource", "flow", "fine")


def test_idle_times_of_shared_links_are_not_forgotten():
    """64 ranks on 10 nodes write files of their own in two phases, all to all: once forecast 87 % too long."""
    body = Spmd(64, name="own files")
    body.write_all(body.files("own {}", per_rank=True, collective="two-phase"), offset=0, size=1 << 20)
    given = input_of(body.workload(), load_cluster("westmere"))
    fine, flow = (int(run_packets(given, flows=flows).rank_end.max()) for flows in (False, True))

    assert flow == pytest.approx(fine, rel=0.05)
