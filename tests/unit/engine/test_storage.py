"""What stands behind a server, from tables to times: arrays, flash, capacity, caches, burst buffers."""

import pytest

from machines import SWITCH, node, run_application
from striate.cluster.builders import star
from striate.collectives.columns import CollectiveBook
from striate.errors import ClusterError, DiskFullError, PredictionError
from striate.ladder import predict
from striate.workload import Workload
from striate.workload import operations as op

KIB, MIB = 1 << 10, 1 << 20
PLAIN = {"kind": "simple", "rate": "100 MB/s"}
HARD = {
    "kind": "hard",
    "rate": "100 MB/s",
    "average_seek": "8 ms",
    "track_seek": "1 ms",
    "revolutions_per_minute": 7200,
    "near": "1 MB",
}
FLASH = {
    "kind": "flash",
    "read_rate": "800 MB/s",
    "write_rate": "400 MB/s",
    "read_latency": "100 us",
    "write_latency": "20 us",
    "channels": 8,
}
FAST = {"kind": "simple", "rate": "900 MB/s"}


def cluster(disk=PLAIN, ranks=2, settings=None, **server):
    table = {"name": "storage", "count": 1, "on": "apart", "like": "compute", "disk": disk} | server
    return star(node=node(ranks), switch=SWITCH, server=[table], settings=settings or {})


def run(machine, program, ranks=2, **options):
    (application,) = Workload.from_program(program, ranks).applications
    placement = machine.place(ranks)
    return run_application(application, machine, placement, collectives=CollectiveBook.empty(), **options)


def writes(rank, ranks, *, size=4 * MIB, count=1):
    for number in range(count):
        yield op.write("data", offset=(number * ranks + rank) * size, size=size)
    yield op.sync_file("data")


def reads(rank, ranks):
    yield op.read("data", offset=rank * 4 * MIB, size=4 * MIB)


# Arrays


def test_striped_disks_share_the_work():
    one, four = (run(cluster(disks=count), writes).end for count in (1, 4))

    assert 0.0838 < one / 1e12 < 0.1  # 8 MiB at 100 MB/s
    assert 0.0209 < four / 1e12 < 0.035


def test_parity_costs_a_disk_of_rate_and_small_writes_read_first():
    whole = [run(cluster(disks=5, raid=raid, chunk="16 KiB"), writes) for raid in (0, 5)]
    small = [
        run(
            cluster(disks=5, raid=raid, chunk="1 MiB", settings={"packet": "64 KiB", "io_request": "64 KiB"}),
            writes,
        )
        for raid in (0, 5)
    ]

    assert whole[1].disk_bytes_written.sum() == pytest.approx(8 * MIB * 5 / 4, rel=0.1)
    assert small[0].disk_bytes_read.sum() == 0
    assert small[1].disk_bytes_read.sum() == 16 * MIB  # old data and old parity
    assert small[1].end > small[0].end


def test_parity_reads_no_more_than_asked_for():
    assert run(cluster(disks=5, raid=5), reads).disk_bytes_read.sum() <= 8 * MIB * 1.3


# Flash


def test_flash_takes_as_many_requests_as_it_has_channels_unless_told_otherwise():
    def small(rank, ranks):
        reads = [
            op.read("data", offset=(number * ranks + rank) * 4 * KIB, size=4 * KIB, blocking=False)
            for number in range(64)
        ]
        yield from reads
        yield op.waitall(reads)

    settings = {"stripe_unit": "4 KiB"}
    policy = {"policy": "write-behind"}  # no merging: every request reaches the disk
    deep = run(cluster(FLASH, settings=settings, cache=policy), small).end
    shallow = run(cluster(FLASH | {"queue_depth": 1}, settings=settings, cache=policy), small).end

    # 128 reads of 100 us and 41 us: 18 ms one by one, 2.3 ms eight at a time
    assert 0.018 < shallow / 1e12 < 0.02
    assert 0.0022 < deep / 1e12 < 0.004


# Capacity


def test_a_full_disk_is_named():
    machine = cluster(PLAIN | {"capacity": "6 MiB"})

    with pytest.raises(
        DiskFullError, match=r"disk full: storage.0 holds 6 MiB, and file 'data' grows to .* MiB"
    ):
        run(machine, writes)
    with pytest.raises(PredictionError, match="disk full"):
        predict(Workload.from_program(writes, 2), machine, rung="fine")


def test_data_that_fits_is_written_and_deleting_makes_room():
    def again(rank, ranks):
        for name in ("first", "second"):
            yield op.write(name, offset=rank * 2 * MIB, size=2 * MIB)
            yield op.sync_file(name)
            yield op.barrier()
            if rank == 0:
                yield op.delete_file(name)
            yield op.barrier()

    machine = cluster(PLAIN | {"capacity": "6 MiB"})

    assert run(machine, again).disk_bytes_written.sum() == 8 * MIB


def test_an_array_holds_what_its_disks_hold_less_the_parity():
    fits = {"capacity": "2 MiB"}

    assert run(cluster(PLAIN | fits, disks=4), writes).disk_bytes_written.sum() == 8 * MIB
    with pytest.raises(DiskFullError, match="holds 6 MiB"):
        run(cluster(PLAIN | fits, disks=4, raid=5), writes)


# Caches


@pytest.mark.parametrize(
    ("policy", "sequential"),
    [
        ("none", False),
        ("write-behind", False),
        ("aggregation", False),
        ("aggregation-reorder", True),
        ("server-directed", True),
    ],
)
def test_reordering_makes_interleaved_reads_sequential(policy, sequential):
    """Two ranks read their halves of a file backwards in 64 KiB pieces, all asked for at once."""

    def backwards(rank, ranks):
        pieces = [
            op.read("data", offset=(rank * 32 + 31 - number) * 64 * KIB, size=64 * KIB, blocking=False)
            for number in range(32)
        ]
        yield from pieces
        yield op.waitall(pieces)

    result = run(cluster(HARD, cache={"policy": policy}), backwards)
    seeks = result.disk_operations[0] - result.disk_sequential[0]

    assert result.disk_bytes_read[0] == 4 * MIB
    assert (seeks < 16) == sequential


def test_reading_ahead_makes_fewer_and_longer_reads():
    def in_sequence(rank, ranks):
        for number in range(32):
            yield op.read("data", offset=number * 64 * KIB, size=64 * KIB)

    def machine(ahead):
        cache = {"keeps_reads": True, "memory": "64 MiB", "read_ahead": ahead}
        return cluster(PLAIN | {"access": "2 ms"}, 1, cache=cache)

    none, ahead = (run(machine(size), in_sequence, 1) for size in (0, "1 MiB"))

    assert ahead.disk_operations[0] < none.disk_operations[0] / 3
    assert ahead.end < none.end / 2
    assert ahead.cache_hit_bytes[0] > 0


def test_the_least_recently_used_pages_leave_a_small_read_cache():
    def again_and_again(rank, ranks):
        for number in range(3 * 64):
            yield op.read("data", offset=number % 64 * 64 * KIB, size=64 * KIB)

    def hits(memory):
        cache = {"keeps_reads": True, "memory": memory}
        return run(cluster(cache=cache), again_and_again, 1).cache_hit_bytes[0]

    assert hits("8 MiB") == 8 * MIB
    assert hits("2 MiB") == 0


@pytest.mark.parametrize("packet", ["16 KiB", "40 KiB", "1 MiB"])
def test_what_was_written_in_packets_is_read_from_memory(packet):
    def back(rank, ranks):
        yield op.write("data", offset=rank * MIB, size=MIB)
        yield op.read("data", offset=rank * MIB, size=MIB)

    cache = {"keeps_reads": True, "memory": "64 MiB"}
    told = run(cluster(cache=cache, settings={"packet": packet}), back)

    assert told.disk_bytes_read.sum() == 0
    assert told.cache_hit_bytes.sum() == 2 * MIB


# Burst buffers


def burst(capacity="64 MiB", **more):
    return {"capacity": capacity, "disk": FAST} | more


def only_writes(rank, ranks):
    yield op.write("data", offset=rank * 4 * MIB, size=4 * MIB)


def test_a_burst_buffer_takes_writes_at_its_own_speed():
    slow = run(cluster(cache={"policy": "none"}), only_writes)
    fast = run(cluster(cache={"policy": "none"}, burst=burst()), only_writes)

    assert slow.rank_end.max() > 0.08e12
    assert fast.rank_end.max() < 0.03e12
    assert fast.burst_bytes_written.tolist() == [8 * MIB]
    assert fast.disk_bytes_written.tolist() == [0]  # below the threshold: kept
    assert fast.most_dirty_bytes.tolist() == [8 * MIB]


def test_the_first_rung_refuses_a_machine_with_a_burst_buffer_by_name():
    workload = Workload.from_program(only_writes, 2)

    assert predict(workload, cluster(cache={"policy": "none"}), rung="resource").bounds.low > 0.08
    with pytest.raises(PredictionError, match="only the packet engine models burst buffers"):
        predict(workload, cluster(cache={"policy": "none"}, burst=burst()), rung="resource")


def test_it_drains_what_is_above_its_threshold_and_all_of_it_for_a_sync():
    drained = run(cluster(burst=burst(drain_above="3 MiB")), only_writes)
    synced = run(cluster(burst=burst()), writes)

    assert 5 * MIB <= drained.disk_bytes_written[0] <= 5 * MIB + 100 * KIB
    assert synced.disk_bytes_written.tolist() == [8 * MIB]
    assert synced.rank_end.min() > 0.08e12


def test_a_full_burst_buffer_is_no_faster_than_the_disks():
    small = run(cluster(burst=burst("1 MiB")), only_writes)

    assert small.rank_end.max() > 0.06e12
    assert small.most_dirty_bytes[0] <= 1 * MIB + 200 * KIB


def test_what_it_holds_is_read_from_it():
    def write_and_read(rank, ranks):
        yield op.write("data", offset=rank * 4 * MIB, size=4 * MIB)
        yield op.barrier()
        yield op.read("data", offset=(1 - rank) * 4 * MIB, size=4 * MIB)
        yield op.read("other", offset=rank * MIB, size=MIB)

    result = run(cluster(burst=burst()), write_and_read)

    assert result.burst_bytes_read.tolist() == [8 * MIB]
    assert result.disk_bytes_read.tolist() == [2 * MIB]


# Refusals


@pytest.mark.parametrize(
    ("server", "where", "message"),
    [
        ({"raid": 5, "disks": 2}, "$.server[0].raid", "expected 3 disks or more for RAID 5, got 2"),
        ({"raid": 1}, "$.server[0].raid", "0, 5"),
        ({"chunk": 0}, "$.server[0].chunk", "from 1 B"),
        ({"disk": PLAIN | {"capacity": 0}}, "$.server[0].disk.capacity", "at least 1 B, got 0"),
        (
            {"disk": [PLAIN, PLAIN | {"capacity": "1 GB"}]},
            "$.server[0].disk",
            "for every disk of the server or for no disk",
        ),
        ({"disk": FLASH | {"queue_depth": 0}}, "$.server[0].disk.queue_depth", "of at least 1, got 0"),
        ({"burst": {"capacity": "1 MiB"}}, "$.server[0].burst", "missing key `disk`"),
        ({"burst": burst("150 KiB")}, "$.server[0].burst.capacity", "expected room for 75 KiB"),
        (
            {"burst": burst("1 MiB", drain_above="1 MiB")},
            "$.server[0].burst.drain_above",
            "expected room for 1 MiB",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_path(server, where, message):
    with pytest.raises(ClusterError) as refusal:
        cluster(**server)

    assert message in refusal.value.message
    assert (refusal.value.at or "").startswith(where)
