"""The queueing rung: which programs are cyclic, and a width that says what the model does not know."""

import pytest

from striate.cluster.load import load_cluster
from striate.rungs.fine import predict_fine
from striate.rungs.queueing import cyclic_check, predict_queueing
from striate.workload import Workload
from striate.workload import operations as op


def stencil(rank, ranks, *, cycles=6, work=0.002, size="256 KB"):
    """A line of ranks: those at its ends have one neighbour, the others two."""
    for cycle in range(cycles):
        yield op.compute(work)
        for peer in (rank - 1, rank + 1):
            if 0 <= peer < ranks:
                yield op.sendrecv(peer, "64 KB", source=peer)
        yield op.write("out", offset=(cycle * ranks + rank) * 256_000, size=size)


def line(ranks, **changes):
    return Workload.from_program(lambda rank, _: stencil(rank, ranks, **changes), ranks=ranks)


def test_ranks_at_a_boundary_are_still_one_cyclic_program():
    check = cyclic_check(line(8))

    assert check.passed, check.finding
    assert "programs with I/O in the same cycles" in check.finding


def test_ranks_that_do_other_io_are_not():
    def alone(rank, _):
        for cycle in range(6 if rank else 3):
            yield op.compute("1 ms")
            yield op.write("out", offset=(cycle * 4 + rank) * 1000, size=1000)

    assert not cyclic_check(Workload.from_program(alone, ranks=4)).passed


@pytest.mark.parametrize("machine", ["westmere", "pvs-cluster", "sp2", "lustre-64"])
@pytest.mark.parametrize("work", [0.0005, 0.05])
def test_the_width_of_the_model_holds_the_finest_rung(machine, work):
    cluster = load_cluster(machine)
    workload = line(4, work=work)
    verdict = predict_queueing(workload, cluster)
    found, (note,) = verdict.interval, verdict.notes

    assert found.low < found.estimate < found.high
    assert predict_fine(workload, cluster).interval.estimate in found
    assert "of a transfer" in note
