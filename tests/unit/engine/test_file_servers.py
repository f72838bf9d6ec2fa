"""Files in programs: what servers, caches and disks of a described cluster do to their time."""

import pytest

from machines import SWITCH, node, run_application
from striate.cluster.builders import star
from striate.collectives.columns import CollectiveBook
from striate.engine.file_servers import POLICIES, file_servers
from striate.errors import PredictionError
from striate.workload import Workload
from striate.workload import operations as op

MIB = 1 << 20
RAM = {"kind": "simple", "rate": "10 GB/s"}
SLOW = {"kind": "simple", "rate": "10 MB/s", "access": "1 ms"}
FLASH = {
    "kind": "flash",
    "read_rate": "2 GB/s",
    "write_rate": "1 GB/s",
    "read_latency": "80 us",
    "write_latency": "20 us",
    "channels": 8,
}


def cluster(disk, servers=2, ranks=2, **cache):
    table = {
        "name": "storage",
        "count": servers,
        "on": "apart",
        "like": "compute",
        "disk": disk,
        "cache": cache,
    }
    return star(node=node(ranks), switch=SWITCH, server=[table])


def run(machine, program, ranks=2):
    application = Workload.from_program(program, ranks=ranks).applications[0]
    return run_application(application, machine, machine.place(ranks), collectives=CollectiveBook.empty())


def writes(rank, ranks, *, size=4 * MIB, sync=False):
    yield op.open_file("data", create=True)
    yield op.write("data", offset=rank * size, size=size)
    if sync:
        yield op.sync_file("data")
    yield op.close_file("data")


def reads_twice(rank, ranks):
    yield op.open_file("data")
    for _ in range(2):
        yield op.read("data", offset=rank * MIB, size=MIB)
    yield op.close_file("data")


def test_columns_say_what_the_description_says():
    machine = cluster(FLASH, policy="write-behind", memory="10 MiB", concurrent_operations=4)
    (application,) = Workload.from_program(writes, 2).applications
    columns = file_servers(machine, application, machine.place(2))

    assert POLICIES[columns.policy[0]] == "write-behind"
    assert columns.memory.tolist() == [10 * MIB] * 2
    assert columns.channels.tolist() == [8, 8]
    assert columns.write_latency.tolist() == [20_000_000] * 2
    assert columns.first_disk.tolist() == [0, 1, 2]


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_writes_every_byte(policy):
    result = run(cluster(SLOW, policy=policy), writes)

    assert result.disk_bytes_written.sum() == 8 * MIB
    assert result.rank_end.max() <= result.end


def test_write_behind_ends_before_its_data_is_on_disk_and_a_sync_waits():
    behind = run(cluster(SLOW, policy="write-behind"), writes)
    synced = run(cluster(SLOW, policy="write-behind"), lambda r, n: writes(r, n, sync=True))

    assert behind.rank_end.max() < behind.end / 5
    assert synced.rank_end.min() >= behind.end


def test_a_full_cache_makes_writers_wait_for_the_disk():
    free = run(cluster(SLOW, policy="write-behind", memory="1 GiB"), writes)
    full = run(cluster(SLOW, policy="write-behind", memory="256 KiB"), writes)

    assert full.rank_end.max() > 4 * free.rank_end.max()
    assert full.disk_bytes_written.sum() == 8 * MIB


def test_what_was_read_comes_from_memory_the_second_time():
    bare = run(cluster(SLOW), reads_twice)
    keeps = run(cluster(SLOW, keeps_reads=True, memory="64 MiB"), reads_twice)

    assert bare.disk_bytes_read.sum() == 4 * MIB
    assert keeps.disk_bytes_read.sum() == 2 * MIB
    assert keeps.cache_hit_bytes.sum() == 2 * MIB
    assert keeps.end < 0.6 * bare.end


def test_faster_disks_never_take_longer():
    slow, flash, memory = (run(cluster(disk), reads_twice).end for disk in (SLOW, FLASH, RAM))

    assert slow > flash > memory


def collective(rank, ranks):
    yield op.open_file("data", create=True)
    yield op.write_all("data", offset=rank * 1000, size=1000, count=20, stride=ranks * 1000)
    yield op.close_file("data")


def test_collective_writes_move_exactly_what_was_asked_for():
    result = run(cluster(RAM, ranks=4), collective, ranks=4)

    assert result.disk_bytes_written.sum() == 4 * 20 * 1000


def test_a_program_with_files_needs_a_server():
    machine = star(node=node(2), switch=SWITCH)

    with pytest.raises(PredictionError, match="no I/O server"):
        run(machine, writes)
