"""Streams on machines with shared switches, disks of several speeds and too few nodes; and senseless numbers."""

import os
import signal
import subprocess
import sys
import time

import msgspec
import numpy as np
import pytest

from machines import SWITCH, node, server
from striate.apps import titan, vmscope
from striate.cluster.build import build
from striate.cluster.builders import star
from striate.cluster.load import load_cluster
from striate.errors import WorkloadError
from striate.ladder import predict
from striate.ladder.stream_subject import StreamSubject
from striate.rungs.shared_parts import shared_parts
from striate.workload.flows import Graph, ListedFlows

ORDERED = ("macro-rr", "macro-queue", "micro")


def sp2(uplink: float = 27e6):
    description = load_cluster("sp2").description
    thin = description.node[0]
    link = msgspec.structs.replace(thin.uplink, bandwidth=uplink)
    return build(msgspec.structs.replace(description, node=(msgspec.structs.replace(thin, uplink=link),)))


def test_a_switch_that_64_nodes_share_is_seen_by_every_rung():
    """With uplinks of 400 MB/s the rungs said 1.74 s (1.61 to 2.27), and 1 GB through 120 MB/s took 8.3 s."""
    flows = titan.flows(volume="100 MB", mesh=(8, 8), queries=1, compute_per_block="1 ms")
    subject = StreamSubject(flows, sp2(400e6))
    fine = subject.ask("fine").interval.estimate

    through_the_switch = 100e6 / 120e6 * 63 / 64
    assert subject.proved().low == pytest.approx(through_the_switch, rel=0.05)
    assert subject.proved().low <= fine <= subject.proved().high
    subject.checks(0.5)
    for rung in ORDERED:
        found = subject.ask(rung).interval
        assert found.low <= fine <= found.high, rung
        assert found.estimate == pytest.approx(fine, rel=0.25), rung


def test_a_machine_with_too_few_nodes_is_widened_for_every_rung():
    """sp2 widened to 256 nodes: the rungs said 2.99 s, the packets through its one switch take 9.04 s."""
    flows = titan.flows(
        volume="50 MB", mesh=(16, 16), queries=1, disks_per_processor=1, compute_per_block="1 ms"
    )
    forecast = predict(flows, "sp2", within=0.5)
    fine = predict(flows, "sp2", rung="fine")

    assert "widened from 64 to 256 nodes" in " ".join(forecast.notes)
    assert forecast.bounds.low <= fine.seconds.estimate <= forecast.bounds.high
    assert forecast.seconds.estimate == pytest.approx(fine.seconds.estimate, rel=0.25)


def test_disks_of_two_speeds_read_at_their_own_on_every_rung():
    quick, slow = ({"kind": "simple", "rate": rate} for rate in ("100 MB/s", "20 MB/s"))
    description = star(
        node=node(2, cpus=4), switch=SWITCH, server=server(1, disk=quick, on="nodes")
    ).description
    servers = (
        description.server[0],
        star(node=node(2), switch=SWITCH, server=server(1, disk=slow, on="nodes")).description.server[0],
    )
    servers = (servers[0], msgspec.structs.replace(servers[1], name="slow"))
    cluster = build(msgspec.structs.replace(description, server=servers))
    flows = ListedFlows("blocks", 2, 1, 1_000_000, ((*(Graph(0),) * 10, *(Graph(1),) * 10),))
    subject = StreamSubject(flows, cluster)

    assert np.unique(subject.costs.read_scale).tolist() == pytest.approx([1.0, 5.0])
    for rung in ("resource", *ORDERED, "fine"):
        assert subject.ask(rung).interval.estimate == pytest.approx(10 * 0.050, rel=0.01), rung


def test_a_window_reads_less_and_loads_the_disks_unevenly():
    def flows(window):
        return titan.flows(volume="60 MB", block="128 KB", queries=1, window=window)

    whole, part = flows((0, 0, 1, 1)), flows((0.3, 0.3, 0.5, 0.5))
    costs = StreamSubject(whole, sp2()).costs
    reads = [one.run("resource", costs).disk_reads for one in (whole, part)]

    assert part.graphs == reads[1].sum() < 0.1 * whole.graphs
    assert np.ptp(reads[0]) <= 1
    assert (reads[1] == 0).sum() > 0  # fewer blocks than disks: some are idle, whatever the placement
    moved = flows((0.5, 0.1, 0.7, 0.3)).run("resource", costs).disk_reads
    assert moved.tolist() != reads[1].tolist()  # other blocks lie on other disks


def test_no_part_of_a_full_crossbar_is_called_shared():
    cluster = star(node=node(4, cpus=4), switch={"bandwidth": "100 GB/s"}, server=server(1))

    assert shared_parts(cluster, 4, 100_000, 10**9) is None


@pytest.mark.parametrize(
    ("make", "options", "path"),
    [
        (titan.flows, {"volume": "0 B"}, "$.volume"),
        (titan.flows, {"block": "0 B"}, "$.block"),
        (titan.flows, {"mesh": (0, 4)}, "$.mesh[0]"),
        (titan.flows, {"mesh": (4, -1)}, "$.mesh[1]"),
        (titan.flows, {"disks_per_processor": 0}, "$.disks_per_processor"),
        (titan.flows, {"queries": 0}, "$.queries"),
        (titan.flows, {"grid": (0, 10)}, "$.grid[0]"),
        (titan.flows, {"window": (0.5, 0, 0.5, 1)}, "$.window"),
        (titan.flows, {"reach": float("nan")}, "$.reach"),
        (titan.flows, {"read_variation": 1.0}, "$.read_variation"),
        (vmscope.flows, {"slide": "0 B"}, "$.slide"),
        (vmscope.flows, {"zoom": 0.5}, "$.zoom"),
        (vmscope.flows, {"zoom": float("inf")}, "$.zoom"),
        (vmscope.flows, {"processors": 0}, "$.processors"),
    ],
)
def test_numbers_that_make_no_sense_are_refused_with_their_path(make, options, path):
    with pytest.raises(WorkloadError) as refused:
        make(**options)

    assert refused.value.at == path
    assert "\n" not in str(refused.value)


def test_fan_out_beyond_what_a_graph_holds_is_refused():
    flows = titan.flows(volume="128 KB", mesh=(5, 5), queries=1, reach=1.0)

    with pytest.raises(WorkloadError, match="at most 16 other processors"):
        predict(flows, "sp2")


def test_an_interrupt_ends_a_long_stream():
    text = (
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"  # background jobs ignore it
        "from striate.apps import vmscope\nfrom striate.workload.flows import FlowCosts\n"
        "flows = vmscope.flows(slides=100_000, processors=12)\nprint('begun', flush=True)\n"
        "flows.run('micro', FlowCosts(10**9, 10**8, True))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout.readline() == b"begun\n"
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)

    assert b"KeyboardInterrupt" in errors
