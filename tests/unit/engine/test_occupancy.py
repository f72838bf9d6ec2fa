"""Occupancy of servers over time: bytes on their way to the disks, the read cache, requests that wait."""

import numpy as np
import pyarrow as pa
import pytest

from machines import SWITCH, node, server
from striate.cluster.builders import star
from striate.errors import TraceError
from striate.formats.read import read_trace
from striate.ladder import predict
from striate.trace.analysis.counters import counters_of
from striate.trace.occupancy import SCHEMA, checked, slices
from striate.workload import Spmd
from striate.workload import operations as op
from striate.workload.workload import Workload

MB = 10**6


def machine(**more):
    return star(node=node(2), switch=SWITCH, server=[server(1, **more)])


def writes(rank, ranks):
    """5 MB to one disk, in packets of 100 KiB, each an access of 1 ms and 1.024 ms of transfer."""
    if rank == 0:
        for block in range(5):
            yield op.write("out", offset=block * MB, size=MB)
    yield op.sync_file("out")


def test_written_bytes_are_in_memory_until_they_are_on_the_disk(tmp_path):
    cluster = machine(cache={"policy": "write-behind"})
    forecast = predict(Workload.from_program(writes, 2), cluster, timeline=True, exact=True)
    occupancy = forecast.timeline.occupancy
    dirty, most, waiting = (
        occupancy.column(name).to_numpy() for name in ("dirty", "most_dirty", "most_waiting")
    )
    start, end = (occupancy.column(name).to_numpy() for name in ("start", "end"))

    assert most.max() == forecast.servers[0].most_dirty_bytes
    assert waiting.max() == forecast.servers[0].longest_queue
    assert dirty[-1] < most.max() / 20
    assert 0 < len(occupancy) <= 1024
    assert (start[1:] == end[:-1]).all()
    # What comes within 6 ms and leaves evenly in the 100 ms that the disk needs is there for half of that.
    area = float((dirty * (end - start)).sum()) / 1e9
    assert area == pytest.approx(5 * MB * (50 * 0.001 + 5 * MB / 100e6) / 2, rel=0.05)

    forecast.timeline.save(tmp_path / "run.parquet")
    assert read_trace(tmp_path / "run.parquet").occupancy.equals(occupancy)
    (memory,) = [one for one in counters_of(forecast.timeline) if one.name.startswith("memory: on the way")]
    assert memory.value.max() == dirty.max()


def test_a_server_without_a_cache_holds_no_written_byte_beyond_one_request():
    none = predict(
        Workload.from_program(writes, 2), machine(cache={"policy": "none"}), timeline=True, exact=True
    )
    behind = predict(Workload.from_program(writes, 2), machine(), timeline=True, exact=True)

    assert none.timeline.occupancy.column("most_dirty").to_numpy().max() < MB
    assert behind.timeline.occupancy.column("most_dirty").to_numpy().max() > 3 * MB


def test_a_read_cache_fills_up_to_its_size():
    body = Spmd(2)
    body.write("out", offset=body.rank * 8 * MB, size=8 * MB)
    body.sync_file("out")
    body.barrier()
    body.read("out", offset=(1 - body.rank) * 8 * MB, size=8 * MB)
    cluster = machine(cache={"policy": "aggregation-reorder", "keeps_reads": True, "memory": "2 MiB"})
    occupancy = predict(body.workload(), cluster, timeline=True, exact=True).timeline.occupancy
    cached = occupancy.column("most_cached").to_numpy()

    assert cached.max() == 2 * 1024**2
    assert (np.diff(cached) >= 0).all()


def test_a_table_that_does_not_hold_together_is_refused():
    good = slices("s", np.array([0]), np.array([5]), [[0.0]] * 3, [[1]] * 3)
    assert checked(good).num_rows == 1
    for name, value in (("end", -1), ("dirty", -1.0), ("cached", float("nan")), ("most_waiting", -5)):
        at = SCHEMA.get_field_index(name)
        with pytest.raises(TraceError, match="occupancy"):
            checked(good.set_column(at, name, pa.array([value])))
    with pytest.raises(TraceError, match="expected columns"):
        checked(good.drop_columns(["server"]))
