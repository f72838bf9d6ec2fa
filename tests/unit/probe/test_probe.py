"""Probing on made-up measurements: lines, ranges, pairs of ranks, waits, and the description that comes out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.cluster import cluster_to_toml
from striate.cluster.description.measured import value_at
from striate.cluster.load import cluster_from_toml
from striate.engine.oversubscription import message_waits
from striate.errors import ProbeError
from striate.interval import Interval
from striate.ladder import predict
from striate.pages.curves import curves_svg
from striate.probe import ProbeOptions, ProbeReport, describe, measure
from striate.probe.background import others
from striate.probe.deadline import affordable
from striate.probe.fresh_memory import FRESH, READY
from striate.probe.measure import crowds
from striate.probe.messages import Pair, chosen_pairs
from striate.probe.page_cache.copies import CACHED_BUFFER, REUSED_READ, REUSED_WRITE
from striate.probe.report import Findings, MachineFacts
from striate.probe.samples import Measurement, line_of, spread, sturdy_line
from striate.probe.shared_file import EXCHANGE, FLUSH, RUN, THREAD
from striate.probe.waits import (
    BESIDE,
    COMPUTE_SECONDS,
    FLUSHED_GRAINS,
    GRAINS,
    LONE,
    crowd_name,
    taken_by_background,
    waits,
)
from striate.workload import Spmd, Workload
from striate.workload import operations as do

SIZES = (1, 1000, 100_000, 4_000_000)


@given(st.floats(1e-7, 1e-3), st.floats(1e6, 1e11), st.integers(1, 40))
def test_a_line_without_noise_is_found_again(startup, rate, rounds):
    columns = [np.full(rounds, startup + size / rate) for size in SIZES]
    line = line_of("toy", SIZES, columns)

    assert line.startup.estimate == pytest.approx(startup, rel=1e-6)
    assert line.rate.estimate == pytest.approx(rate, rel=1e-6)
    assert line.curve.fitted == pytest.approx(line.curve.seconds)
    assert line.samples == rounds * len(SIZES)


def test_a_noisy_line_has_a_range_that_holds_the_truth():
    random = np.random.default_rng(5)
    columns = [(1e-5 + size / 1e9) * random.lognormal(0, 0.3, 80) for size in SIZES]
    line = line_of("toy", SIZES, columns)

    assert 1e-5 in line.startup
    assert 1e9 in line.rate
    assert line.rate.width > 0


def test_times_that_do_not_grow_are_refused_by_name():
    with pytest.raises(ProbeError, match="longer messages to take longer"):
        line_of("toy", (1, 10**9), [np.full(3, 1.0), np.full(3, 1e-9)])


def test_a_disturbed_line_still_has_ends():
    line = sturdy_line("toy", (1, 10**9), [np.full(3, 1.0), np.full(3, 0.5)])

    assert line.startup.estimate == 1.0
    assert line.rate.estimate == 2e9
    assert len(line.curve.fitted) == 2


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50))
def test_the_median_lies_inside_the_spread(values):
    found = spread(values)

    assert min(values) <= found.low <= found.estimate <= found.high <= max(values)
    assert found.estimate == pytest.approx(np.median(values))


def test_a_spread_of_nothing_is_refused():
    with pytest.raises(ProbeError, match="finite"):
        spread([])


@pytest.mark.parametrize(
    ("hosts", "found"),
    [
        ([("a", [(0, 0), (1, 0)])] * 2, [Pair("same socket", 1, 0, 1)]),
        ([("a", [(0, 0)])] * 2, [Pair("same socket", 1, -1, -1)]),
        (
            [("a", [(0, 0), (1, 0), (2, 1)])] * 2 + [("b", [(0, 0)])],
            [Pair("same socket", 1, 0, 1), Pair("two sockets", 1, 0, 2), Pair("two nodes", 2, -1, -1)],
        ),
        ([("a", [(0, 0)]), ("b", [(0, 0)])], [Pair("two nodes", 1, -1, -1)]),
    ],
)
def test_one_pair_for_each_distance_there_is(hosts, found):
    assert chosen_pairs(hosts) == found


def test_rounds_fit_into_the_time_there_is():
    assert affordable(0.01, 1.0) == 100
    assert affordable(1.0, 0.1) == 8
    assert affordable(1e-9, 1.0) == 200


def test_crowds_outnumber_the_cpus_but_not_the_host():
    assert list(crowds(2)) == [4, 8]
    assert list(crowds(8)) == [16]
    assert list(crowds(64)) == []


# Two processes on two CPUs, each with 0.4 of a CPU: 2 / 0.4 = 5 processes share them, three of them others.
def test_others_show_in_the_share_that_is_left():
    windows = [(0.05, 0.02)] * 10

    assert others([windows, windows], 2) == pytest.approx([3.0] * 5)
    assert others([[(0.05, 0.05)] * 5], 1) == [0.0] * 5


def exactly(name, unit, value):
    return Measurement(name, unit, Interval(value * 0.9, value, value * 1.25), 9, "made up")


MIB = 1024**2
LAGS, FLUSHED_LAGS, LONGEST = {2: 0.5, 4: 1.5}, {2: 0.8, 4: 2.0}, 4e-3
WAITING = {2: 0.25, 4: 1.0}  # of its share that a rank takes which only waits
MESSAGE = 1e-6


def beside(cpus, background, time_slice):
    """What a round takes by the model, beside as many busy processes as there are CPUs."""
    computing = COMPUTE_SECONDS * (2 * cpus + background) / cpus
    rounds = np.ceil(np.log2(cpus))
    seconds = computing + rounds * time_slice * taken_by_background(cpus, background + cpus, cpus)
    return Measurement(f"{BESIDE}, {cpus} ranks", "s", Interval.exactly(seconds), 8, "made up")


def crowd(grain, times, background, *, cpus, turn, time_slice, flushed=False):
    """What a round takes by the model, `times` as many ranks as CPUs."""
    ranks = times * cpus
    wait = MESSAGE + turn * (times - 1) + time_slice * taken_by_background(ranks, background, cpus)
    lag = min((FLUSHED_LAGS if flushed else LAGS)[times] * grain, LONGEST)
    seconds = grain * (ranks + background) / cpus + np.ceil(np.log2(ranks)) * wait + lag
    name = f"{crowd_name(grain, flushed=flushed)}, {ranks} ranks"
    return Measurement(name, "s", Interval.exactly(seconds), 8, "made up")


REUSED = (
    exactly(f"{REUSED_WRITE}: rate", "B/s", 4e9),
    exactly(f"{REUSED_READ}: rate", "B/s", 20e9),
    Measurement(CACHED_BUFFER, "B", Interval.exactly(4 * MIB), 9, "made up"),
)


def report(*, cpus=2, sockets=1, nodes=1, background=0.0, turn=2e-4, time_slice=3e-3):
    levels = ["same socket", *["two sockets"] * (sockets > 1), *["two nodes"] * (nodes > 1)]
    found = [
        exactly("cpu rate", "1/s", 5e9),
        exactly("all-to-all saturation", "B/s", 15e9),
        exactly("I/O call, CPU time", "s", 4e-6),
        exactly("I/O variation between ranks, 2 ranks", "s", 2e-6),
        exactly(RUN, "s", 3e-8),
        exactly(THREAD, "s", 1.5e-3),
        exactly("flush: latency", "s", 1e-3),
        exactly("flush: rate", "B/s", 2e9),
        exactly("cached read: latency", "s", 2e-6),
        exactly("cached read: rate", "B/s", 10e9),
        exactly("cached write: rate", "B/s", 3e9),
        *REUSED,
        exactly("MPI-IO write, own files: latency", "s", 6e-6),
        exactly("MPI-IO write, own files: rate", "B/s", 6e9),
        exactly("MPI-IO read, own files: rate", "B/s", 20e9),
        Measurement(READY, "B", Interval(16 * MIB, 128 * MIB, 256 * MIB), 3, "made up"),
        Measurement(FRESH, "B/s", Interval(2e8, 3e8, 4e8), 90, "made up"),
        Measurement("background", "processes", Interval.exactly(background), 15, "made up"),
        beside(cpus, background, time_slice),
    ]
    machine = {"cpus": cpus, "turn": turn, "time_slice": time_slice}
    for times in (2, 4):
        found += [crowd(grain, times, background, **machine) for grain in GRAINS]
        found += [crowd(grain, times, background, **machine, flushed=True) for grain in FLUSHED_GRAINS]
        alone = Interval.exactly(COMPUTE_SECONDS * (1 + WAITING[times] * (times - 1)))
        found.append(Measurement(f"{LONE}, {times * cpus} ranks", "s", alone, 8, "made up"))
    for distance, level in enumerate(levels, start=1):
        found.append(exactly(f"messages, {level}: latency", "s", distance * 1e-6))
        found.append(exactly(f"messages, {level}: rate", "B/s", 10e9 / distance))
    facts = MachineFacts("toy", nodes, sockets, cpus, 16 * 1024**3, "an MPI")
    return ProbeReport(facts, Findings(tuple(found)), "2026-01-01T00:00:00.000+00:00", 1.0, {})


@given(st.floats(0, 12), st.floats(0, 2e-3), st.floats(0, 5e-3))
def test_waits_are_found_again_by_the_model_they_were_made_by(background, turn, time_slice):
    found = waits(report(background=background, turn=turn, time_slice=time_slice))

    assert found["turn"].value.estimate == pytest.approx(turn, abs=1e-9)
    assert found["time_slice"].value.estimate == pytest.approx(time_slice, abs=1e-9)
    lags = {"lag_double": 0.5, "lag_fourfold": 1.5, "flushed_lag_double": 0.8, "flushed_lag_fourfold": 2.0}
    for key, share in lags.items():
        assert found[key].value.estimate == pytest.approx(share, abs=1e-4)
    for times, word in ((2, "double"), (4, "fourfold")):
        assert found[f"waiting_{word}"].value.estimate == pytest.approx(WAITING[times])
    assert found["longest_lag"].value.estimate == pytest.approx(LONGEST, abs=1e-7)


@pytest.mark.parametrize(("sockets", "nodes"), [(1, 1), (2, 1), (1, 2), (2, 3)])
def test_a_description_can_be_written_read_and_forecast_with(sockets, nodes):
    cluster = describe(report(cpus=2, sockets=sockets, nodes=nodes), name="toy")
    again = cluster_from_toml(cluster_to_toml(cluster))

    assert again.description == cluster.description
    assert (again.nodes, again.cpus) == (nodes, 2 * nodes)
    body = Spmd(4)
    body.compute("1 ms")
    body.allreduce(8)
    body.write_all("data", offset=body.rank * 1024, size=1024)
    body.sync_file("data")
    bounds = predict(body.workload(), again, rung="fine").seconds
    assert 1e-3 < bounds.low < bounds.estimate < bounds.high


def test_every_range_holds_its_value():
    description = describe(report(), name="toy").description
    tables = {table.key: table for table in description.measured}

    assert tables["server[0].nic.link.bandwidth"].low == "18 GB/s"
    assert tables["settings.write_copy"].low == "2700 MB/s"
    assert value_at(description, "settings.read_copy") == 10e9
    assert tables["settings.write_copy_cached"].low == "3600 MB/s"
    assert value_at(description, "settings.read_copy_cached") == 20e9
    assert value_at(description, "settings.cached_buffer") == 4 * MIB
    assert value_at(description, "settings.piece_cpu") == 30_000
    assert value_at(description, "settings.io_thread") == 1.5e9
    assert tables["server[0].cache.ready"].low == "16 MiB"
    assert value_at(description, "server[0].cache.ready") == 128 * MIB
    assert value_at(description, "server[0].cache.fresh_rate") == 3e8
    assert value_at(description, "node[0].nic.link.latency") == 500_000
    assert value_at(description, "server[0].disk.write_latency") == 10**9
    assert {"settings.turn", "settings.time_slice", "settings.background"} <= set(tables)
    assert {"settings.lag_fourfold", "settings.flushed_lag_double", "settings.longest_lag"} <= set(tables)
    assert "fresh memory: rate: 3e+08 B/s" in description.source


# 5 GB/s in all. Half of the bytes come in messages at 10 GB/s: 0.2 - 0.05 ns are left for each byte's copy.
def test_copies_of_an_aggregator_are_what_messages_leave_of_the_exchange():
    new = report()
    for together, copies in ((5e9, 1 / 0.15e-9), (25e9, None)):
        measured = (*new.found.measurements, exactly(f"{EXCHANGE} 2 ranks", "B/s", together))
        settings = describe(replace(new, found=Findings(measured)), name="toy").settings
        assert settings.exchange_copy == (None if copies is None else pytest.approx(copies, rel=0.001))


# One rank takes 1 ms. Of two ranks at once each takes 1.4 ms: 0.7 ms are done in turns, 0.3 ms together.
def test_ranks_that_flush_at_once_wait_for_a_part_of_it_together():
    new = report()
    together = (
        exactly(f"{FLUSH} 2 ranks: latency", "s", 1.4e-3),
        exactly(f"{FLUSH} 2 ranks: rate", "B/s", 1.5e9),
    )
    measured = (*new.found.measurements, *together)
    cluster = describe(replace(new, found=Findings(measured)), name="toy")

    assert value_at(cluster.description, "server[0].disk.write_latency") == 700_000_000
    assert value_at(cluster.description, "server[0].cache.sync") == 300_000_000
    assert value_at(cluster.description, "server[0].disk.write_rate") == 1.5e9
    took = {}
    for ranks in (1, 2):

        def program(rank, ranks):
            for place in range(10):
                yield do.write(f"own.{rank}", offset=4096 * place, size=4096)
                yield do.sync_file(f"own.{rank}", comm="alone")

        workload = Workload.from_program(program, ranks=ranks, communicators={"alone": list(range(ranks))})
        took[ranks] = predict(workload, cluster, rung="fine", exact=True).seconds.estimate
    assert took[1] == pytest.approx(10e-3, rel=0.05)
    assert took[2] == pytest.approx(14e-3, rel=0.05)


@pytest.mark.parametrize("together", [0.9e-3, 2e-3, 3e-3])
def test_what_is_done_in_turns_is_no_more_than_one_flush(together):
    new = report()
    measured = (*new.found.measurements, exactly(f"{FLUSH} 2 ranks: latency", "s", together))
    found = describe(replace(new, found=Findings(measured)), name="toy").description

    turns = value_at(found, "server[0].disk.write_latency")
    assert turns == min(together / 2, 1e-3) * 1e12
    assert turns + value_at(found, "server[0].cache.sync") == 10**9


def test_a_report_of_old_describes_no_copies_in_a_cache():
    new = report()
    kept = tuple(one for one in new.found.measurements if one not in REUSED)

    settings = describe(replace(new, found=Findings(kept)), name="toy").settings
    assert (settings.write_copy, settings.write_copy_cached) == (3e9, None)


# The page cache keeps what is written until the sync: the flush takes as long after a pause as at once.
def test_a_flush_takes_its_whole_time_however_long_ago_the_data_were_written():
    cluster = describe(report(), name="toy")
    ends = {}
    for pause in ("0 s", "1 s"):
        body = Spmd(1)
        body.write("data", offset=0, size=64 * MIB)
        body.compute(pause)
        body.sync_file("data")
        ends[pause] = predict(body.workload(), cluster, rung="fine", exact=True).seconds.estimate

    assert ends["1 s"] == pytest.approx(1 + ends["0 s"], rel=0.01)


# 64 MiB at 3 GB/s of one rank take 22.4 ms; those of the second rank wait for the lock of the file.
def test_ranks_fill_one_file_in_turns_and_files_of_their_own_at_once():
    cluster = describe(report(), name="toy")
    took = {}
    for files in ("one", "own"):

        def program(rank, ranks, files=files):
            yield do.write(
                "data" if files == "one" else f"data.{rank}", offset=rank * 64 * MIB, size=64 * MIB
            )

        workload = Workload.from_program(program, ranks=2)
        took[files] = predict(workload, cluster, rung="fine", exact=True).seconds.estimate

    assert took["own"] == pytest.approx(22.4e-3, rel=0.02)
    assert took["one"] == pytest.approx(2 * took["own"], rel=0.02)


def test_the_engine_waits_as_the_ranks_did():
    cluster = describe(report(background=6.0), name="toy")
    expected = 2e-4 * 3 + 3e-3 * taken_by_background(8, 6.0, 2)

    assert message_waits(cluster, cluster.place(8))[0] == pytest.approx(expected * 1e12, rel=1e-3)


def test_a_report_without_messages_is_refused_by_name():
    full = report()
    kept = tuple(one for one in full.found.measurements if not one.name.startswith("messages"))

    with pytest.raises(ProbeError, match="no measurement 'messages, same socket: latency'"):
        describe(ProbeReport(full.facts, Findings(kept), full.made, 1.0, {}), name="toy")


def test_what_cannot_be_measured_is_refused_before_anything_is_written(tmp_path):
    for options, words in (
        (ProbeOptions(tmp_path / "none", 1.0), "expected an existing directory"),
        (ProbeOptions(tmp_path, 0.0), "budget above 0"),
        (ProbeOptions(tmp_path, float("nan")), "budget above 0"),
    ):
        with pytest.raises(ProbeError, match=words):
            measure(options)
    assert list(tmp_path.iterdir()) == []


def test_curves_are_drawn_with_what_is_left_over():
    line = line_of("toy <&>", SIZES, [np.full(3, 1e-5 + size / 1e9) for size in SIZES])
    picture = curves_svg([line.curve], title="made up")

    assert picture.count("<circle") == len(SIZES)
    assert "toy &lt;&amp;&gt;" in picture
    assert "+0%" in picture or "-0%" in picture
