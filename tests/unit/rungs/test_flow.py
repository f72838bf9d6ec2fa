"""The rung `flow`: near `fine` on a part of the corpus, and asked where `fine` is too long."""

import importlib.util
import sys
import tomllib
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from striate.cluster.builders import fat_tree, star
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


SEEKING = {
    "kind": "hard",
    "rate": "100 MB/s",
    "average_seek": "8 ms",
    "track_seek": "1 ms",
    "revolutions_per_minute": 7200,
    "near": "1 MB",
}


def uncached(build, nodes, *, speed, latency, disk=SEEKING, servers=1, per_node=1, **settings):
    """A machine whose servers, on its first nodes, have no cache."""
    switches = {"switch": {"bandwidth": "80 GB/s"}}
    if build is fat_tree:
        switches["link"] = {"bandwidth": speed, "latency": "500 ns"}
    return build(
        **switches,
        node={
            "count": nodes,
            "sockets": 1,
            "cpus_per_socket": per_node,
            "instructions_per_second": "2 G",
            "memory": "8 GB",
            "nic": {"bandwidth": "20 GB/s", "link": {"bandwidth": "8 GB/s", "latency": "100 ns"}},
            "socket": {"bandwidth": "8 GB/s", "local_bandwidth": "10 GB/s"},
            "uplink": {"bandwidth": speed, "latency": latency},
        },
        server={"count": servers, "on": "nodes", "disk": disk, "cache": {"policy": "none"}},
        settings={"packet": "32 KiB", "eager": "4 KiB", "io_request": "4 MiB", "stripe_unit": "64 KiB"}
        | settings,
    )


def played(workload, machine):
    """On packets and on trains, with the jobs of the disks."""
    given = input_of(workload, machine)
    return [run_packets(given, flows=flows, log_disks=True) for flows in (False, True)]


def test_clients_of_a_server_without_a_cache_are_served_in_the_order_of_their_packets():
    machine = uncached(star, 3, speed="5 GB/s", latency="100 us")

    packets, flow = played(writers(ranks=3, passes=1), machine)

    assert list(flow.disk_log.offset) == list(packets.disk_log.offset)
    assert flow.end == packets.end


def test_clients_behind_a_shared_link_come_to_the_disk_in_the_order_in_which_they_come_to_the_link():
    """Ranks 4 and 5 on one leaf of the fat tree, 6 and 7 on the next, write to the server on another one.

    Both leaves send the packets of 4 and 6 first, which come to the link behind them one service before those of 5
    and 7, though all four have left at once.
    """
    machine = uncached(
        fat_tree, 8, speed="120 MB/s", latency="1 us", servers=3, eager="100 KiB", stripe_unit="1 MiB"
    )

    packets, flow = played(writers(size=256 * 1024, passes=1), machine)

    writers_of_server_1 = [list(run.disk_log.offset[run.disk_log.server == 1][:4]) for run in (packets, flow)]
    assert writers_of_server_1[0] == [0, 512 * 1024, 256 * 1024, 768 * 1024]
    assert writers_of_server_1[1] == writers_of_server_1[0]
    assert flow.end == pytest.approx(packets.end, rel=0.01)


def test_an_answer_does_not_wait_for_packets_that_come_to_its_link_later():
    """A server on node 0 answers rank 1 over a link that packets for the server on node 1 will take later."""
    machine = uncached(
        fat_tree,
        8,
        speed="120 MB/s",
        latency="20 us",
        disk={"kind": "simple", "rate": "100 MB/s", "access": "200 us"},
        servers=2,
        packet="100 KiB",
        eager="100 KiB",
    )
    body = Spmd(8, name="private")
    with body.repeat(6) as step:
        body.write(body.files("part {}", per_rank=True), offset=step * 256 * 1024, size=256 * 1024)

    packets, flow = played(body.workload(), machine)

    assert flow.end == pytest.approx(packets.end, rel=0.05)


def test_ranks_that_leave_a_collective_call_one_after_the_other_keep_their_order_at_the_disks():
    """Eight ranks on two nodes write pieces of 64 KiB over two servers after an allreduce.

    Requests, answers and edges of the allreduce meet at two memories within microseconds; who is first there is first
    at a disk that needs 6 ms for the next one.
    """
    machine = uncached(
        star, 2, speed="5 GB/s", latency="1 us", servers=2, per_node=4, packet="100 KiB", io_cpu="20 us"
    )
    body = Spmd(8, name="iterations")
    body.compute(1e-3 * (1 + 0.3 * body.rank / 8))
    body.allreduce(64 * 1024)
    body.write("checkpoint", offset=body.rank * (1 << 20), size=1 << 20)

    packets, flow = played(body.workload(), machine)

    assert flow.end == pytest.approx(packets.end, rel=0.05)


def test_what_a_server_has_sent_does_not_wait_for_its_door():
    """Ranks read ahead from a server that receives nothing while requests wait.

    Its answers to ranks 1, 3, 5 and 7 share a link of 120 MB/s: when the next requests close the server, the rest of
    the last one, two packets, lies in the windows before that link.
    """
    machine = uncached(
        star,
        2,
        speed="120 MB/s",
        latency="100 us",
        disk={"kind": "simple", "rate": "100 MB/s", "access": "200 us"},
        per_node=4,
        packet="100 KiB",
    )

    def program(rank, _):
        for step in range(3):
            ahead = op.read(f"in{rank}", offset=step * 256 * 1024, size=256 * 1024, blocking=False)
            yield ahead
            yield op.compute(0.025)
            yield op.wait(ahead)

    packets, flow = played(Workload.from_program(program, 8), machine)

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
