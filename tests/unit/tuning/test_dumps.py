"""The mesh program on the runtime as a workload: what it writes is what the runtime writes."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import striate.runtime as runtime
from striate.apps.mesh import NODE, Mesh
from striate.apps.mesh.costs import CodecCost, Costs, costs_of, measure_costs
from striate.apps.mesh.dumps import workload
from striate.apps.mesh.sweep import Sweep
from striate.apps.mesh.timing import LARGE_CHUNK, SMALL_CHUNK, Dump, Timings
from striate.cluster import load_cluster
from striate.errors import StriateError, TuningError
from striate.ladder import predict
from striate.workload.kinds import Kind
from striate.workload.transforms.rewrite import operations_of

COSTS = Costs(
    setup_edge=1e-8,
    sweep_edge=1e-8,
    schedule_record=1e-9,
    move_byte=1e-10,
    load_byte=1e-10,
    checksum_byte=1e-11,
    write_byte=1e-10,
    window_byte=1e-10,
    commit=1e-3,
    chunk=1e-6,
    rounds=[(2**16, 1e-9), (2**20, 1e-10)],
    codecs={"zstd": CodecCost(1e-9, 1e-9, 0.25, 1e-6)},
)


def written(made):
    """Bytes that each rank writes, in all."""
    (application,) = made.applications
    return [
        sum(step.operands[2] for step in operations_of(application, rank) if step.kind is Kind.WRITE)
        for rank in range(made.ranks)
    ]


def test_one_process_writes_as_many_bytes_as_the_runtime_does(tmp_path):
    nodes, chunk = 30_000, 64 * 2**10
    made = workload(1, costs=COSTS, nodes=nodes, steps=2, every=1, chunk=chunk)
    sweep = Sweep(Mesh(nodes), 0, 1)
    with runtime.create(None, tmp_path / "dump", (nodes,), NODE, chunk=chunk) as dataset:
        stored = [dataset.write_all(sweep.indices, sweep.values).stored_bytes for _ in range(2)]

    assert written(made) == [sum(stored)]


@hypothesis_settings(max_examples=30, deadline=None)
@given(
    ranks=st.integers(1, 5),
    servers=st.integers(0, 5),
    factor=st.integers(1, 4),
    chunk=st.sampled_from([2**14, 2**16, 2**20]),
    codec=st.sampled_from(["none", "zstd"]),
    buffer=st.sampled_from([2**16, 2**20, 2**26]),
)
def test_every_plan_that_the_runtime_would_make_can_be_played(ranks, servers, factor, chunk, codec, buffer):
    settings = {"servers": servers, "group_factor": factor, "chunk": chunk, "codec": codec, "buffer": buffer}
    if servers > ranks or factor > (servers or ranks):
        with pytest.raises(StriateError):
            workload(ranks, costs=COSTS, nodes=20_000, steps=2, every=1, **settings)
        return
    made = workload(ranks, costs=COSTS, nodes=20_000, steps=2, every=1, **settings)
    made.check()

    share = 0.25 if codec == "zstd" else 1.0
    assert sum(written(made)) >= 2 * 20_000 * NODE.itemsize * share * 0.99
    assert sum(size > 0 for size in written(made)) <= (servers or ranks)
    assert predict(made, "laptop", rung="fine", within=None).seconds.low > 0


def test_an_unknown_codec_is_refused():
    with pytest.raises(StriateError, match="a codec with measured costs"):
        workload(2, costs=COSTS, codec="lzma")


def test_costs_are_positive_and_survive_a_table(tmp_path):
    import msgspec

    found = measure_costs(Mesh(20_000), 2, codecs=["zstd"], folder=Path(tmp_path))

    assert found.sweep_edge > 0
    assert 0 < found.codecs["zstd"].share < 1
    assert Costs.from_table(msgspec.to_builtins(found)) == found
    assert found.beyond(load_cluster("laptop")).write_byte <= found.write_byte
    with pytest.raises(TuningError, match=r"\$\.costs"):
        Costs.from_table({"commit": "much"})


def dump_of(seconds, chunks, *, codec=0.0):
    """A dump that takes 0.8 s beside its chunks and its codec."""
    stages = {"load": 0.1 + codec / 2, "exchange": 0.3, "compress": 0.1 + codec / 2, "write": 0.2}
    return Dump(**stages, all=0.8 + seconds * chunks + codec)


def test_costs_give_back_what_was_timed():
    mesh = Mesh(4 * 2**20 // NODE.itemsize * 16)  # 64 MiB, nearly
    total = mesh.nodes * NODE.itemsize
    many, few = -(-total // SMALL_CHUNK), -(-total // LARGE_CHUNK)
    timings = Timings(
        ranks=2,
        setup=0.3,
        sweep=0.1,
        schedule=0.2,
        touched=1000,
        window=0.01,
        dumps={
            "none": {SMALL_CHUNK: dump_of(1e-5, many), LARGE_CHUNK: dump_of(1e-5, few)},
            "zstd": {SMALL_CHUNK: dump_of(2e-5, many, codec=2.0), LARGE_CHUNK: dump_of(2e-5, few, codec=2.0)},
        },
        rounds=[(2**20, 0.5), (2**22, -0.1)],
        stored_shares={"none": 1.0, "zstd": 0.25},
    )

    found = costs_of(timings, mesh)

    assert found.chunk == pytest.approx(1e-5)
    assert found.codecs["zstd"].chunk == pytest.approx(2e-5)
    assert found.commit == pytest.approx(0.8 - 0.7)
    assert found.rounds == [(2**20, pytest.approx(0.5 / (total / 2))), (2**22, 0.0)]
    assert found.codecs["zstd"].encode * total / 2 >= 1.1  # what the codec's dump takes beyond the rest


@given(st.integers(1, 2**34))
def test_small_windows_cost_what_was_measured_near_them(window):
    assert 1e-10 <= COSTS.round_byte(window) <= 1e-9
    assert COSTS.round_byte(2**16) == pytest.approx(1e-9)
    assert COSTS.round_byte(2**18) == pytest.approx(5.5e-10)  # half way by the factor


def test_a_small_buffer_takes_the_rounds_that_were_timed():
    settings = {"nodes": 200_000, "steps": 1, "every": 1, "chunk": 65536}
    expensive = replace(COSTS, rounds=[(65536, 1e-6)])

    free, more = (
        predict(
            workload(1, costs=costs, buffer="256 KiB", **settings), "laptop", rung="fine"
        ).seconds.estimate
        for costs in (replace(COSTS, rounds=[]), expensive)
    )

    assert more - free == pytest.approx(200_000 * NODE.itemsize * 1e-6, rel=0.05)


def test_a_window_is_written_beside_the_next_one_only_where_a_cpu_is_free():
    settings = {"costs": COSTS, "nodes": 200_000, "steps": 2, "every": 1, "buffer": "256 KiB", "chunk": 65536}

    crowded, roomy = (
        predict(workload(2, cpus=cpus, **settings), "laptop", rung="fine").seconds.estimate for cpus in (2, 3)
    )

    assert crowded > roomy
