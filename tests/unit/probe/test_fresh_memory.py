"""Memory that a host has taken back: found by the probe, and paid for by programs that write more than is at hand."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from striate.cluster.build import build
from striate.cluster.fresh_memory import as_met, made_ready
from striate.cluster.load import cluster_from_toml
from striate.errors import ClusterError
from striate.ladder import predict
from striate.ladder.proofs import files_are_modelled
from striate.probe.fresh_memory import FRESH, READY, measure_fresh_memory, round_of
from striate.workload import Spmd, Workload
from striate.workload import operations as do
from striate.workload.summary import moved_bytes

MIB = 1024**2
MACHINE = """
name = "guest"

[settings]
packet = "1 MiB"

[[node]]
name = "host"
count = 1
sockets = 1
cpus_per_socket = 2
memory = "16 GiB"
instructions_per_second = 1e9
nic = {bandwidth = "100 GB/s", link = {bandwidth = "100 GB/s", latency = "0 s"}}
socket = {bandwidth = "100 GB/s"}

[[server]]
name = "files"
count = 1
on = "nodes"
nic = {bandwidth = "100 GB/s", link = {bandwidth = "4 GB/s", latency = "0 s"}}
cache = {memory = "8 GiB", dirty = "7 GiB", ready = "100 MB", fresh_rate = "200 MB/s"}
disk = {kind = "simple", rate = "1 GB/s"}
"""


def rates(*levels):
    return np.concatenate([np.full(count, rate) for count, rate in levels])


def test_blocks_before_the_first_run_of_slow_ones_went_into_memory_at_hand():
    found = round_of(rates((20, 4e9), (44, 3e8)), 4e9)
    assert found.ready == 80 * MIB
    assert found.fresh.tolist() == [3e8] * 44


def test_a_single_slow_block_is_somebody_elses_doing():
    found = round_of(rates((20, 4e9), (2, 3e8), (42, 4e9)), 4e9)
    assert found.ready == 256 * MIB
    assert not found.fresh.size


def test_fast_blocks_after_memory_ran_out_do_not_count_as_fresh():
    assert round_of(rates((10, 3e8), (5, 4e9), (5, 3e8)), 4e9).fresh.tolist() == [3e8] * 15


def test_a_machine_whose_memory_is_all_at_hand_has_no_such_numbers(tmp_path):
    assert measure_fresh_memory(tmp_path / "file", 16 * MIB, usual=1.0, seconds=0.1) == []


def test_memory_that_is_always_fresh_is_none_at_hand(tmp_path):
    ready, fresh = measure_fresh_memory(tmp_path / "file", 32 * MIB, usual=1e15, seconds=0.01)
    assert (ready.name, ready.value.estimate) == (READY, 0)
    assert (fresh.name, fresh.unit) == (FRESH, "B/s")
    assert not list(tmp_path.iterdir())


def writing(ranks, each, times=1, moves=True):
    body = Spmd(ranks)
    with body.repeat(times) as turn:
        step = turn * each * ranks if moves else 0
        body.write("data", offset=body.rank * each + step, size=each)
    return body.workload()


@pytest.mark.parametrize(
    ("ranks", "written", "seconds"),
    [
        (1, 100_000_000, 0.1 / 4),  # all at hand
        (1, 500_000_000, 0.1 / 4 + 0.4 / 0.2),
        (2, 500_000_000, 0.1 / 4 + 0.4 / 0.4),  # the host serves both CPUs
        (4, 500_000_000, 0.1 / 4 + 0.4 / 0.4),  # and has no more than two
    ],
)
def test_new_data_beyond_what_is_at_hand_come_as_fast_as_the_host_gives_memory(ranks, written, seconds):
    found = predict(writing(ranks, written // ranks), cluster_from_toml(MACHINE), rung="fine")
    assert found.bounds.estimate == pytest.approx(seconds, rel=0.03)


COPIES = 'packet = "1 MiB"\ninode_lock = true\nwrite_copy = "2 GB/s"\nread_copy = "4 GB/s"'


@pytest.mark.parametrize(
    ("ranks", "files", "written", "seconds"),
    [
        (1, 1, 100_000_000, 0.1 / 2),  # all at hand
        (1, 1, 500_000_000, 0.1 / 2 + 0.4 / 0.2),
        (2, 1, 500_000_000, 0.1 / 2 + 0.4 / 0.2),  # one writes at a time
        (2, 2, 500_000_000, 0.05 / 2 + 0.2 / 0.2),
    ],
)
def test_where_ranks_copy_what_they_write_their_copies_wait_for_memory(ranks, files, written, seconds):
    def program(rank, ranks):
        yield do.write(f"data.{rank % files}", offset=rank * 10**9, size=written // ranks)
        yield do.read(f"data.{rank % files}", offset=rank * 10**9, size=written // ranks)

    text = MACHINE.replace('packet = "1 MiB"', COPIES).replace('"4 GB/s", lat', '"9 GB/s", lat')
    cluster = cluster_from_toml(text.replace("cache = {", "cache = {keeps_reads = true, "))
    found = predict(Workload.from_program(program, ranks=ranks), cluster, rung="fine")
    reading = written / ranks / 4e9  # out of memory that is there now, at full speed
    assert found.bounds.estimate == pytest.approx(seconds + reading, rel=0.03)


@pytest.mark.parametrize(
    ("ready", "seconds"),
    [(1_000_000_000, 0.5 / 4), (300_000_000, 0.3 / 4 + 0.2 / 0.2), (0, 0.1 / 4 + 0.4 / 0.2)],
)
def test_memory_that_was_made_ready_costs_nothing(ready, seconds):
    machine = made_ready(cluster_from_toml(MACHINE), ready)

    found = predict(writing(1, 500_000_000), machine, rung="fine")
    assert found.bounds.estimate == pytest.approx(seconds, rel=0.03)


@pytest.mark.parametrize(("written", "told"), [(100_000_000, []), (500_000_000, ["381 MiB"])])
def test_what_the_host_has_to_give_is_told(written, told):
    found = predict(writing(1, written), cluster_from_toml(MACHINE))

    notes = [note for note in found.notes if "must first provide memory for" in note]
    assert [note.split(" for ")[1].split(" of ")[0] for note in notes] == told


def test_writing_the_same_place_again_takes_no_new_memory():
    assert moved_bytes(writing(2, 1000, times=7)) == (14_000, 14_000, 0)
    assert moved_bytes(writing(2, 1000, times=7, moves=False)) == (2000, 14_000, 0)


def test_reading_keeps_the_time_of_all_bytes_in_sum():
    cluster = cluster_from_toml(MACHINE)
    met = as_met(cluster, new=300_000_000, written=300_000_000, read=900_000_000, ranks=1)
    assert met.servers[0].nic.link.bandwidth == pytest.approx(1.2e9 / (1.0 / 4 + 0.2 / 0.2), rel=1e-9)


def test_a_slowed_link_may_lie_outside_its_measured_range():
    measured = """
[[measured]]
key = "server[0].nic.link.bandwidth"
low = "3.9 GB/s"
high = "4.1 GB/s"

[[measured]]
key = "server[0].cache.ready"
low = "10 MB"
high = "200 MB"
"""
    found = predict(writing(1, 500_000_000), cluster_from_toml(MACHINE + measured), rung="fine")
    slow, fast = 0.01 / 4 + 0.49 / 0.2, 0.2 / 4 + 0.3 / 0.2  # as much memory is at hand as was measured
    (machine,) = (spread for spread in found.spreads if spread.source == "machine")
    assert found.bounds.low == pytest.approx(fast, rel=0.04)
    assert found.bounds.high == pytest.approx(slow, rel=0.04)
    assert machine.below > 0.1 < machine.above


def test_machines_without_the_numbers_stay_what_they_are():
    description = cluster_from_toml(MACHINE).description
    (table,) = description.server
    cache = msgspec.structs.replace(table.cache, ready=None, fresh_rate=None)
    plain = build(msgspec.structs.replace(description, server=(msgspec.structs.replace(table, cache=cache),)))
    assert as_met(plain, new=10**12, written=10**12, read=0, ranks=2) is plain
    assert replace(plain, description=None).description is None


def test_one_of_the_two_numbers_alone_is_refused():
    with pytest.raises(ClusterError, match=r"expected both keys `ready` .* and `fresh_rate` .*, or neither"):
        cluster_from_toml(MACHINE.replace('ready = "100 MB", ', ""))


def test_nothing_is_proved_about_files_where_memory_has_to_come_from_a_host():
    fresh = MACHINE.replace('dirty = "7 GiB", ', "")
    plain = fresh.replace(', ready = "100 MB", fresh_rate = "200 MB/s"', "")
    assert files_are_modelled(writing(1, 1000), cluster_from_toml(plain))
    assert not files_are_modelled(writing(1, 1000), cluster_from_toml(fresh))
