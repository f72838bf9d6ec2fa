"""Computing that takes longer: all times, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from striate.workload import Workload
from striate.workload.operations import compute, write
from striate.workload.transforms.merge import merged
from striate.workload.transforms.slowed import slowed
from striate.workload.transforms.unfold import unfold


def program(rank, ranks):
    """Times that no straight line tells; offsets have the same table as the first of them."""
    for step in range(3):
        yield compute(duration=(7 + rank * rank) * 1e-12)
        yield write("out", offset=7 + rank * rank, size=8 + step)


def times(application, rank):
    return [
        step.operands["picoseconds"] for step in unfold(application, rank) if "picoseconds" in step.operands
    ]


def offsets(application, rank):
    return [step.operands["offset"] for step in unfold(application, rank) if "offset" in step.operands]


@pytest.mark.parametrize("factor", [0.0, 3.0, np.array([1.0, 2.0, 4.0, 8.0, 1.0, 2.0, 4.0, 8.0])], ids=str)
def test_times_of_several_applications_are_scaled_each_by_its_own_table(factor):
    one = Workload.from_program(program, 4, name="one")
    both = merged(Workload.together(one, one).applications)
    slow = replace(both, programs=slowed(both.programs, factor))

    for rank in range(8):
        own = float(np.broadcast_to(factor, (8,))[rank])
        assert times(slow, rank) == [round(own * (7 + (rank % 4) ** 2))] * 3
        assert offsets(slow, rank) == [7 + (rank % 4) ** 2] * 3
