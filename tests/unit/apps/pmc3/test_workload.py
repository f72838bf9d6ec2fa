"""The emulated sampler asks for what the real one does, and can be predicted."""

from collections import Counter

import pytest

from striate.apps.pmc3.workload import workload
from striate.cluster import load_cluster
from striate.errors import LayoutError, WorkloadError
from striate.ladder import predict
from striate.layout import Extents, parse
from striate.workload.kinds import Kind
from striate.workload.transforms.unfold import unfold


@pytest.mark.parametrize("output", ["mapped", "serial"])
@pytest.mark.parametrize(("ranks", "runs"), [(8, 8), (8, 9), (4, 2), (1, 3)])
def test_a_program_no_rank_waits_for_in_vain(output, ranks, runs):
    program = workload(ranks, runs=runs, chains=3, generations=4, taxa=12, output=output)

    program.check()
    assert program.ranks == ranks


def steps(program):
    """Every operation of every rank, as (rank, step)."""
    (application,) = program.applications
    return [(rank, step) for rank in range(program.ranks) for step in unfold(application, rank)]


@pytest.mark.parametrize("buffered", [1, 3, 100])
def test_mapped_samples_fill_the_file_and_every_byte_is_written_once(buffered):
    program = workload(4, runs=5, chains=2, generations=7, taxa=12, buffered=buffered)
    writes = [step.operands for _, step in steps(program) if step.kind is Kind.WRITE]
    extents = Extents.of((write["offset"], write["bytes"]) for write in writes)

    # 7 samples of 5 runs: trees of 342 bytes, lines of 14 signed numbers of 14 bytes, a digit and a newline
    total = 7 * 5 * (342 + 14 * 14 + 2)
    assert extents.merged() == Extents([0], [total])
    assert extents.total_bytes == total


@pytest.mark.parametrize("buffered", [1, 3, 7])
def test_strips_put_all_that_a_rank_writes_on_one_server_in_one_piece(buffered):
    program = workload(4, runs=8, chains=2, generations=7, taxa=12, buffered=buffered, strips=True)
    (application,) = program.applications
    layout = parse(application.files[0].layout)
    writes = [(rank, step.operands) for rank, step in steps(program) if step.kind is Kind.WRITE]

    # a strip of lambda samples of two runs: trees of 342 bytes, lines of 14 signed numbers and a generation
    pair = 342 + 14 * 14 + 2
    assert layout.hint() == ";".join(f"{rank}:{buffered * 2 * pair}" for rank in range(4))
    for rank, write in writes:
        pieces = layout.split(Extents([write["offset"]], [write["bytes"]]))
        assert set(pieces.server.tolist()) == {rank}
    assert sum(write["bytes"] for _, write in writes) == 7 * 8 * pair
    whole = 7 // buffered * buffered  # samples in writes of lambda samples, each one piece
    assert sum(write["bytes"] == buffered * 2 * pair for _, write in writes) == 4 * whole // buffered
    with pytest.raises(
        LayoutError, match="expected a number of runs that is a multiple of the 3 ranks, got 8 runs"
    ):
        workload(3, runs=8, generations=2, strips=True)


def test_serial_samples_cost_what_mrbayes_was_measured_to_cost():
    # 4 runs on 4 ranks: 8 writes, 28 Allreduce and 5 Barrier a rank, 12 messages to rank 0, each sample
    program = workload(4, runs=4, chains=3, generations=1, taxa=12, output="serial")
    found = Counter((step.kind, rank) for rank, step in steps(program))

    assert {kind: found[kind, 0] for kind in (Kind.WRITE, Kind.ALLREDUCE, Kind.BARRIER, Kind.RECV)} == {
        Kind.WRITE: 8,
        Kind.ALLREDUCE: 28,
        Kind.BARRIER: 5,
        Kind.RECV: 12,
    }
    assert sum(found[Kind.SEND, rank] for rank in range(4)) == 12
    assert not any(found[Kind.WRITE, rank] for rank in (1, 2, 3))


def test_checkpoints_flush_before_the_first_generation_and_after_the_last():
    program = workload(2, runs=2, chains=2, generations=3, taxa=12, checkpoints=True)
    program.check()
    kinds = [step.kind for rank, step in steps(program) if rank == 1]

    assert kinds.count(Kind.SYNC) == 4
    assert kinds.index(Kind.SYNC) < kinds.index(Kind.COMPUTE)
    assert kinds[-2:] == [Kind.SYNC, Kind.BARRIER]


def test_both_ways_can_be_forecast():
    for output in ("mapped", "serial"):
        program = workload(2, runs=2, chains=2, generations=4, taxa=12, output=output)
        assert predict(program, load_cluster("pvs-cluster")).seconds.estimate >= 4 * 2 * 1e-3  # its own steps


@pytest.mark.parametrize("wrong", [{"output": "sideways"}, {"generations": 0}, {"buffered": 0}])
def test_an_emulation_of_nothing_is_refused(wrong):
    with pytest.raises(WorkloadError, match="expected"):
        workload(2, **wrong)


def test_strips_keep_lines_off_the_network_where_compute_nodes_are_servers():
    setting = {"runs": 16, "chains": 2, "generations": 3, "taxa": 200}
    seconds = [
        predict(
            workload(8, **setting, strips=strips), load_cluster("pvs-cluster"), rung="fine"
        ).seconds.estimate
        for strips in (False, True)
    ]

    assert 3 * 4 * 1e-3 < seconds[1] < seconds[0]  # both compute for four chains of every rank, three times
