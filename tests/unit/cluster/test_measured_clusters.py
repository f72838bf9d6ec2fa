"""Measured numbers of a description, the machine at their ends, and CPUs that others use too."""

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines import run_application
from striate.cluster import cluster_to_toml, load_cluster
from striate.cluster.build import build
from striate.cluster.description.ends import at_end
from striate.cluster.description.measured import value_at, with_value
from striate.cluster.description.quantities import BytesPerSecond, Load, Ticks
from striate.cluster.description.tables import MeasuredTable
from striate.cluster.load import cluster_from_toml
from striate.collectives.columns import CollectiveBook
from striate.engine.oversubscription import background_slowness, compute_lags, cpus_to_share, message_waits
from striate.errors import ClusterError
from striate.ladder import predict
from striate.workload import Workload
from striate.workload import operations as op
from striate.workload.transforms.slowed import slowed

RATE = MeasuredTable(key="node[0].nic.link.bandwidth", low="5 GB/s", high="20 GB/s", samples=7, how="by hand")
LAG = MeasuredTable(key="node[0].nic.link.latency", low="50 ns", high="400 ns")


def laptop(*measured, **settings):
    description = load_cluster("laptop").description
    changed = msgspec.structs.replace(description.settings, **settings)
    return build(msgspec.structs.replace(description, settings=changed, measured=measured))


def ping_pong(rank, ranks):
    for _ in range(10):
        if rank == 0:
            yield op.send(1, "1 MiB")
            yield op.recv(1, "1 MiB")
        elif rank == 1:
            yield op.recv(0, "1 MiB")
            yield op.send(0, "1 MiB")


def test_ranges_are_written_and_read_back():
    cluster = laptop(RATE, LAG)

    assert cluster_from_toml(cluster_to_toml(cluster)).description == cluster.description


def test_fast_is_a_large_rate_and_a_short_time():
    cluster = laptop(RATE, LAG)
    fast, slow = (at_end(cluster, fast=fast).description for fast in (True, False))

    assert [value_at(fast, table.key) for table in (RATE, LAG)] == [20e9, 50_000]
    assert [value_at(slow, table.key) for table in (RATE, LAG)] == [5e9, 400_000]
    assert fast.measured == ()


def test_a_machine_without_ranges_is_the_same_at_both_ends():
    cluster = load_cluster("laptop")

    assert at_end(cluster, fast=True) is cluster


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"key": "node[0].nic.link.speed"}, "expected the path of a time, rate, load or memory"),
        ({"key": "node[7].nic.link.bandwidth"}, "expected the path of a time, rate, load or memory"),
        ({"key": "settings.packet"}, "expected the path of a time, rate, load or memory"),
        ({"key": "__class__"}, "expected the path of a time, rate, load or memory"),
        ({"low": "11 GB/s"}, "range that includes the described value"),
        ({"high": "2 GB/s"}, "range that includes the described value"),
        ({"low": "fast"}, "expected a rate"),
    ],
)
def test_ranges_that_cannot_be_are_refused_with_their_path(change, words):
    with pytest.raises(ClusterError, match=words) as refusal:
        laptop(msgspec.structs.replace(RATE, **change))

    assert refusal.value.at.startswith("$.measured[0]")


def test_a_new_value_replaces_the_range_too():
    description = with_value(
        laptop(RATE).description, msgspec.structs.replace(RATE, low="1 GB/s"), BytesPerSecond(2e9)
    )

    assert value_at(description, RATE.key) == 2e9
    assert [table.low for table in description.measured] == ["1 GB/s"]


def test_a_measured_machine_gives_the_fine_rung_bounds():
    workload = Workload.from_program(ping_pong, 2)
    exact = predict(workload, "laptop", rung="fine", exact=True).seconds
    bounds = predict(workload, laptop(RATE, LAG), rung="fine").bounds

    assert exact.width == 0
    assert bounds.estimate == exact.estimate
    assert bounds.low < exact.estimate < bounds.high
    assert predict(workload, at_end(laptop(RATE, LAG), fast=True), rung="fine").seconds.estimate == bounds.low


# Eight CPUs: two ranks and ten others are twelve processes, one and a half for each CPU.
def test_background_slows_computing_and_copying_by_its_share():
    cluster = laptop(background=Load(10))
    placement = cluster.place(2)

    assert background_slowness(cluster, placement) == 12 / 8
    assert background_slowness(cluster, cluster.place(16)) == 26 / 16
    assert background_slowness(laptop(), placement) == 1
    assert background_slowness(laptop(background=Load(6)), placement) == 1

    def program(rank, ranks):
        yield op.compute("8 ms")

    took = predict(Workload.from_program(program, 2), cluster, rung="fine").seconds.estimate
    assert took == pytest.approx(0.012, rel=1e-6)


def lone_worker(rank, ranks):
    if rank == 0:
        yield op.compute("8 ms")
    yield op.barrier()


def all_work(rank, ranks):
    yield op.compute("8 ms")
    yield op.barrier()


# Eight CPUs and sixteen ranks, of which one computes: alone, or beside fifteen that take half or all of their share.
@pytest.mark.parametrize(("share", "seconds"), [(0, 0.008), (0.5, 0.012), (1, 0.016)])
def test_ranks_that_wait_take_their_share_from_one_that_computes(share, seconds):
    cluster = laptop(waiting_double=Load(share))

    alone, all_ = (
        predict(Workload.from_program(program, 16), cluster, rung="fine").seconds.estimate
        for program in (lone_worker, all_work)
    )

    assert alone == pytest.approx(seconds, rel=0.01)
    assert all_ == pytest.approx(0.016, rel=0.01)  # where all compute, nobody waits


def test_what_is_late_does_not_count_twice_where_waiting_ranks_slow_computing():
    lags = {"lag_double": Load(0.5), "longest_lag": Ticks(10**12)}

    asleep, busy = (
        predict(Workload.from_program(all_work, 16), machine, rung="fine").seconds.estimate
        for machine in (laptop(**lags), laptop(**lags, waiting_double=Load(1)))
    )

    assert asleep > 0.018
    assert busy == pytest.approx(asleep, rel=1e-3)


def test_ranks_that_wait_take_nothing_where_each_has_a_cpu():
    cluster = laptop(waiting_double=Load(1), waiting_fourfold=Load(1))

    assert cpus_to_share(cluster, cluster.place(8)).tolist() == [8]
    assert cpus_to_share(cluster, cluster.place(64)).tolist() == [64]
    assert cpus_to_share(laptop(), cluster.place(64)).tolist() == [8]


def test_messages_wait_for_a_receiver_without_a_cpu():
    crowded = laptop(turn=Ticks(10**9))
    beside = laptop(time_slice=Ticks(10**9), background=Load(8))

    # 24 ranks on 8 CPUs: two further ranks for each CPU.
    assert message_waits(crowded, crowded.place(24)).tolist() == [2 * 10**9] * 24
    assert message_waits(crowded, crowded.place(8)) is None
    # 8 ranks and 8 others on 8 CPUs: taken half of the time, by one of the 8 of 9.
    assert message_waits(beside, beside.place(8)).tolist() == [round(10**9 / 2 * 8 / 9)] * 8


def test_every_message_waits_and_no_file_does():
    def waiting(rank, ranks):
        yield from ping_pong(rank, ranks)
        if rank == 0:
            yield op.write("data", offset=0, size="1 MiB")

    quiet, crowded = laptop(), laptop(turn=Ticks(10**9))
    workload = Workload.from_program(waiting, 16).applications[0]
    book = CollectiveBook.empty()
    before, after = (
        run_application(workload, machine, machine.place(16), collectives=book).rank_end
        for machine in (quiet, crowded)
    )

    # Twenty messages one after the other wait 1 ms each; a rendezvous of 1 MiB is three of them.
    assert int(after[0] - before[0]) == 20 * 3 * 10**9
    assert after[2:].tolist() == before[2:].tolist()


@given(
    times=st.lists(st.integers(1, 10**6), min_size=1, max_size=5),
    ranks=st.integers(1, 4),
    factor=st.sampled_from([1.0, 2.0, 3.0, 10.0]),
)
def test_a_slowed_program_is_the_program_with_longer_computations(times, ranks, factor):
    def program(scale):
        def one(rank, size):
            for time in times:
                yield op.compute(scale * time * (rank + 1) * 1e-6)
            for _ in range(3):
                yield op.compute(scale * 1e-3)
                yield op.barrier()

        return one

    machine = load_cluster("laptop")
    ends = []
    for text, scale in (("slow", 1), ("long", factor)):
        (application,) = Workload.from_program(program(scale), ranks).applications
        columns = slowed(application.programs, factor) if text == "slow" else application.programs
        run = run_application(
            replace(application, programs=columns),
            machine,
            machine.place(ranks),
            collectives=CollectiveBook.empty(),
        )
        ends.append(run.rank_end.tolist())

    assert ends[0] == ends[1]


def test_lags_lie_on_a_line_between_the_crowds_that_were_measured():
    machine = laptop(lag_double=Load(0.5), lag_fourfold=Load(1.5), longest_lag=Ticks(10**9))
    flushing = laptop(flushed_lag_double=Load(2), longest_lag=Ticks(10**9))

    assert compute_lags(machine, machine.place(8), flushed=False) is None
    assert compute_lags(machine, machine.place(8 * 3), flushed=False).tolist() == [1.0] * 24
    assert compute_lags(machine, machine.place(8 * 9), flushed=False).tolist() == [1.5] * 72
    assert compute_lags(machine, machine.place(16), flushed=True) is None
    assert compute_lags(flushing, flushing.place(16), flushed=True).tolist() == [2.0] * 16


# 16 ranks on 8 CPUs. The first message to rank 1 is late by half of what the rank has computed, or by the longest lag;
# its sender waits until it is out, and the second one is not late again.
@pytest.mark.parametrize(("longest", "late"), [(10**10, 500_000_000), (10**8, 10**8)])
def test_the_first_message_after_computing_is_late(longest, late):
    def program(rank, ranks):
        yield op.compute("1 ms")
        if rank == 0:
            yield op.send(1, 8)
            yield op.compute("5 ms")
            yield op.send(1, 8)
        elif rank == 1:
            yield op.recv(0, 8)
            yield op.recv(0, 8)
        elif rank == 2:
            yield op.send(3, 8)
        elif rank == 3:
            yield op.recv(2, 8)

    application = Workload.from_program(program, 16).applications[0]
    ends = [
        run_application(application, machine, machine.place(16), collectives=CollectiveBook.empty()).rank_end
        for machine in (laptop(), laptop(lag_double=Load(0.5), longest_lag=Ticks(longest)))
    ]

    assert int(ends[1][3] - ends[0][3]) == pytest.approx(late, abs=1000)
    assert int(ends[1][1] - ends[0][1]) == pytest.approx(late, abs=1000)  # not twice


def test_messages_to_a_rank_keep_their_order():
    def program(rank, ranks):
        yield op.compute("1 ms")
        if rank == 0:
            yield op.send(1, 8, tag=1)
            yield op.send(1, 1024, tag=1)
        elif rank == 1:
            yield op.recv(0, 8, tag=1)
            yield op.recv(0, 1024, tag=1)

    machine = laptop(lag_double=Load(0.5), longest_lag=Ticks(10**9))
    application = Workload.from_program(program, 16).applications[0]
    run = run_application(application, machine, machine.place(16), collectives=CollectiveBook.empty())

    assert run.rank_end[1] > run.rank_end[0]
