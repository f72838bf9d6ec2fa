"""The first rung on programs small enough to add up by hand, and what it refuses."""

from dataclasses import replace

import pytest

from striate.cluster import load_cluster
from striate.errors import PredictionError
from striate.rungs.fine import predict_fine
from striate.rungs.resource import clocks_of, predict_resource
from striate.units import MiB
from striate.workload import Spmd, Workload
from striate.workload.operations import (
    barrier,
    compute,
    read,
    sendrecv,
    sync_file,
    write,
)
from toys import HARD, toy


def test_instructions_take_their_time_on_the_cpu():
    workload = Workload.from_program(lambda rank, n: [compute(instructions="3 G")], 1)

    assert predict_resource(workload, toy()).interval.estimate == 3.0  # 3 G at 1 G/s


def test_ranks_on_one_cpu_share_its_time():
    workload = Workload.from_program(lambda rank, n: [compute("1 s")], 8)

    assert predict_resource(workload, toy(nodes=2, cpus=2)).interval.estimate == 2.0  # 8 ranks on 4 CPUs


def test_the_worst_case_counts_seek_variation_and_cpu_by_hand():
    """One rank, one server on its node, one write of 80 bytes.

    T^d = 80 B / 80 MB/s = 1 us; E_rand = 9 ms + half a turn (30 / 7200 s); E_var = 7 us; E_overlap = 5 us;
    T^p = T^server = 80 B / 700 MB/s, and the CPU also pays both link latencies of 1 us for its call.
    """
    cluster = toy(nodes=1, servers=1, io_cpu="5 us", io_variation="7 us", disk=HARD)
    workload = Workload.from_program(lambda rank, n: [write("f", size=80)], 1)
    protocol, disk = 80 / 700e6, 80 / 80e6
    error = 9e-3 + 30 / 7200 + 7e-6

    found = predict_resource(workload, cluster).interval

    assert found.estimate == pytest.approx(protocol + 2e-6, rel=1e-9)
    assert found.high == pytest.approx(protocol + 2e-6 + 5e-6 + protocol + disk + error, rel=1e-9)


def test_with_communication_every_processor_may_wait_for_every_other():
    """Section 5.1, w/ comm.: the sum over p of (T^p + E_overlap) + max over d of (T^d + E^d)."""
    program = lambda rank, n: [sendrecv(n - 1 - rank, 1000), compute("1 ms")]  # noqa: E731
    workload = Workload.from_program(program, 4)
    clocks = clocks_of(workload, toy())

    found = predict_resource(workload, toy())

    assert clocks.communicates
    assert found.interval.high == pytest.approx(clocks.processor.sum(), rel=1e-12)
    assert "ranks communicate" in found.notes[0]


def test_a_late_start_is_waited_for_once():
    """Four ranks on one CPU compute 1 s each from 10 s on: done at 14 s, not at 44 s."""
    workload = Workload.from_program(lambda rank, n: [compute("1 s")], 4)
    late = Workload(tuple(replace(app, start_picoseconds=10 * 10**12) for app in workload.applications))
    cluster = toy(nodes=1, cpus=1, servers=0)

    assert predict_resource(late, cluster).interval.low == pytest.approx(14.0)
    assert predict_resource(Workload.together(workload, late), cluster).interval.low == pytest.approx(14.0)
    long = Workload.from_program(lambda rank, n: [compute("50 s")], 1)
    assert predict_resource(Workload.together(long, late), cluster).interval.low == pytest.approx(54.0)


def test_files_need_a_server():
    workload = Workload.from_program(lambda rank, n: [write("f", size=8)], 1, name="app")

    with pytest.raises(PredictionError) as refusal:
        predict_resource(workload, toy(servers=0))

    assert str(refusal.value) == "the program touches files but the cluster has no I/O server (app)"


@pytest.mark.parametrize(
    ("step", "growth", "message"),
    [
        (7, 0, "accesses begin at too many different offsets (program)"),
        (0, 1, "a peer, root or size differs in too many iterations of a loop (program)"),
    ],
)
def test_what_nobody_could_wait_for_is_refused(step, growth, message):
    """10^6 passes of 10^6 passes of 10^6 blocks at offsets of their own in a round of 2 x 1,000,003 bytes."""
    body = Spmd(1)
    with body.repeat(10**12 if growth else 10**6) as outer, body.repeat(1 if growth else 10**6) as inner:
        body.write("f", offset=(outer + 1009 * inner) * step, size=outer * growth, count=10**6, stride=12_345)

    with pytest.raises(PredictionError) as refusal:
        predict_resource(body.workload(), toy(stripe_unit=1_000_003))

    assert str(refusal.value) == message


def test_a_layout_that_needs_more_servers_than_there_are_is_refused():
    body = Spmd(1)
    body.write(body.files("f", layout="simple:3:64KiB"), size=8)

    with pytest.raises(PredictionError, match="at most the 2 servers of the cluster, got 'simple:3:64KiB'"):
        predict_resource(body.workload(), toy(servers=2))


def test_a_cache_hides_writes_from_the_low_end():
    """1000 bytes to one disk of 50 MB/s take 20 us and 3 ms of access; a cache of 600 bytes leaves 8 us for sure."""
    cluster = toy(nodes=1, servers=1, cache="write-behind", cache_memory=600)
    plain, synced = (
        clocks_of(Workload.from_program(lambda rank, n, s=s: [write("f", size=1000), *s], 1), cluster)
        for s in ([], [sync_file("f")])
    )

    found = predict_resource(
        Workload.from_program(lambda rank, n: [write("f", size=1000)], 1), cluster
    ).interval
    assert (found.low, found.estimate) == (plain.disk_unhidden[0], plain.disk[0])
    assert plain.disk[0] == pytest.approx(20e-6 + 3e-3)
    assert plain.disk_unhidden[0] == pytest.approx(8e-6)
    assert synced.disk_unhidden[0] == plain.disk_unhidden[0]  # the sync may come before the write


@pytest.mark.parametrize(
    ("machine", "ranks", "operations"),
    [
        ("westmere", 1, lambda rank, n: [sendrecv(rank, 150_000)]),  # to itself: no link is passed
        ("laptop", 6, lambda rank, n: [compute("1 ns", instructions=rank)]),  # more ranks than CPUs
        ("laptop", 5, lambda rank, n: [compute("1 s")]),  # 5 ranks share 4 CPUs evenly
        ("laptop", 4, lambda rank, n: [read("f", size=2**20)]),  # kept by the server's cache
        ("laptop", 24, lambda rank, n: [sync_file("f"), write("f", offset=rank * 150_000, size=150_000)]),
        ("sp2", 4, lambda rank, n: [write("f", size=2**20), barrier(), read("f", size=2**20)]),
    ],
)
def test_no_run_beats_the_low_end_where_it_once_did(machine, ranks, operations):
    workload, cluster = Workload.from_program(operations, ranks), load_cluster(machine)

    assert (
        predict_resource(workload, cluster).interval.low <= predict_fine(workload, cluster).interval.estimate
    )


def test_a_million_ranks_and_a_hundred_steps_take_seconds():
    body = Spmd(1_000_000)
    with body.repeat(100) as step:
        body.compute("12 ms")
        body.write("checkpoint", offset=(step * body.ranks + body.rank) * MiB, size=MiB)
    workload = body.workload()
    workload.check()

    clocks = clocks_of(workload, load_cluster("lustre-64"))

    # 64 servers share 10^8 writes of 1 MiB
    assert clocks.disk.max() == pytest.approx(clocks.disk.mean(), rel=1e-3)
    assert clocks.processor.max() >= 1.2
